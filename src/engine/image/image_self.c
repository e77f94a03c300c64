/* A body that overlaps itself, from its layers (Heidelberger, Teschner, Gross 2004; see image_layers.h): along the line
 * through a pixel's sample, entries and exits take turns, unless one part is in another or the body is inside out
 * there. Sampled: what no sample's line passes through is not seen. */
#include "engine/image/image.h"

typedef struct self_crossing
{
    double low, high; /* depth */
    int turn;
} self_crossing;

typedef struct self_search
{
    carom_context *context;
    const image_grid *grid;
    BASE_ARRAY(self_crossing) crossings; /* of a column */
    int inside;                          /* the winding number of the inside: 1, or -1 if the body is inside out */
    double thickest;                     /* depth: widest interval of a crossing */
    carom_image_self_result *result;
} self_search;

/* A column has few: insertion keeps them in order. */
static carom_status list_crossings(self_search *search, const image_column *column)
{
    search->crossings.count = 0;
    for (size_t i = 0; i < column->count; i++)
    {
        const image_hit *hit = &column->hits[i];
        if (hit->turn == 0)
            continue;
        if (!base_array_reserve(search->context, &search->crossings, 1))
            return base_fail(search->context, CAROM_OUT_OF_MEMORY, "image self: no memory for a column");
        self_crossing crossing = {hit->sample_low, hit->sample_high, hit->turn};
        size_t at = search->crossings.count++;
        for (; at > 0 && search->crossings.items[at - 1].low > crossing.low; at--)
            search->crossings.items[at] = search->crossings.items[at - 1];
        search->crossings.items[at] = crossing;
        search->thickest = fmax(search->thickest, crossing.high - crossing.low);
    }
    return CAROM_OK;
}

static void note_overlap(self_search *search, const image_column *column, double depth)
{
    carom_image_self_result *result = search->result;
    if (result->columns++ > 0)
        return;
    const image_grid *grid = search->grid;
    result->overlaps = true;
    result->point = image_grid_sample(grid, column->column, column->row);
    *vec3_part(&result->point, grid->axis) = image_grid_depth(grid, depth);
}

static carom_status look_along(const image_column *column, void *user)
{
    self_search *search = user;
    BASE_TRY(list_crossings(search, column));
    int winding = 0;
    double reached = -INFINITY;
    for (size_t i = 0; i < search->crossings.count; i++)
    {
        const self_crossing *crossing = &search->crossings.items[i];
        /* between what may be surface, the winding number is known */
        if (crossing->low > reached && winding != 0 && winding != search->inside)
        {
            note_overlap(search, column, 0.5 * (reached + crossing->low));
            return CAROM_OK;
        }
        winding -= crossing->turn, reached = fmax(reached, crossing->high);
    }
    return CAROM_OK;
}

static carom_status look(carom_image *image, const carom_image_self_def *def, uint32_t side,
                         carom_image_self_result *result)
{
    image_layers layers = {.context = image->context, .bodies = {{def->body.shape.mesh, NULL, &def->body.pose}}};
    carom_aabb box = image_placed_box(&layers.bodies[0]);
    int axis = image_choose_axis(layers.bodies, 1, &box, def->axis);
    image_grid_fit(&box, &box, axis, side, &layers.grid);
    self_search search = {.context = image->context, .grid = &layers.grid, .result = result};
    search.inside = def->body.shape.mesh->info.volume < 0.0 ? -1 : 1;
    image_layers_walk walk = {.layers = &layers, .pass = image->layers, .on_column = look_along, .user = &search};
    carom_status status = image_layers_add(&layers, 0);
    status = carom_failed(status) ? status : image_layers_each(&walk);
    /* A ball holds a sample's line if its diameter is that of a pixel; that line's part in it must be longer than what
     * the surfaces at its ends may take up. */
    double pixel = 1.0 / layers.grid.scale, thickest = 2.0 * search.thickest / layers.grid.depth_scale;
    result->pixel = pixel;
    result->size = sqrt(2.0 * pixel * pixel + thickest * thickest) * (1.0 + 0x1p-20);
    base_array_free(image->context, &search.crossings);
    image_layers_free(&layers);
    return status;
}

carom_status carom_image_self(carom_image *image, const carom_image_self_def *def, carom_image_self_result *result)
{
    if (!image || !def || !result)
        return base_fail(image ? image->context : NULL, CAROM_INVALID_ARGUMENT, "image self: %s is null",
                         !image ? "image"
                         : !def ? "def"
                                : "result");
    *result = (carom_image_self_result){0};
    uint32_t side;
    BASE_TRY(image_check_axis(image, def->axis));
    BASE_TRY(image_check_body(image, &def->body, "the body", true));
    BASE_TRY(image_check_resolution(image, def->resolution, 256, &side));
    BASE_TRY(image_begin(image));
    return image_end(image, look(image, def, side, result));
}
