/* Triangles near a ball or capsule in a wide tree: everything around the traversal of wide_near_simd.c. */
#include "tree/near.h"

static double greater(double a, double b) { return a > b ? a : b; }
static double largest_coordinate(carom_vec3 v) { return greater(fabs(v.x), greater(fabs(v.y), fabs(v.z))); }

/* Squares must not overflow in float. If the nearest triangle is needed, its distance must not be lost in rounding. */
bool wide_near_fits(const tree_near_task *task, const narrow_near *near, const near_place *place)
{
    const wide_tree *tree = task->placed->tree->wide;
    double far = near->nearest_only ? 0x1p7 : 0x1p28;
    for (int i = 0; i < 2; i++)
        if (!(largest_coordinate(vec3_sub(place->end[i], tree->centre)) * tree->scale < far))
            return false;
    return place->error * tree->scale < far;
}

/* A world length in normalised units, rounded up so far that nothing as near is lost; and down. */
static float length_above(const wide_tree *tree, double length)
{
    return (float)(length * tree->scale) * (1.0f + 0x1p-20f) + 0x1p-126f;
}

static float length_below(const wide_tree *tree, double length)
{
    const double largest = 0x1p60; /* more than any length here, and its square is finite */
    double scaled = length * tree->scale;
    return (float)(scaled < largest ? scaled : largest) * (1.0f - 0x1p-20f) - 0x1p-126f;
}

/* Growth and shrink are derived in docs/exactness.md. */
static void place_segment(wide_near_walk *walk, const near_place *place)
{
    const wide_tree *tree = walk->tree;
    double sums = greater(largest_coordinate(place->end[0]), largest_coordinate(place->end[1])) +
                  largest_coordinate(tree->centre) + 2.0 * walk->task->placed->mesh->extent;
    walk->pad = (float)((place->error + 1.75 * 0x1p-53 * sums) * tree->scale * (1.0 + 0x1p-19)) + 0x1p-126f;
    double away = 0.0, square = 0.0;
    for (int i = 0; i < 2; i++)
    {
        carom_vec3 end = vec3_scale(vec3_sub(place->end[i], tree->centre), tree->scale);
        walk->end[i][0] = end.x, walk->end[i][1] = end.y, walk->end[i][2] = end.z;
    }
    for (int k = 0; k < 3; k++)
    {
        double half = 0.5 * (walk->end[1][k] - walk->end[0][k]);
        walk->centre[k] = wide_without_dust((float)(walk->end[0][k] + half));
        walk->half[k] = wide_without_dust((float)half);
        square += (double)walk->half[k] * (double)walk->half[k];
        away += (double)walk->centre[k] * (double)walk->centre[k];
    }
    walk->inverse_square = square > 0.0 ? (float)(1.0 / square) : 0.0f;
    double near = 5.25 * (sqrt(away) + 1.6), far = 5.75 * (sqrt(away) + 1.5);
    if (!walk->is_ball)
    {
        near = 11.75 * (sqrt(away) + 1.81) + 7.75 * sqrt(square);
        far = 6.75 * (sqrt(away) + 1.56) + 6.75 * sqrt(square);
    }
    walk->growth = walk->pad * (1.0f + 0x1p-18f) + (float)near * 0x1p-24f;
    walk->shrink = walk->pad * (1.0f + 0x1p-18f) + (float)far * 0x1p-24f;
}

bool wide_near_report(wide_near_walk *walk, uint32_t triangle, bool certain)
{
    const narrow_near *near = walk->near;
    if (near->smallest && triangle >= *near->smallest)
        return true;
    walk->task->counters->filter_undecided += !certain;
    double limit = near->on_triangle(triangle, certain, near->user);
    if (limit < 0.0)
        return walk->status = CAROM_STOPPED, false;
    float above = length_above(walk->tree, limit);
    walk->limit = above < walk->limit ? above : walk->limit;
    return true;
}

/* Reports those that are still near enough, and forgets all. */
static bool report_remembered(wide_near_walk *walk)
{
    tree_scratch *scratch = walk->task->scratch;
    for (size_t i = 0; i < scratch->words.count; i++)
    {
        uint32_t bits = (uint32_t)scratch->words.items[i];
        float low;
        memcpy(&low, &bits, sizeof low);
        if (low <= walk->limit && !wide_near_report(walk, (uint32_t)(scratch->words.items[i] >> 32), false))
            return false;
    }
    scratch->words.count = 0;
    return true;
}

bool wide_near_remember(wide_near_walk *walk, uint32_t triangle, float low)
{
    tree_scratch *scratch = walk->task->scratch;
    if (scratch->words.count >= WIDE_CANDIDATE_WORDS && !report_remembered(walk))
        return false;
    if (!base_array_reserve(walk->task->context, &scratch->words, 1))
        return walk->status = CAROM_OUT_OF_MEMORY, false;
    uint32_t bits;
    memcpy(&bits, &low, sizeof bits);
    scratch->words.items[scratch->words.count++] = (uint64_t)triangle << 32 | bits;
    return true;
}

/* A lower bound of the distance of all open triangles from the segment. */
static double open_bound(const wide_near_walk *walk)
{
    const tree_scratch *scratch = walk->task->scratch;
    float low = INFINITY;
    for (size_t i = 0; i < scratch->stack.count; i++)
        low = scratch->stack.items[i].key < low ? scratch->stack.items[i].key : low;
    return sqrt((double)low) / walk->tree->scale * (1.0 - 0x1p-20);
}

void wide_near_begin(wide_near_walk *walk, const tree_near_task *task, const narrow_near *near, const near_place *place)
{
    const carom_vec3 *end = near->round->end;
    walk->task = task, walk->near = near, walk->tree = task->placed->tree->wide;
    walk->is_ball = vec3_equal(end[0], end[1]);
    walk->nodes_tested = 0, walk->status = CAROM_OK;
    place_segment(walk, place);
    walk->limit = length_above(walk->tree, near->limit);
    walk->radius = length_above(walk->tree, near->round->radius);
    walk->certain = length_below(walk->tree, near->round->radius);
    double inside = (double)walk->certain - (double)walk->shrink;
    walk->inside_square = inside > 0.0 ? (float)(inside * inside * (1.0 - WIDE_NEAR_INSIDE)) : 0.0f;
}

carom_status wide_near(const tree_near_task *task, const narrow_near *near, const near_place *place)
{
    wide_near_walk walk;
    wide_near_begin(&walk, task, near, place);
    task->scratch->words.count = 0;
    BASE_PICK_ISA(task->context, wide_near_visit)(&walk);
    task->counters->boxes_tested += walk.nodes_tested * WIDE_LANES;
    /* What is remembered is charged already and no longer on the stack: a walk that ran out of budget must not forget
     * it. */
    carom_status ended = walk.status;
    if ((ended == CAROM_OK || ended == CAROM_UNKNOWN) && !report_remembered(&walk))
        return walk.status;
    if (ended == CAROM_UNKNOWN && near->open_bound)
        *near->open_bound = open_bound(&walk);
    return ended;
}
