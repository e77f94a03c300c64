/* Events: a ball rolls over a row of balls. Which contacts begin, stay and end? One pair has a clearance of its own. */
#include <carom/carom.h>
#include <stdio.h>

static int fail(const carom_context *context)
{
    char message[256] = "no context";
    carom_context_message(context, message, sizeof message);
    return fprintf(stderr, "%s\n", message), 1;
}

int main(void)
{
    carom_context *context = NULL;
    carom_scene *scene;
    carom_engine *engine;
    carom_events *events;
    carom_events_def contacts = {.conditions = CAROM_CONTACT_MEETS | CAROM_CONTACT_CLEARANCE};
    if (carom_failed(carom_context_create(NULL, &context)) || carom_failed(carom_scene_create(context, &scene)) ||
        carom_failed(carom_engine_create(context, NULL, &engine)) ||
        carom_failed(carom_events_create(context, &contacts, &events)))
        return fail(context);
    carom_body_id ids[5];
    for (int i = 0; i < 5; i++)
    {
        carom_body_def body = carom_body_def_default();
        body.placed = (carom_placed){carom_shape_sphere(0.5), carom_pose_translation(2.0 * i, 0, 0)};
        body.is_static = i < 4;
        if (carom_failed(carom_scene_add(scene, &body, &ids[i])))
            return fail(context);
    }
    carom_pair_rule apart = {CAROM_RULE_CLEARANCE, 1.0}, never = {CAROM_RULE_NEVER, 0.0};
    if (carom_failed(carom_scene_set_rule(scene, ids[4], ids[1], &apart)) ||
        carom_failed(carom_scene_set_rule(scene, ids[4], ids[2], &never)))
        return fail(context);
    static const char *const names[] = {"is undecided", "begins", "stays", "ends"};
    uint64_t begun = 0;
    for (int step = 0; step < 16; step++)
    {
        carom_pose pose = carom_pose_translation(0.5 * step, 0.9, 0);
        carom_frame frame;
        carom_scene_report report;
        carom_events_report changes;
        if (carom_failed(carom_scene_move(scene, ids[4], &pose)) || carom_failed(carom_scene_frame(scene, &frame)) ||
            carom_failed(carom_engine_run(engine, &frame, NULL, &report)) ||
            carom_failed(carom_events_update(events, &report, &changes)))
            return fail(context);
        for (uint64_t i = 0; i < changes.event_count; i++)
            printf("step %d: contact %llu with ball %u %s\n", step, (unsigned long long)changes.events[i].id,
                   changes.events[i].body_a.index, names[changes.events[i].kind]);
        begun += changes.begin_count;
    }
    carom_events_destroy(events);
    carom_engine_destroy(engine);
    carom_scene_destroy(scene);
    carom_context_destroy(context);
    return begun == 3 ? 0 : 1;
}
