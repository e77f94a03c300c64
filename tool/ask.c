/* One query on two placed meshes, through the pair queries or through an engine. */
#include "tool/ask.h"
#include "tool/verdict.h"

#include <math.h>

carom_status tool_asker_open(carom_context *context, const tool_method *method, const char *cache, tool_asker *out)
{
    *out = (tool_asker){.context = context, .method = method};
    carom_status status = carom_query_create(context, &out->query);
    if (!carom_failed(status) && method->engine)
    {
        carom_engine_def def = carom_engine_def_default();
        def.engine = method->engine;
        def.image_side = method->image_side, def.image_accuracy = method->image_accuracy;
        def.as_printed = method->as_printed;
        def.on_image = method->on_image, def.on_image_user = method->on_image_user;
        def.image_always = true; /* who asks for images gets them; what they count then depends on no clock */
        def.cache = cache;
        status = carom_engine_create(context, &def, &out->engine);
    }
    return status;
}

void tool_asker_close(tool_asker *asker)
{
    carom_engine_destroy(asker->engine);
    carom_query_destroy(asker->query);
    *asker = (tool_asker){0};
}

carom_status tool_ask_tree(const tool_asker *asker, const carom_mesh *mesh, carom_tree **out)
{
    *out = NULL;
    return asker->engine ? CAROM_OK : carom_tree_create(asker->context, mesh, &asker->method->def, out);
}

/* The pair of bodies out of a scene report, with the hash that carom_collide would give. A pair that is apart is not
 * listed, so it has none: 0. */
static void take_pair(const carom_scene_report *scene, carom_report *report)
{
    *report = (carom_report){.status = scene->status,
                             .relation = CAROM_RELATION_APART,
                             .distance = INFINITY,
                             .triangle_a = CAROM_NO_TRIANGLE,
                             .triangle_b = CAROM_NO_TRIANGLE,
                             .counters = scene->counters,
                             .times = scene->times};
    if (scene->body_pair_count == 0)
    {
        if (scene->status == CAROM_UNKNOWN)
            report->relation = CAROM_RELATION_UNKNOWN;
        return;
    }
    const carom_body_pair *found = &scene->body_pairs[0];
    *report = tool_pair_report(found);
    report->status = scene->status;
    report->counters = scene->counters, report->times = scene->times;
    report->pairs = scene->pairs + found->first_pair;
    report->pairs_listed = found->pairs_listed;
    /* the only pair of bodies: all contacts are its own, counted from its first pair, which is 0 */
    report->contacts = scene->contacts, report->contact_count = scene->contact_count;
    report->points = scene->points, report->point_count = scene->point_count;
}

static carom_status run_engine(const tool_asker *asker, carom_scene *scene, const carom_collide_options *options,
                               carom_report *report)
{
    carom_frame frame;
    carom_status status = carom_scene_frame(scene, &frame);
    carom_scene_report found;
    if (!carom_failed(status))
        status = carom_engine_run(asker->engine, &frame, options, &found);
    if (!carom_failed(status))
        take_pair(&found, report);
    return status;
}

carom_shape tool_shape(const carom_mesh *mesh, const carom_tree *tree)
{
    carom_shape shape = carom_shape_mesh(mesh);
    shape.tree = tree;
    return shape;
}

carom_status tool_ask_collide(const tool_asker *asker, const carom_placed *a, const carom_placed *b,
                              const carom_collide_options *options, carom_report *report)
{
    if (!asker->engine)
        return carom_collide(asker->query, a, b, options, report);
    carom_scene *scene = NULL;
    carom_status status = carom_scene_create(asker->context, &scene);
    const carom_placed *placed[2] = {a, b};
    for (int i = 0; i < 2 && !carom_failed(status); i++)
    {
        carom_body_def def = carom_body_def_default();
        carom_body_id id;
        def.placed = *placed[i];
        status = carom_scene_add(scene, &def, &id);
    }
    if (!carom_failed(status))
        status = run_engine(asker, scene, options, report);
    if (!carom_failed(status))
    {
        report->a_closed = tool_is_closed(a->shape.mesh);
        report->b_closed = tool_is_closed(b->shape.mesh);
    }
    carom_scene_destroy(scene);
    return status;
}
