/* The volume of an intersection, with a proven bound (Heidelberger, Teschner, Gross 2003; see image_layers.h).
 *
 * Over a pixel, the intervals of a body's triangles are merged to clusters. Between clusters no surface is, so a whole
 * prism is inside or outside. The prisms inside both bodies are the lower bound; with all clusters that are not outside
 * the other body they are the upper one. A cluster that is one triangle that covers the pixel is better than that: the
 * mean of a plane's depth over a square is its depth at the centre, so where the other body has no surface next to it,
 * it is as thin as its rounding errors. */
#include "engine/image/image.h"

carom_image_volume_def carom_image_volume_def_default(void) { return (carom_image_volume_def){0}; }

typedef struct volume_cluster
{
    double low, high;             /* depth: where the surface may be */
    double plane_low, plane_high; /* of a plane that covers the pixel: its mean depth */
    bool is_plane;
    bool alone;  /* the other body has no surface between low and high */
    int winding; /* behind it */
} volume_cluster;

typedef BASE_ARRAY(volume_cluster) volume_clusters;

typedef struct volume_sum
{
    carom_context *context;
    const image_grid *grid;
    volume_clusters clusters[2];
    uint32_t row;
    double row_sure, row_possible, sure, possible; /* depth times pixels */
    uint32_t first_column, last_column, first_row, last_row;
    double nearest, farthest; /* of what is possible */
    carom_image_volume_result *result;
} volume_sum;

/* ---- a column ---- */

static void widen_cluster(volume_cluster *cluster, const image_hit *hit)
{
    cluster->high = fmax(cluster->high, hit->high);
    cluster->winding -= hit->turn;
    cluster->is_plane = false;
}

static volume_cluster begin_cluster(const image_hit *hit, int winding)
{
    return (volume_cluster){.low = hit->low,
                            .high = hit->high,
                            .plane_low = hit->sample_low,
                            .plane_high = hit->sample_high,
                            .is_plane = hit->covers,
                            .winding = winding - hit->turn};
}

static carom_status find_clusters(volume_sum *sum, const image_column *column)
{
    uint32_t layers = 0;
    sum->clusters[0].count = sum->clusters[1].count = 0;
    for (size_t i = 0; i < column->count; i++)
    {
        const image_hit *hit = &column->hits[i];
        volume_clusters *clusters = &sum->clusters[hit->body];
        layers += hit->turn != 0;
        sum->result->entries += hit->turn<0, sum->result->exits += hit->turn> 0;
        volume_cluster *last = clusters->count > 0 ? &clusters->items[clusters->count - 1] : NULL;
        if (last && hit->low <= last->high)
        {
            widen_cluster(last, hit);
            continue;
        }
        int winding = last ? last->winding : 0;
        if (!base_array_reserve(sum->context, clusters, 1))
            return base_fail(sum->context, CAROM_OUT_OF_MEMORY, "image volume: no memory for a column");
        clusters->items[clusters->count++] = begin_cluster(hit, winding);
    }
    sum->result->max_layers = layers > sum->result->max_layers ? layers : sum->result->max_layers;
    return CAROM_OK;
}

/* Both lists are in order of depth. */
static void find_alone(volume_clusters *clusters, const volume_clusters *others)
{
    size_t other = 0;
    for (size_t i = 0; i < clusters->count; i++)
    {
        volume_cluster *cluster = &clusters->items[i];
        while (other < others->count && others->items[other].high < cluster->low)
            other++;
        cluster->alone = other == others->count || others->items[other].low > cluster->high;
    }
}

static void flatten_planes(volume_clusters *clusters)
{
    for (size_t i = 0; i < clusters->count; i++)
    {
        volume_cluster *cluster = &clusters->items[i];
        if (cluster->is_plane && cluster->alone)
            cluster->low = cluster->plane_low, cluster->high = cluster->plane_high;
    }
}

/* ---- along a column: which parts are inside both bodies? ---- */

typedef struct volume_walker
{
    const volume_clusters *clusters;
    size_t next;  /* cluster that begins or ends next */
    bool within;  /* it has begun */
    bool outside; /* of the body, surely */
    bool inside;  /* of the body, surely */
} volume_walker;

static double next_change(const volume_walker *walker)
{
    if (walker->next == walker->clusters->count)
        return INFINITY;
    const volume_cluster *cluster = &walker->clusters->items[walker->next];
    return walker->within ? cluster->high : cluster->low;
}

static void pass_change(volume_walker *walker)
{
    const volume_cluster *cluster = &walker->clusters->items[walker->next];
    walker->within = !walker->within;
    walker->next += !walker->within;
    walker->inside = !walker->within && cluster->winding != 0;
    walker->outside = !walker->within && cluster->winding == 0;
}

static void note_possible(volume_sum *sum, const image_column *column, double from, double to)
{
    sum->first_column = column->column < sum->first_column ? column->column : sum->first_column;
    sum->last_column = column->column > sum->last_column ? column->column : sum->last_column;
    sum->first_row = column->row < sum->first_row ? column->row : sum->first_row;
    sum->last_row = column->row > sum->last_row ? column->row : sum->last_row;
    sum->nearest = fmin(sum->nearest, from), sum->farthest = fmax(sum->farthest, to);
}

static void add_column(volume_sum *sum, const image_column *column)
{
    volume_walker walkers[2] = {{.clusters = &sum->clusters[0], .outside = true},
                                {.clusters = &sum->clusters[1], .outside = true}};
    double last = -INFINITY;
    for (;;)
    {
        double changes[2] = {next_change(&walkers[0]), next_change(&walkers[1])};
        double at = fmin(changes[0], changes[1]);
        bool possible = !walkers[0].outside && !walkers[1].outside;
        if (at == INFINITY)
            return;
        if (possible)
        {
            sum->row_possible += at - last;
            sum->row_sure += walkers[0].inside && walkers[1].inside ? at - last : 0.0;
            note_possible(sum, column, last, at);
        }
        pass_change(&walkers[changes[0] <= changes[1] ? 0 : 1]);
        last = at;
    }
}

static void end_row(volume_sum *sum)
{
    sum->sure += sum->row_sure, sum->possible += sum->row_possible;
    sum->row_sure = sum->row_possible = 0.0;
}

static carom_status on_column(const image_column *column, void *user)
{
    volume_sum *sum = user;
    if (column->row != sum->row)
        end_row(sum), sum->row = column->row;
    BASE_TRY(find_clusters(sum, column));
    if (sum->clusters[0].count == 0 || sum->clusters[1].count == 0)
        return CAROM_OK;
    find_alone(&sum->clusters[0], &sum->clusters[1]);
    find_alone(&sum->clusters[1], &sum->clusters[0]);
    flatten_planes(&sum->clusters[0]), flatten_planes(&sum->clusters[1]);
    add_column(sum, column);
    return CAROM_OK;
}

/* ---- an image ---- */

static void set_bounds(const volume_sum *sum, const carom_aabb *box, carom_aabb *out)
{
    const image_grid *grid = sum->grid;
    if (!(sum->nearest <= sum->farthest))
        return;
    /* what rounding may lose: some units in the last place, a small share of a pixel */
    double pad = grid->sample_error / grid->scale;
    double low[3], high[3];
    low[0] = grid->low[0] + (double)sum->first_column / grid->scale - pad;
    high[0] = grid->low[0] + ((double)sum->last_column + 1.0) / grid->scale + pad;
    low[1] = grid->low[1] + (double)sum->first_row / grid->scale - pad;
    high[1] = grid->low[1] + ((double)sum->last_row + 1.0) / grid->scale + pad;
    low[2] = image_grid_depth(grid, sum->nearest) - pad, high[2] = image_grid_depth(grid, sum->farthest) + pad;
    carom_aabb seen;
    for (int k = 0; k < 3; k++)
    {
        int along = (grid->axis + 1 + k) % 3;
        *vec3_part(&seen.min, along) = low[k], *vec3_part(&seen.max, along) = high[k];
    }
    *out = image_common_box(&seen, box);
}

/* More than that of what the boxes have in common is not possible. */
static double box_volume(const carom_aabb *box)
{
    carom_vec3 size = vec3_sub(box->max, box->min);
    return size.x * size.y * size.z * (1.0 + 0x1p-50);
}

static void set_volume(const volume_sum *sum, const carom_aabb *box, carom_image_volume_result *result)
{
    /* a sum of a row and one of rows are off by 2^-53 for each of their terms */
    const double rounding = 0x1p-38;
    double unit = 1.0 / (sum->grid->scale * sum->grid->scale * sum->grid->depth_scale);
    result->lower = sum->sure * unit * (1.0 - rounding);
    result->upper = fmin(sum->possible * unit * (1.0 + rounding), box_volume(box));
    result->lower = fmin(result->lower, result->upper); /* both hold: only rounding can be in the way */
    result->volume = 0.5 * result->lower + 0.5 * result->upper;
    result->error = (result->upper - result->volume) * (1.0 + rounding);
}

static void begin_result(const image_grid *grid, carom_image_volume_result *result)
{
    const carom_vec3 most = {INFINITY, INFINITY, INFINITY};
    *result = (carom_image_volume_result){.bounds = {most, vec3_scale(most, -1.0)}};
    result->axis = (carom_image_axis)(grid->axis + 1);
    result->columns = grid->columns, result->rows = grid->rows;
    result->pixel = 1.0 / grid->scale;
}

static carom_status measure(carom_image *image, image_layers *layers, const carom_aabb *box,
                            carom_image_volume_result *result)
{
    begin_result(&layers->grid, result);
    volume_sum sum = {.context = image->context, .grid = &layers->grid, .result = result};
    sum.first_column = sum.first_row = UINT32_MAX;
    sum.nearest = INFINITY, sum.farthest = -INFINITY;
    image_layers_walk walk = {.layers = layers, .pass = image->layers, .on_column = on_column, .user = &sum};
    carom_status status = image_layers_add(layers, 0);
    status = carom_failed(status) ? status : image_layers_add(layers, 1);
    status = carom_failed(status) ? status : image_layers_each(&walk);
    end_row(&sum);
    base_array_free(image->context, &sum.clusters[0]);
    base_array_free(image->context, &sum.clusters[1]);
    BASE_TRY(status);
    result->fragments = walk.fragments, result->exact_samples = walk.unsure;
    set_volume(&sum, box, result);
    set_bounds(&sum, box, &result->bounds);
    return CAROM_OK;
}

/* ---- the question ---- */

typedef struct volume_question
{
    carom_image *image;
    const carom_image_volume_def *def;
    mesh_placed bodies[2];
    carom_aabb everything, common;
    int axis;
} volume_question;

static carom_status measure_at(const volume_question *question, uint32_t side, carom_image_volume_result *result)
{
    image_layers layers = {.context = question->image->context, .bodies = {question->bodies[0], question->bodies[1]}};
    image_grid_fit(&question->common, &question->everything, question->axis, side, &layers.grid);
    carom_status status = measure(question->image, &layers, &question->common, result);
    image_layers_free(&layers);
    return status;
}

static carom_status measure_accurately(const volume_question *question, uint32_t first, uint32_t most,
                                       carom_image_volume_result *result)
{
    double accuracy = question->def->accuracy;
    for (uint32_t side = first;; side = side < most / 2 ? 2 * side : most)
    {
        BASE_TRY(measure_at(question, side, result));
        if (!(accuracy > 0.0) || question->def->resolution > 0 || result->error <= accuracy * result->volume)
            return CAROM_OK;
        if (side == most)
            return result->status = CAROM_UNKNOWN;
    }
}

static carom_status check_volume_def(carom_image *image, const carom_image_volume_def *def)
{
    BASE_TRY(image_check_axis(image, def->axis));
    if (!isfinite(def->accuracy))
        return base_fail(image->context, CAROM_NOT_FINITE, "image volume: accuracy is %g", def->accuracy);
    if (def->accuracy < 0.0)
        return base_fail(image->context, CAROM_INVALID_ARGUMENT, "image volume: accuracy is %g", def->accuracy);
    BASE_TRY(image_check_body(image, &def->a, "body a", true));
    return image_check_body(image, &def->b, "body b", true);
}

/* False: the boxes have no point in common. */
static bool prepare_question(volume_question *question)
{
    const carom_placed *placed[2] = {&question->def->a, &question->def->b};
    carom_aabb boxes[2];
    for (int i = 0; i < 2; i++)
    {
        question->bodies[i] = (mesh_placed){placed[i]->shape.mesh, NULL, &placed[i]->pose};
        boxes[i] = image_placed_box(&question->bodies[i]);
    }
    question->common = image_common_box(&boxes[0], &boxes[1]);
    question->everything = (carom_aabb){vec3_min(boxes[0].min, boxes[1].min), vec3_max(boxes[0].max, boxes[1].max)};
    const carom_aabb *common = &question->common;
    if (common->min.x > common->max.x || common->min.y > common->max.y || common->min.z > common->max.z)
        return false;
    question->axis = image_choose_axis(question->bodies, 2, common, question->def->axis);
    return true;
}

carom_status carom_image_volume(carom_image *image, const carom_image_volume_def *def,
                                carom_image_volume_result *result)
{
    if (!image || !def || !result)
        return base_fail(image ? image->context : NULL, CAROM_INVALID_ARGUMENT, "image volume: %s is null",
                         !image ? "image"
                         : !def ? "def"
                                : "result");
    *result = (carom_image_volume_result){0};
    uint32_t side, most;
    bool searches = def->accuracy > 0.0 && def->resolution == 0;
    BASE_TRY(result->status = check_volume_def(image, def));
    BASE_TRY(result->status = image_check_resolution(image, def->max_resolution, 1024, &most));
    BASE_TRY(result->status = image_check_resolution(image, def->resolution, searches ? 32 : 256, &side));
    volume_question question = {.image = image, .def = def};
    if (!prepare_question(&question))
    {
        image_grid none = {.axis = def->axis == CAROM_IMAGE_AXIS_AUTO ? 0 : (int)def->axis - 1, .scale = INFINITY};
        return begin_result(&none, result), CAROM_OK;
    }
    BASE_TRY(result->status = image_begin(image));
    carom_status status = measure_accurately(&question, side < most || !searches ? side : most, most, result);
    status = image_end(image, status);
    if (carom_failed(status))
        *result = (carom_image_volume_result){.status = status};
    return status;
}
