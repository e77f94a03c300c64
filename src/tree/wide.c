/* A pair of wide trees: the transform between their frames, what the pair remembers, and the order of the tests. */
#include "tree/wide.h"
#include "tree/binary_walk.h"

/* ---- a pair's frames ---- */

static inline double greater(double a, double b) { return a > b ? a : b; }
static double largest_coordinate(carom_vec3 v) { return greater(fabs(v.x), greater(fabs(v.y), fabs(v.z))); }

static carom_vec3 rotate(const double r[9], carom_vec3 v)
{
    return vec3(r[0] * v.x + r[1] * v.y + r[2] * v.z, r[3] * v.x + r[4] * v.y + r[5] * v.z,
                r[6] * v.x + r[7] * v.y + r[8] * v.z);
}

/* wide_without_dust in lanes and without a branch: rounds to a multiple of 2^-40, or to a double where that is coarser.
 */
static inline double without_dust(double x)
{
    const double coarse = 0x1.8p12; /* neighbours of it are 2^-40 apart */
    return x + coarse - coarse;
}

/* From the source's normalised frame into the target's: y_t = scale_t (R (y_s / scale_s + centre_s) + T - centre_t). */
static void set_transform(wide_transform *out, const math_relative *relative, const wide_tree *source,
                          const wide_tree *target)
{
    carom_vec3 turned = rotate(relative->rotation, source->centre);
    carom_vec3 offset = vec3_sub(vec3_add(turned, relative->translation), target->centre);
    double ratio = target->scale / source->scale;
    out->ratio = (float)ratio;
    for (int i = 0; i < 9; i++)
    {
        double clean = without_dust(relative->rotation[i]);
        out->rotation[i] = (float)clean;
        out->scaled[i] = (float)(clean * ratio);
        out->exact_scaled[i] = relative->rotation[i] * ratio;
    }
    out->exact_translation[0] = offset.x * target->scale;
    out->exact_translation[1] = offset.y * target->scale;
    out->exact_translation[2] = offset.z * target->scale;
    for (int i = 0; i < 3; i++)
        out->translation[i] = (float)without_dust(out->exact_translation[i]);
    /* Both bodies' placement, in any direction, and the sums above; the last two terms are above the rounding to float
     * and leave a relative 2^-20 for that of sums with the pad. */
    double sums = largest_coordinate(source->centre) + largest_coordinate(relative->translation) +
                  largest_coordinate(target->centre);
    double pad = (4.0 * relative->error + 16.0 * 0x1p-53 * sums) * target->scale;
    out->pad = (float)(pad * (1.0 + 0x1p-19)) + 0x1p-126f;
}

/* Squares and products of these must not overflow in float, seen from either body. */
static bool fits_floats(const wide_transform *t)
{
    const float far = 0x1p28f;
    return t->ratio <= far && t->ratio >= 1.0f / far && fabsf(t->translation[0]) <= far &&
           fabsf(t->translation[1]) <= far && fabsf(t->translation[2]) <= far && t->pad <= far;
}

bool wide_pair_begin(wide_pair *pair, const tree_task *task)
{
    pair->task = task;
    pair->tree_a = task->a->tree->wide;
    pair->tree_b = task->b->tree->wide;
    pair->margin_a = pair->margin_b = 0.0f;
    pair->violated = false;
    pair->options = NULL;
    pair->near_a = pair->near_b = 0;
    double extent = greater(task->a->mesh->extent, task->b->mesh->extent);
    math_relate(task->a->pose, task->b->pose, extent, task->defect, &pair->b_in_a);
    math_relative a_in_b = math_relative_inverse(&pair->b_in_a);
    set_transform(&pair->b_to_a, &pair->b_in_a, pair->tree_b, pair->tree_a);
    set_transform(&pair->a_to_b, &a_in_b, pair->tree_a, pair->tree_b);
    return fits_floats(&pair->b_to_a);
}

bool wide_boxes_apart(const wide_pair *pair, double limit)
{
    const double *r = pair->b_in_a.rotation;
    const carom_aabb *box_a = &pair->task->a->mesh->info.bounds, *box_b = &pair->task->b->mesh->info.bounds;
    carom_vec3 middle_a = vec3_scale(vec3_add(box_a->min, box_a->max), 0.5), half_a = vec3_sub(box_a->max, middle_a);
    carom_vec3 middle_b = vec3_scale(vec3_add(box_b->min, box_b->max), 0.5), half_b = vec3_sub(box_b->max, middle_b);
    carom_vec3 offset = vec3_sub(vec3_add(rotate(r, middle_b), pair->b_in_a.translation), middle_a);
    const double d[3] = {offset.x, offset.y, offset.z}, a[3] = {half_a.x, half_a.y, half_a.z},
                 b[3] = {half_b.x, half_b.y, half_b.z};
    /* The error of the relative pose counts its rotation's defect for all that the meshes reach. */
    double pad = limit * (1.0 + 0x1p-20) + 10.0 * pair->b_in_a.error;
    for (int i = 0; i < 3; i++)
    {
        double reach_b = fabs(r[3 * i]) * b[0] + fabs(r[3 * i + 1]) * b[1] + fabs(r[3 * i + 2]) * b[2];
        double reach_a = fabs(r[i]) * a[0] + fabs(r[3 + i]) * a[1] + fabs(r[6 + i]) * a[2];
        double along_b = r[i] * d[0] + r[3 + i] * d[1] + r[6 + i] * d[2];
        if (fabs(d[i]) > a[i] + reach_b + pad || fabs(along_b) > b[i] + reach_a + pad)
            return true;
    }
    return false;
}

static void set_options(wide_pair *pair, const narrow_search *options)
{
    pair->options = options;
    if (options->clearance > 0.0)
    {
        narrow_threshold_begin(&pair->clearance, options->clearance, true);
        pair->margin_a = math_float_up(options->clearance * pair->tree_a->scale) * (1.0f + 0x1p-20f);
        pair->margin_b = math_float_up(options->clearance * pair->tree_b->scale) * (1.0f + 0x1p-20f);
    }
}

/* ---- the pair's cache ---- */

enum
{
    RETRY_EVERY = 8 /* a shortcut that failed lately is tried only once in this many times */
};

/* What met last time is likely to meet again, if the steps are small compared to the triangles. CAROM_STOPPED if that
 * was enough. */
static carom_status test_last_pair(wide_pair *pair, tree_memory *memory)
{
    const tree_task *task = pair->task;
    tree_pair last;
    bool worth_it = memory->misses < 2 || memory->misses % RETRY_EVERY == 0;
    if (!worth_it || !tree_memory_last(task, &last) || !base_budget_spend(task->budget, 1))
        return memory->misses++, CAROM_OK;
    narrow_counts counts = {0};
    narrow_triangle a = tree_world_triangle(task->a, last.a), b = tree_world_triangle(task->b, last.b);
    uint32_t meeting =
        pair->options->need_meeting ? narrow_meet(&a, &b, &counts) : (uint32_t)narrow_touches(&a, &b, &counts);
    task->counters->triangles_tested++;
    task->counters->exact_fallbacks += counts.exact_fallbacks;
    if (meeting == CAROM_MEET_NONE)
        return memory->misses++, CAROM_OK;
    memory->misses = 0;
    pair->violated = true;
    return pair->options->on_pair(last.a, last.b, meeting, pair->options->user) ? CAROM_OK : CAROM_STOPPED;
}

/* The child around a leaf that has no more than a few dozen leaves. */
static wide_slot slot_around(const wide_tree *tree, uint32_t leaf)
{
    const uint32_t few = 64;
    uint32_t end = tree->leaf_count;
    wide_slot slot = 0;
    while (end - tree->first_leaf[slot] > few)
    {
        wide_slot lanes = wide_child(tree, slot) * WIDE_LANES;
        for (uint32_t lane = WIDE_LANES; lane-- > 0;)
        {
            if (wide_child(tree, lanes + lane) == WIDE_NO_CHILD)
                continue;
            slot = lanes + lane;
            if (tree->first_leaf[slot] <= leaf)
                break;
            end = tree->first_leaf[slot];
        }
    }
    return slot;
}

/* What met last time is likely to meet nearby. */
static void start_nearby(wide_pair *pair, const tree_memory *memory)
{
    wide_slot a = slot_around(pair->tree_a, memory->leaf_a), b = slot_around(pair->tree_b, memory->leaf_b);
    if (!(wide_child(pair->tree_a, a) & wide_child(pair->tree_b, b) & WIDE_LEAF_FLAG))
        pair->near_a = a, pair->near_b = b;
}

/* Is there a direction that separates the meshes as a whole? If they met last time, a quick search is enough. */
static bool search_direction(const carom_context *context, const mesh_placed *a, const mesh_placed *b, double limit,
                             tree_memory *memory)
{
    if (!a->tree->wide->support || !b->tree->wide->support)
        return false;
    if (!memory)
        return BASE_PICK_ISA(context, wide_support_apart)(a, b, limit, true, NULL);
    bool thorough = memory->verdict != TREE_MET || memory->since_thorough >= RETRY_EVERY;
    memory->since_thorough = thorough ? 0 : memory->since_thorough + 1;
    if (BASE_PICK_ISA(context, wide_support_apart)(a, b, limit, thorough, memory->axis))
    {
        memory->verdict = TREE_APART_AS_A_WHOLE;
        return true;
    }
    if (thorough)
        memset(memory->axis, 0, sizeof memory->axis);
    return false;
}

/* Meshes that met last time are not tested here: wide_collide starts where they met. */
bool wide_far_apart(const carom_context *context, const mesh_placed *a, const mesh_placed *b, double limit,
                    tree_memory *memory)
{
    if (memory)
        tree_memory_begin(memory, a->tree, b->tree);
    return !(memory && memory->verdict == TREE_MET) && search_direction(context, a, b, limit, memory);
}

/* The traversal, if the meshes are not apart as a whole. */
static carom_status collide_parts(wide_pair *pair, const tree_memory *memory)
{
    const narrow_search *options = pair->options;
    bool first_will_do = !options->every_pair && !options->need_meeting && !options->smallest;
    bool from_roots = !pair->task->front || pair->task->front->count == 0;
    if (memory && memory->verdict == TREE_MET && first_will_do && from_roots)
        start_nearby(pair, memory);
    return BASE_PICK_ISA(pair->task->context, wide_collide_walk)(pair);
}

/* Of meshes that met last time: true if that answers the question, with *status. */
static bool answer_from_memory(wide_pair *pair, tree_memory *memory, carom_status *status)
{
    const tree_task *task = pair->task;
    const narrow_search *options = pair->options;
    *status = options->every_pair || options->smallest ? CAROM_OK : test_last_pair(pair, memory);
    if (*status != CAROM_OK)
        return true;
    return !pair->violated && search_direction(task->context, task->a, task->b, pair->options->clearance, memory);
}

carom_status wide_collide(const tree_task *task, const narrow_search *options, bool *violated)
{
    wide_pair pair;
    if (task->a->mesh->triangle_count == 0 || task->b->mesh->triangle_count == 0)
        return CAROM_OK;
    if (!wide_pair_begin(&pair, task))
        return binary_collide(task, options, violated);
    set_options(&pair, options);
    pair.violated = *violated;
    tree_memory *memory = task->memory;
    if (memory)
        tree_memory_begin(memory, task->a->tree, task->b->tree);
    carom_status status;
    if (!memory || memory->verdict != TREE_MET || !answer_from_memory(&pair, memory, &status))
    {
        status = collide_parts(&pair, memory);
        if (memory)
            memory->verdict = pair.violated ? TREE_MET : TREE_APART_IN_PARTS;
    }
    *violated = pair.violated;
    return status;
}

/* ---- statistics ---- */

enum
{
    FACT_PARTS = 64 /* the nodes are summed up in so many parts, whatever the number of workers */
};

typedef struct fact_sums
{
    double area, volume;
    uint64_t references;
} fact_sums;

typedef struct fact_task
{
    const wide_tree *tree;
    fact_sums sums[FACT_PARTS];
} fact_task;

static double lane_area(const wide_node *node, int lane)
{
    double x = (double)node->half[0][lane], y = (double)node->half[1][lane], z = (double)node->half[2][lane];
    return x * y + y * z + z * x;
}

static double lane_volume(const wide_node *node, int lane)
{
    return (double)node->half[0][lane] * (double)node->half[1][lane] * (double)node->half[2][lane];
}

static void sum_parts(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    fact_task *task = data;
    const wide_tree *tree = task->tree;
    (void)worker;
    for (uint32_t part = first; part < last; part++)
    {
        uint32_t node = (uint32_t)((uint64_t)tree->node_count * part / FACT_PARTS);
        uint32_t end = (uint32_t)((uint64_t)tree->node_count * (part + 1) / FACT_PARTS);
        fact_sums sums = {0};
        for (; node < end; node++)
            for (int lane = 0; lane < WIDE_LANES; lane++)
            {
                uint32_t child = tree->nodes[node].child[lane];
                if (child == WIDE_NO_CHILD)
                    continue;
                uint32_t triangles = child & WIDE_LEAF_FLAG ? tree->leaves[child & ~WIDE_LEAF_FLAG].count : 0;
                double weight = triangles > 0 ? (double)triangles : 1.0;
                sums.area += weight * lane_area(&tree->nodes[node], lane);
                sums.volume += weight * lane_volume(&tree->nodes[node], lane);
                sums.references += triangles;
            }
        task->sums[part] = sums;
    }
}

void wide_tree_info(carom_context *context, const wide_tree *tree, carom_tree_info *info)
{
    info->node_count = tree->node_count > 0 ? tree->node_count - 1 : 0;
    info->leaf_count = tree->leaf_count;
    info->depth = tree->depth;
    info->bytes = tree->block_size;
    fact_task task = {.tree = tree};
    base_parallel_for(context, FACT_PARTS, 1, sum_parts, &task);
    fact_sums sum = {0};
    for (int i = 0; i < FACT_PARTS; i++)
    {
        sum.area += task.sums[i].area, sum.volume += task.sums[i].volume;
        sum.references += task.sums[i].references;
    }
    double root_area = tree->node_count > 0 ? lane_area(&tree->nodes[0], 0) : 0.0;
    double root_volume = tree->node_count > 0 ? lane_volume(&tree->nodes[0], 0) : 0.0;
    info->area_cost = root_area > 0.0 ? sum.area / root_area : 0.0;
    info->volume_cost = root_volume > 0.0 ? sum.volume / root_volume : 0.0;
    info->reference_count = sum.references;
}
