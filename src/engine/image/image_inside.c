/* Vertices inside a body, from its layers (Heidelberger, Teschner, Gross 2004; see image_layers.h). A vertex is sure if
 * no triangle may be at its depth anywhere over its pixel: then the winding number at the pixel's sample is its own. */
#include "engine/image/image.h"

typedef struct inside_search
{
    const image_layers *layers;
    BASE_ARRAY(base_key_value) waiting, scratch; /* pixel, vertex: those within the box, by pixel */
    size_t next;                                 /* of those waiting */
    const mesh_placed *body;                     /* whose vertices they are */
    uint8_t *places;
} inside_search;

/* Hits are in order of their lower ends. */
static carom_image_place find_place(const image_column *column, double depth, double error)
{
    int winding = 0;
    for (size_t i = 0; i < column->count; i++)
    {
        const image_hit *hit = &column->hits[i];
        if (hit->low > depth + error)
            break;
        if (hit->high >= depth - error)
            return CAROM_IMAGE_UNSURE;
        winding -= hit->turn;
    }
    return winding != 0 ? CAROM_IMAGE_INSIDE : CAROM_IMAGE_OUTSIDE;
}

static carom_status place_column(const image_column *column, void *user)
{
    inside_search *search = user;
    const image_grid *grid = &search->layers->grid;
    uint64_t pixel = (uint64_t)column->row * grid->columns + column->column;
    /* pixels before this one have no surface: everything in them is outside */
    while (search->next < search->waiting.count && search->waiting.items[search->next].key < pixel)
        search->next++;
    for (; search->next < search->waiting.count && search->waiting.items[search->next].key == pixel; search->next++)
    {
        uint64_t vertex = search->waiting.items[search->next].value;
        carom_vec3 world = pose_apply(search->body->pose, search->body->mesh->vertices[vertex]);
        double depth = image_grid_see(grid, world).z;
        search->places[vertex] = (uint8_t)find_place(column, depth, grid->view.error[2]);
    }
    return CAROM_OK;
}

static bool is_within(const carom_aabb *box, carom_vec3 p)
{
    return p.x >= box->min.x && p.x <= box->max.x && p.y >= box->min.y && p.y <= box->max.y && p.z >= box->min.z &&
           p.z <= box->max.z;
}

static uint64_t pixel_of(double at, uint32_t count)
{
    return at < 1.0 ? 0 : at < (double)count ? (uint64_t)at : count - 1;
}

static carom_status list_vertices(inside_search *search, const carom_aabb *box)
{
    const image_layers *layers = search->layers;
    const carom_mesh *mesh = search->body->mesh;
    if (!base_array_reserve(layers->context, &search->waiting, mesh->vertex_count) ||
        !base_array_reserve(layers->context, &search->scratch, mesh->vertex_count))
        return base_fail(layers->context, CAROM_OUT_OF_MEMORY, "image vertices: no memory for %u vertices",
                         mesh->vertex_count);
    for (uint32_t i = 0; i < mesh->vertex_count; i++)
    {
        carom_vec3 world = pose_apply(search->body->pose, mesh->vertices[i]);
        search->places[i] = CAROM_IMAGE_OUTSIDE;
        if (!is_within(box, world))
            continue;
        carom_vec3 at = image_grid_see(&layers->grid, world);
        uint64_t pixel =
            pixel_of(at.y, layers->grid.rows) * layers->grid.columns + pixel_of(at.x, layers->grid.columns);
        search->waiting.items[search->waiting.count++] = (base_key_value){pixel, i};
    }
    base_sort_keys(search->waiting.items, search->scratch.items, search->waiting.count);
    return CAROM_OK;
}

static carom_status place_vertices(carom_image *image, const carom_image_volume_def *def, uint32_t side,
                                   uint8_t *places, double *pixel)
{
    mesh_placed body = {def->a.shape.mesh, NULL, &def->a.pose};
    image_layers layers = {.context = image->context, .bodies = {{def->b.shape.mesh, NULL, &def->b.pose}}};
    inside_search search = {.layers = &layers, .body = &body, .places = places};
    carom_aabb box = image_placed_box(&layers.bodies[0]), own = body.mesh->info.bounds;
    own = math_world_box(body.pose, &own);
    carom_aabb common = image_common_box(&box, &own);
    for (int k = 0; k < 3; k++) /* nothing in common: any grid will do, no vertex is within */
        if (vec3_at(&common.min, k) > vec3_at(&common.max, k))
            common = box;
    int axis = image_choose_axis(layers.bodies, 1, &common, def->axis);
    carom_aabb all = {vec3_min(box.min, own.min), vec3_max(box.max, own.max)};
    image_grid_fit(&common, &all, axis, side, &layers.grid);
    *pixel = 1.0 / layers.grid.scale;
    image_layers_walk walk = {.layers = &layers, .pass = image->layers, .on_column = place_column, .user = &search};
    carom_status status = list_vertices(&search, &common);
    status = carom_failed(status) ? status : image_layers_add(&layers, 0);
    status = carom_failed(status) ? status : image_layers_each(&walk);
    base_array_free(image->context, &search.waiting);
    base_array_free(image->context, &search.scratch);
    image_layers_free(&layers);
    return status;
}

carom_status carom_image_vertices(carom_image *image, const carom_image_volume_def *def, uint8_t *places,
                                  carom_image_vertices_result *result)
{
    if (!image || !def || !places || !result)
        return base_fail(image ? image->context : NULL, CAROM_INVALID_ARGUMENT, "image vertices: %s is null",
                         !image    ? "image"
                         : !def    ? "def"
                         : !places ? "places"
                                   : "result");
    *result = (carom_image_vertices_result){0};
    uint32_t side;
    BASE_TRY(image_check_axis(image, def->axis));
    BASE_TRY(image_check_body(image, &def->a, "body a", false));
    BASE_TRY(image_check_body(image, &def->b, "body b", true));
    BASE_TRY(image_check_resolution(image, def->resolution, 256, &side));
    BASE_TRY(image_begin(image));
    BASE_TRY(image_end(image, place_vertices(image, def, side, places, &result->pixel)));
    uint64_t counts[3] = {0};
    for (uint32_t i = 0; i < def->a.shape.mesh->vertex_count; i++)
        counts[places[i]]++;
    result->outside = counts[CAROM_IMAGE_OUTSIDE], result->inside = counts[CAROM_IMAGE_INSIDE];
    result->unsure = counts[CAROM_IMAGE_UNSURE];
    return CAROM_OK;
}
