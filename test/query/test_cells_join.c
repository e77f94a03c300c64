/* Which segments within a triangle may cross? Whatever the search leaves out must not: all pairs of segments, with ends
 * in thirds of whole numbers, are compared in integers. */
#include "query/cells.h"
#include "query/world.h"

enum
{
    MAX_SEGMENTS = 400,
    REACH = 1 << 20
};

/* Ends in thirds. */
typedef struct segment
{
    int64_t end[2][2];
} segment;

typedef enum segments_kind
{
    ANYWHERE,
    LONG, /* from side to side */
    SHORT,
    GRID,    /* along the axes, with ends on each other */
    STAR,    /* most have one end in common, others pass through */
    LADDER,  /* nearly parallel, few across */
    FANS,    /* several stars */
    POINTED, /* nearly all through one point that is no end */
    ENDING,  /* each on the one before */
    SEGMENTS_KINDS
} segments_kind;

static int64_t any(check_random *random, int64_t reach)
{
    return (int64_t)(check_next(random) % (uint64_t)(2 * reach + 1)) - reach;
}

static void set_point(int64_t out[2], int64_t u, int64_t v) { out[0] = u, out[1] = v; }

static segment make_segment(check_random *random, segments_kind kind, int index, const segment *before)
{
    segment s;
    const int64_t centre[4][2] = {{30, 60}, {-REACH, 3}, {REACH / 6 * 3, 99}, {0, -REACH}};
    bool other = check_next(random) % 16 == 0;
    set_point(s.end[0], any(random, REACH), any(random, REACH));
    set_point(s.end[1], any(random, REACH), any(random, REACH));
    if (kind == LONG)
        s.end[0][0] = -REACH, s.end[1][0] = REACH;
    if (kind == SHORT)
        set_point(s.end[1], s.end[0][0] + any(random, REACH / 3), s.end[0][1] + any(random, REACH / 3));
    if (kind == GRID)
    {
        int64_t step = 3 * (REACH / 60), at = step * any(random, 19), from = step * any(random, 19);
        int64_t to = step * any(random, 19);
        set_point(s.end[0], index % 2 ? at : from, index % 2 ? from : at);
        set_point(s.end[1], index % 2 ? at : to, index % 2 ? to : at);
    }
    if ((kind == STAR && !other) || kind == FANS)
        memcpy(s.end[check_next(random) % 2], centre[kind == STAR ? 0 : index % 4], sizeof s.end[0]);
    if (kind == LADDER && !other)
    {
        int64_t height = any(random, REACH);
        set_point(s.end[0], -REACH + any(random, 9), height), set_point(s.end[1], REACH, height + any(random, 3000));
    }
    if (kind == POINTED && !other)
        set_point(s.end[1], 2 * centre[0][0] - s.end[0][0] + any(random, 2), 2 * centre[0][1] - s.end[0][1]);
    if (kind == ENDING)
    {
        enum
        {
            STEPS = 30
        };
        int64_t at = 1 + (int64_t)(check_next(random) % (STEPS - 1));
        for (int k = 0; index > 0 && k < 2; k++)
            s.end[0][k] = before->end[0][k] + at * ((before->end[1][k] - before->end[0][k]) / STEPS);
        for (int k = 0; k < 2; k++) /* the next one ends in a thirtieth of this one */
            s.end[1][k] = s.end[0][k] + STEPS * any(random, REACH / STEPS);
    }
    return s;
}

static int side_of(const segment *s, const int64_t p[2])
{
    int64_t cross =
        (s->end[1][0] - s->end[0][0]) * (p[1] - s->end[0][1]) - (s->end[1][1] - s->end[0][1]) * (p[0] - s->end[0][0]);
    return (cross > 0) - (cross < 0);
}

static bool share_end(const segment *a, const segment *b)
{
    for (int i = 0; i < 4; i++)
        if (memcmp(a->end[i / 2], b->end[i % 2], sizeof a->end[0]) == 0)
            return true;
    return false;
}

/* In one point, which may be an end; segments on one line have more in common or nothing. */
static bool do_cross(const segment *a, const segment *b)
{
    int sides[4] = {side_of(a, b->end[0]), side_of(a, b->end[1]), side_of(b, a->end[0]), side_of(b, a->end[1])};
    bool on_one_line = sides[0] == 0 && sides[1] == 0;
    return !on_one_line && sides[0] * sides[1] <= 0 && sides[2] * sides[3] <= 0;
}

/* Ends as cells_events.c has them: rounded, with a bound of the error, unless they are whole numbers. */
static query_cut make_cut(const segment *s, uint32_t triangle)
{
    query_cut cut = {.triangle = triangle, .edge = 3};
    for (int i = 0; i < 4; i++)
        cut.end[i / 2][i % 2] = (double)s->end[i / 2][i % 2] / 3.0;
    for (int i = 0; i < 2; i++)
    {
        cut.given[i] = s->end[i][0] % 3 == 0 && s->end[i][1] % 3 == 0;
        if (!cut.given[i])
            cut.pad = fmax(cut.pad, 0x1p-53 * fmax(fabs(cut.end[i][0]), fabs(cut.end[i][1])));
    }
    return cut;
}

static carom_mesh *make_soup(const world *w)
{
    double corners[9 * MAX_SEGMENTS];
    for (int i = 0; i < 9 * MAX_SEGMENTS; i++)
        corners[i] = i % 9 == 3 || i % 9 == 7 ? i + 0.5 : i;
    return world_mesh(w, corners, 3 * (size_t)MAX_SEGMENTS, NULL, MAX_SEGMENTS);
}

static bool is_listed(const query_words *pairs, uint64_t pair)
{
    size_t low = 0, high = pairs->count;
    while (low < high)
    {
        size_t middle = low + (high - low) / 2;
        if (pairs->items[middle] < pair)
            low = middle + 1;
        else
            high = middle;
    }
    return low < pairs->count && pairs->items[low] == pair;
}

static void join(cells_task *task, const query_cut *cuts, int count)
{
    task->cells->cuts.count = 0;
    assert_true(base_array_reserve(task->query->context, &task->cells->cuts, (size_t)count));
    memcpy(task->cells->cuts.items, cuts, (size_t)count * sizeof *cuts);
    task->cells->cuts.count = (size_t)count;
    assert_int_equal(cells_join_cuts(task), CAROM_OK);
}

/* How many pairs cross. */
static uint64_t check_join(cells_task *task, const segment *segments, int count, segments_kind kind)
{
    static query_cut cuts[MAX_SEGMENTS];
    for (int i = 0; i < count; i++)
        cuts[i] = make_cut(&segments[i], (uint32_t)i);
    join(task, cuts, count);
    const query_words *pairs = &task->cells->pairs;
    for (size_t i = 1; i < pairs->count; i++)
        assert_true(pairs->items[i - 1] < pairs->items[i]);
    uint64_t crossings = 0;
    for (int i = 0; i < count; i++)
        for (int k = i + 1; k < count; k++)
        {
            if (!do_cross(&segments[i], &segments[k]) || share_end(&segments[i], &segments[k]))
                continue;
            crossings++;
            if (!is_listed(pairs, (uint64_t)i << 32 | (uint64_t)k))
                fail_msg("kind %d, %d segments: %d and %d cross", (int)kind, count, i, k);
        }
    return crossings;
}

static void open_task(world *w, const carom_mesh *mesh, query_cells *cells, cells_task *out)
{
    *out = (cells_task){.query = w->query, .cells = cells};
    out->bodies[0].mesh.mesh = out->bodies[1].mesh.mesh = mesh;
}

static void free_cells(const world *w, query_cells *cells)
{
    base_array_free(w->context, &cells->cuts);
    base_array_free(w->context, &cells->items);
    base_array_free(w->context, &cells->pairs);
    base_array_free(w->context, &cells->order);
    base_array_free(w->context, &cells->order_space);
    base_array_free(w->context, &cells->ranks);
    base_array_free(w->context, &cells->ranks_space);
}

static void what_crosses_is_listed(void **state)
{
    (void)state;
    world w = world_open();
    carom_mesh *soup = make_soup(&w);
    query_cells cells = {0};
    cells_task task;
    open_task(&w, soup, &cells, &task);
    check_random random = {.state = 8};
    for (int kind = 0; kind < SEGMENTS_KINDS; kind++)
    {
        uint64_t crossings = 0;
        for (int round = 0; round < 40; round++)
        {
            static segment segments[MAX_SEGMENTS];
            static const int counts[] = {2, 9, 30, 120, MAX_SEGMENTS};
            int count = counts[round % 5];
            for (int i = 0; i < count; i++)
                segments[i] = make_segment(&random, (segments_kind)kind, i, i > 0 ? &segments[i - 1] : NULL);
            crossings += check_join(&task, segments, count, (segments_kind)kind);
        }
        print_message("kind %d: %llu crossings\n", kind, (unsigned long long)crossings);
        assert_true(crossings > 1000);
    }
    free_cells(&w, &cells);
    carom_mesh_destroy(soup);
    world_close(&w);
}

/* Two triangles with a common edge, one folded over the other: their edges may cross, while what each leaves in another
 * plane meets only where the common edge does. */
static void neighbours_cross_in_their_plane(void **state)
{
    (void)state;
    world w = world_open();
    const double corners[12] = {0, 0, 0, 4, 0, 0, 1, 3, 0, 3, 3, 0};
    const uint32_t indices[6] = {0, 1, 2, 1, 0, 3};
    carom_mesh *fold = world_mesh(&w, corners, 4, indices, 2);
    query_cells cells = {0};
    cells_task task;
    open_task(&w, fold, &cells, &task);
    query_cut cuts[2] = {{.end = {{4, 0}, {1, 3}}, .given = {true, true}, .triangle = 0, .edge = 1},
                         {.end = {{0, 0}, {3, 3}}, .given = {true, true}, .triangle = 1, .edge = 1}};
    join(&task, cuts, 2);
    assert_int_equal(cells.pairs.count, 1);
    cuts[0].edge = cuts[1].edge = 3;
    join(&task, cuts, 2);
    assert_int_equal(cells.pairs.count, 0);
    cuts[0].body = 1; /* the other body's triangle of that number is no neighbour */
    join(&task, cuts, 2);
    assert_int_equal(cells.pairs.count, 1);
    free_cells(&w, &cells);
    carom_mesh_destroy(fold);
    world_close(&w);
}

/* Ends that are rounded to the same doubles need not be the same point. */
static void only_exact_ends_are_shared(void **state)
{
    (void)state;
    world w = world_open();
    carom_mesh *soup = make_soup(&w);
    query_cells cells = {0};
    cells_task task;
    open_task(&w, soup, &cells, &task);
    for (int given = 0; given < 4; given++)
    {
        query_cut cuts[2] = {{.end = {{0, 0}, {1, 1}}, .pad = 0x1p-52, .triangle = 0, .edge = 3},
                             {.end = {{1, 1}, {2, 0}}, .pad = 0x1p-52, .triangle = 1, .edge = 3}};
        cuts[0].given[1] = given & 1, cuts[1].given[0] = given >> 1;
        join(&task, cuts, 2);
        assert_int_equal(cells.pairs.count, given != 3);
    }
    free_cells(&w, &cells);
    carom_mesh_destroy(soup);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_crosses_is_listed),
                                       cmocka_unit_test(neighbours_cross_in_their_plane),
                                       cmocka_unit_test(only_exact_ends_are_shared)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
