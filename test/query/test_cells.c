/* Cells of triangles and pieces of segments, each compared with the truth, where a relation needs but one of them.
 * Bodies are boxes with whole coordinates, of which some are flat, turned inside out or without a face; a linear map
 * puts them askew. What is in a body, and on its surface, is known for every cube, square, edge and corner of the grid:
 * these are counted in halves, an odd coordinate stands for what is between two planes. */
#include "query/solids.h"
#include "query/world.h"
#include "support/lattice.h"

enum
{
    SIDE = 5,
    POINTS = 2 * SIDE + 1,
    MAX_BOXES = 3,
    MAX_FACES = 6 * MAX_BOXES,
    MAX_TRIANGLES = 2 * MAX_FACES
};

typedef struct box
{
    int corner[2][3]; /* the lowest and the highest */
} box;

typedef struct face
{
    int axis;
    box box; /* flat */
} face;

typedef struct triangle
{
    int corner[3][3], face;
} triangle;

typedef struct body
{
    int box_count, face_count, triangle_count, weight[MAX_BOXES];
    box boxes[MAX_BOXES];
    face faces[MAX_FACES];
    triangle triangles[MAX_TRIANGLES];
    bool open; /* a face is left out */
    carom_mesh *mesh;
} body;

static int pick(check_random *random, int count) { return (int)(check_next(random) % (uint64_t)count); }

/* ---- bodies ---- */

/* Both triangles of a face, counterclockwise from outside if the box is, divided along one of its diagonals. */
static void add_face(body *body, const box *box, int axis, int end, int how)
{
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    const bool turned = ((how & 1) != 0) != (end == 0);
    int around[4][3];
    face *face = &body->faces[body->face_count];
    face->axis = axis, face->box = *box;
    face->box.corner[1 - end][axis] = box->corner[end][axis];
    for (int i = 0; i < 4; i++)
    {
        int k = (turned ? 3 - i : i) + (how >> 1);
        around[i][axis] = box->corner[end][axis];
        around[i][u] = box->corner[k % 4 == 1 || k % 4 == 2][u], around[i][v] = box->corner[k % 4 >= 2][v];
    }
    for (int half = 0; half < 2; half++)
    {
        static const int corners[2][3] = {{0, 1, 2}, {0, 2, 3}};
        triangle *triangle = &body->triangles[body->triangle_count++];
        triangle->face = body->face_count;
        for (int k = 0; k < 3; k++)
            memcpy(triangle->corner[k], around[corners[half][k]], sizeof around[0]);
    }
    body->face_count++;
}

static bool has_volume(const box *box)
{
    const int *low = box->corner[0], *high = box->corner[1];
    return low[0] < high[0] && low[1] < high[1] && low[2] < high[2];
}

static void add_box(body *body, check_random *random, box box, int weight)
{
    if (body->box_count == 0)
        body->open = body->open && has_volume(&box);
    int left_out = body->open && body->box_count == 0 ? pick(random, 6) : -1;
    body->boxes[body->box_count] = box;
    body->weight[body->box_count++] = weight;
    for (int i = 0; i < 6; i++)
        if (i != left_out)
            add_face(body, &box, i / 2, i % 2, (weight < 0) + 2 * pick(random, 2));
}

static box random_box(check_random *random)
{
    box box;
    for (int i = 0; i < 3; i++)
    {
        int a = pick(random, SIDE + 1), b = pick(random, SIDE + 1);
        if (a == b && pick(random, 4) > 0) /* few are flat */
            a = 0, b = 1 + pick(random, SIDE);
        box.corner[0][i] = a < b ? a : b, box.corner[1][i] = a < b ? b : a;
    }
    return box;
}

/* Some share a box, or the plane of a face, with the other body. */
static body random_body(check_random *random, const body *other)
{
    body body = {.open = pick(random, 8) == 0};
    for (int i = 1 + pick(random, MAX_BOXES); i > 0; i--)
    {
        box box = random_box(random);
        if (other && pick(random, 3) == 0)
            box = other->boxes[0];
        if (other && pick(random, 3) == 0)
        {
            box.corner[0][2] = other->boxes[0].corner[1][2];
            box.corner[1][2] = box.corner[1][2] < box.corner[0][2] ? box.corner[0][2] : box.corner[1][2];
        }
        add_box(&body, random, box, pick(random, 4) == 0 ? -1 : 1);
    }
    return body;
}

static void map_point(const int map[9], const int halves[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = 0.5 * (map[3 * i] * halves[0] + map[3 * i + 1] * halves[1] + map[3 * i + 2] * halves[2]);
}

static carom_mesh *make_mesh(const world *w, const body *body, const int map[9])
{
    double vertices[3 * MAX_TRIANGLES][3];
    for (int i = 0; i < 3 * body->triangle_count; i++)
    {
        const int *p = body->triangles[i / 3].corner[i % 3];
        map_point(map, (int[3]){2 * p[0], 2 * p[1], 2 * p[2]}, vertices[i]);
    }
    size_t count = (size_t)body->triangle_count;
    return world_mesh(w, vertices[0], 3 * count, NULL, count);
}

/* ---- the truth ---- */

static bool is_in_box(const box *box, const int at[3])
{
    for (int i = 0; i < 3; i++)
        if (at[i] < 2 * box->corner[0][i] || at[i] > 2 * box->corner[1][i])
            return false;
    return true;
}

static bool is_filled(const body *body, const int cube[3])
{
    int winding = 0;
    for (int i = 0; i < body->box_count && !body->open; i++)
        winding += is_in_box(&body->boxes[i], cube) ? body->weight[i] : 0;
    return winding != 0;
}

static bool is_on_surface(const body *body, const int at[3])
{
    for (int i = 0; i < body->face_count; i++)
        if (is_in_box(&body->faces[i].box, at))
            return true;
    return false;
}

/* How many of the cubes around it are filled: none (0), some (1) or all (2)? */
static int filling(const body *body, const int at[3])
{
    int filled = 0;
    for (int i = 0; i < 8; i++)
    {
        int cube[3];
        for (int k = 0; k < 3; k++)
            cube[k] = at[k] % 2 != 0 ? at[k] : at[k] + (i >> k & 1 ? 1 : -1);
        filled += is_filled(body, cube);
    }
    return filled == 0 ? 0 : filled < 8 ? 1 : 2;
}

static carom_relation true_relation(const body *a, const body *b)
{
    lattice_facts facts = {0};
    for (int i = 0; i < POINTS * POINTS * POINTS; i++)
    {
        const int at[3] = {i % POINTS, i / POINTS % POINTS, i / (POINTS * POINTS)};
        int full_a = filling(a, at), full_b = filling(b, at);
        bool in_a = full_a > 0 || is_on_surface(a, at), in_b = full_b > 0 || is_on_surface(b, at);
        facts.common |= in_a && in_b;
        facts.outside[0] |= in_a && !in_b, facts.outside[1] |= in_b && !in_a;
        facts.interior |= (in_a && full_b == 2) || (in_b && full_a == 2);
        facts.filled |= full_a == 2 || full_b == 2;
    }
    return lattice_relation(&facts);
}

/* ---- triangles in the planes of the grid ---- */

static int turn(const int a[3], const int b[3], const int c[3], int axis)
{
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    return (b[u] - a[u]) * (c[v] - a[v]) - (b[v] - a[v]) * (c[u] - a[u]);
}

static int turn_of(const triangle *t, int axis) { return turn(t->corner[0], t->corner[1], t->corner[2], axis); }

/* Is an edge of the triangle between it and a point, or the point on that edge's line? */
static bool is_beyond(const triangle *t, int edge, const int point[3], int axis)
{
    int side = turn(t->corner[edge], t->corner[(edge + 1) % 3], point, axis);
    return turn_of(t, axis) > 0 ? side <= 0 : side >= 0;
}

typedef struct cell_set
{
    uint32_t seen; /* a bit per kind of cell */
    bool both;
} cell_set;

static uint32_t kind_of(const cells_cell *cell)
{
    int own = cell->body, other = 1 - own;
    uint32_t kind = (uint32_t)cell->inside[other][0] | (uint32_t)cell->inside[other][1] << 1;
    if (cell->both)
        kind |=
            (uint32_t)cell->inside[own][0] << 2 | (uint32_t)cell->inside[own][1] << 3 | (uint32_t)cell->on_other << 4;
    return (uint32_t)1 << kind;
}

static bool note_cell(const cells_cell *cell, void *user)
{
    cell_set *set = user;
    set->seen |= kind_of(cell), set->both |= cell->both;
    return true;
}

/* Has the triangle a part of this square of its face? */
static bool has_part_of(const triangle *t, const int square[3], int axis)
{
    for (int edge = 0; edge < 3; edge++)
    {
        bool beyond = true;
        for (int i = 0; i < 4; i++)
        {
            int corner[3];
            corner[axis] = t->corner[0][axis];
            corner[(axis + 1) % 3] = square[(axis + 1) % 3] / 2 + (i & 1);
            corner[(axis + 2) % 3] = square[(axis + 2) % 3] / 2 + (i >> 1);
            beyond = beyond && is_beyond(t, edge, corner, axis);
        }
        if (beyond)
            return false;
    }
    return true;
}

static cells_cell true_cell(const body *bodies, int own, const int square[3], int axis, int up)
{
    cells_cell cell = {.body = own, .both = true, .on_other = is_on_surface(&bodies[1 - own], square)};
    for (int side = 0; side < 2; side++)
    {
        int cube[3] = {square[0], square[1], square[2]};
        cube[axis] += side == 0 ? up : -up;
        for (int body = 0; body < 2; body++)
            cell.inside[body][side] = is_filled(&bodies[body], cube);
    }
    return cell;
}

/* The kinds of all squares that the triangle has a part of. */
static uint32_t true_cells(const body *bodies, int own, const triangle *t, bool both)
{
    const face *face = &bodies[own].faces[t->face];
    int axis = face->axis, u = (axis + 1) % 3, v = (axis + 2) % 3, square[3];
    uint32_t seen = 0;
    square[axis] = 2 * t->corner[0][axis];
    for (square[u] = 2 * face->box.corner[0][u] + 1; square[u] < 2 * face->box.corner[1][u]; square[u] += 2)
        for (square[v] = 2 * face->box.corner[0][v] + 1; square[v] < 2 * face->box.corner[1][v]; square[v] += 2)
        {
            cells_cell cell = true_cell(bodies, own, square, axis, turn_of(t, axis) > 0 ? 1 : -1);
            cell.both = both;
            if (has_part_of(t, square, axis) && (both || !cell.on_other))
                seen |= kind_of(&cell);
        }
    return seen;
}

static bool is_apart(const triangle *a, const triangle *b, int axis)
{
    for (int edge = 0; edge < 3; edge++)
        if (is_beyond(a, edge, b->corner[0], axis) && is_beyond(a, edge, b->corner[1], axis) &&
            is_beyond(a, edge, b->corner[2], axis))
            return true;
    return false;
}

static bool have_common_area(const body *bodies, const triangle *a, const triangle *b)
{
    int axis = bodies[0].faces[a->face].axis;
    return axis == bodies[1].faces[b->face].axis && a->corner[0][axis] == b->corner[0][axis] && turn_of(a, axis) != 0 &&
           turn_of(b, axis) != 0 && !is_apart(a, b, axis) && !is_apart(b, a, axis);
}

/* ---- one pair ---- */

typedef struct pair
{
    world w;
    body bodies[2];
    const int *map;
    cells_task task;
    long seed;
} pair;

static bool check_triangle(pair *pair, int own, int triangle, cells_scope scope)
{
    cell_set found = {0};
    cells_request request = {own, (uint32_t)triangle, scope};
    assert_int_equal(cells_of_triangle(&pair->task, request, note_cell, &found), CAROM_OK);
    uint32_t truth = true_cells(pair->bodies, own, &pair->bodies[own].triangles[triangle], found.both);
    if (found.seen != truth)
        fail_msg("seed %ld: triangle %d of body %d, scope %d: kinds %x, but there are %x", pair->seed, triangle, own,
                 (int)scope, found.seen, truth);
    if (scope == CELLS_OF_BOTH)
        assert_true(found.both || truth == 0);
    return found.both;
}

/* Each triangle has the cells it should have, and what two share is looked at from one of them. */
static void check_triangles(pair *pair)
{
    bool both[2][MAX_TRIANGLES] = {{false}};
    for (int own = 0; own < 2; own++)
        for (int i = 0; i < pair->bodies[own].triangle_count; i++)
        {
            check_triangle(pair, own, i, CELLS_OF_BOTH);
            both[own][i] = check_triangle(pair, own, i, CELLS_OF_OTHER);
        }
    const body *a = &pair->bodies[0], *b = &pair->bodies[1];
    for (int i = 0; i < a->triangle_count; i++)
        for (int k = 0; k < b->triangle_count; k++)
            if (have_common_area(pair->bodies, &a->triangles[i], &b->triangles[k]) && !both[0][i] && !both[1][k])
                fail_msg("seed %ld: no cells of what triangles %d and %d share", pair->seed, i, k);
}

static bool note_piece(const cells_piece *piece, void *user)
{
    unsigned *seen = user;
    *seen |= 1u << ((unsigned)piece->on_surface | (unsigned)piece->interior << 1);
    return true;
}

static carom_vec3 world_point(const pair *pair, const int halves[3])
{
    double p[3];
    map_point(pair->map, halves, p);
    return (carom_vec3){p[0], p[1], p[2]};
}

/* A segment along an axis, or a point. */
static void check_segment(pair *pair, check_random *random)
{
    int body = pick(random, 2), axis = pick(random, 3), at[2][3];
    for (int i = 0; i < 3; i++)
        at[0][i] = at[1][i] = pick(random, POINTS);
    if (pick(random, 4) > 0)
        at[0][axis] = 2 * pick(random, SIDE + 1), at[1][axis] = 2 * pick(random, SIDE + 1);
    const carom_vec3 ends[2] = {world_point(pair, at[0]), world_point(pair, at[1])};
    unsigned found = 0, truth = 0;
    assert_int_equal(cells_of_segment(&pair->task, body, ends, note_piece, &found), CAROM_OK);
    int from = at[0][axis] < at[1][axis] ? at[0][axis] : at[1][axis], to = at[0][axis] + at[1][axis] - from;
    for (int i = from == to ? from : from + 1; i <= to; i += 2)
    {
        at[0][axis] = i;
        const cells_piece piece = {is_on_surface(&pair->bodies[body], at[0]), filling(&pair->bodies[body], at[0]) == 2};
        note_piece(&piece, &truth);
    }
    if (found != truth)
        fail_msg("seed %ld: pieces %x, but there are %x", pair->seed, found, truth);
}

static void check_cube(pair *pair, check_random *random)
{
    int body = pick(random, 2), at[3];
    bool inside;
    for (int i = 0; i < 3; i++)
        at[i] = 2 * pick(random, SIDE) + 1;
    assert_int_equal(cells_locate(&pair->task, body, world_point(pair, at), &inside), CAROM_OK);
    assert_int_equal(inside, is_filled(&pair->bodies[body], at));
}

/* The relation, decided from cells alone as well. */
static void check_relation(const pair *pair, const query_walk *walk, carom_relation reported)
{
    const query_job *job = &pair->w.query->job;
    const query_meetings meetings = {.any = job->found.count > 0,
                                     .crossing = job->found.crossing,
                                     .crossing_pair = {job->found.crossing_a, job->found.crossing_b},
                                     .keys = job->keys.items,
                                     .key_count = job->keys.count};
    query_cursor cursor = {0};
    carom_relation from_cells, truth = true_relation(&pair->bodies[0], &pair->bodies[1]);
    query_cursor_begin(&cursor);
    assert_int_equal(query_relation(pair->w.query, walk, &meetings, &cursor, &from_cells), CAROM_OK);
    query_cursor_free(pair->w.context, &cursor);
    if (reported != truth || from_cells != truth)
        fail_msg("seed %ld: %s, from cells %s, but it is %s", pair->seed, carom_relation_name(reported),
                 carom_relation_name(from_cells), carom_relation_name(truth));
}

static void check_pair(pair *pair, check_random *random)
{
    for (int i = 0; i < 2; i++)
        pair->bodies[i].mesh = make_mesh(&pair->w, &pair->bodies[i], pair->map);
    carom_placed a = world_place(pair->bodies[0].mesh, 0, 0, 0), b = world_place(pair->bodies[1].mesh, 0, 0, 0);
    carom_collide_options options = {.mode = CAROM_COLLIDE_ALL, .relation = true};
    carom_report report;
    assert_int_equal(carom_collide(pair->w.query, &a, &b, &options, &report), CAROM_OK);
    base_budget unlimited = base_budget_begin(NULL);
    carom_counters counters = {0};
    narrow_counts counts = {0};
    query_cursor cursor = {0};
    const query_walk walk = {&pair->w.query->job.question, NULL, &unlimited, &counters};
    check_relation(pair, &walk, report.relation);
    pair->task = cells_begin(pair->w.query, &walk, &cursor.cells, &counts);
    check_triangles(pair);
    for (int i = 0; i < 20; i++)
        check_segment(pair, random), check_cube(pair, random);
    query_cursor_free(pair->w.context, &cursor);
    carom_mesh_destroy(pair->bodies[0].mesh), carom_mesh_destroy(pair->bodies[1].mesh);
}

static const int MAPS[3][9] = {
    {1, 0, 0, 0, 1, 0, 0, 0, 1}, {3, 1, 0, -1, 2, 1, 1, 0, 4}, {7, -3, 2, 5, 6, -1, -4, 3, 9}};

static void cells_pieces_and_relations_of_boxes(void **state)
{
    (void)state;
    const char *scale = getenv("CAROM_TEST_SCALE"), *text = getenv("CAROM_TEST_SEED");
    const long rounds = 600 * (scale ? atol(scale) : 1), first = text ? atol(text) : 1;
    pair pair = {.w = world_open()};
    for (pair.seed = first; pair.seed < first + rounds; pair.seed++)
    {
        check_random random = {(uint64_t)pair.seed};
        pair.map = MAPS[pair.seed % 3];
        pair.bodies[0] = random_body(&random, NULL), pair.bodies[1] = random_body(&random, &pair.bodies[0]);
        check_pair(&pair, &random);
    }
    world_close(&pair.w);
}

typedef struct example
{
    carom_relation relation;
    int count; /* boxes of the first body; one of the second follows */
    box boxes[MAX_BOXES + 1];
    int weight[MAX_BOXES];
} example;

/* Where only one part of the surface tells. */
static const example EXAMPLES[] = {
    /* A box around a cavity, all of its surface in the wall: the cavity's surface. */
    {CAROM_RELATION_OVERLAPPING,
     2,
     {{{{0, 0, 0}, {5, 5, 5}}}, {{{2, 2, 2}, {3, 3, 3}}}, {{{1, 1, 1}, {4, 4, 4}}}},
     {1, -1}},
    /* The cavity hangs on walls within the body that leave the box. */
    {CAROM_RELATION_OVERLAPPING,
     3,
     {{{{2, 2, 0}, {3, 3, 2}}}, {{{2, 2, 2}, {3, 3, 3}}}, {{{0, 0, 0}, {5, 5, 5}}}, {{{1, 1, 1}, {4, 4, 4}}}},
     {1, -1, 1}},
};

static void examples(void **state)
{
    (void)state;
    pair pair = {.w = world_open()};
    for (size_t i = 0; i < sizeof EXAMPLES / sizeof *EXAMPLES; i++)
        for (pair.seed = 1; pair.seed <= 30; pair.seed++)
        {
            const example *example = &EXAMPLES[i];
            check_random random = {(uint64_t)pair.seed};
            pair.map = MAPS[pair.seed % 3], pair.bodies[0] = pair.bodies[1] = (body){0};
            for (int k = 0; k < example->count; k++)
                add_box(&pair.bodies[0], &random, example->boxes[k], example->weight[k]);
            add_box(&pair.bodies[1], &random, example->boxes[example->count], 1);
            assert_int_equal(true_relation(&pair.bodies[0], &pair.bodies[1]), example->relation);
            check_pair(&pair, &random);
        }
    world_close(&pair.w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples),
        cmocka_unit_test(cells_pieces_and_relations_of_boxes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
