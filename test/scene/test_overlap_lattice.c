/* Bodies on a lattice that meet boxes and probes on it: what meets what is decided in integers. */
#include "query/world.h"

typedef struct block
{
    int64_t low[3], high[3];
} block;

/* A body or a probe on the lattice. */
typedef struct piece
{
    enum
    {
        SOLID, /* a closed box */
        TRAY,  /* a box without its lid: five faces */
        BALL   /* around `low` */
    } kind;
    block at;
    int64_t radius;
} piece;

static bool blocks_meet(const block *a, const block *b)
{
    for (int k = 0; k < 3; k++)
        if (a->low[k] > b->high[k] || b->low[k] > a->high[k])
            return false;
    return true;
}

static bool ball_meets(const piece *ball, const block *b)
{
    int64_t square = 0;
    for (int k = 0; k < 3; k++)
    {
        int64_t p = ball->at.low[k], d = p < b->low[k] ? b->low[k] - p : p > b->high[k] ? p - b->high[k] : 0;
        square += d * d;
    }
    return square <= ball->radius * ball->radius;
}

/* The point sets of a piece as blocks; a ball has none. */
static int blocks_of(const piece *p, block out[5])
{
    out[0] = p->at;
    if (p->kind != TRAY)
        return p->kind == SOLID;
    int count = 0;
    for (int face = 0; face < 6; face++)
    {
        if (face == 5) /* the lid: high z */
            continue;
        out[count] = p->at;
        int axis = face % 3;
        out[count].low[axis] = out[count].high[axis] = face < 3 ? p->at.low[axis] : p->at.high[axis];
        count++;
    }
    return count;
}

static bool pieces_meet(const piece *a, const piece *b)
{
    block of_a[5], of_b[5];
    int count_a = blocks_of(a, of_a), count_b = blocks_of(b, of_b);
    if (a->kind == BALL && b->kind == BALL)
    {
        int64_t square = 0, reach = a->radius + b->radius;
        for (int k = 0; k < 3; k++)
            square += (a->at.low[k] - b->at.low[k]) * (a->at.low[k] - b->at.low[k]);
        return square <= reach * reach;
    }
    for (int i = 0; i < count_a && b->kind == BALL; i++)
        if (ball_meets(b, &of_a[i]))
            return true;
    for (int i = 0; i < count_b && a->kind == BALL; i++)
        if (ball_meets(a, &of_b[i]))
            return true;
    for (int i = 0; i < count_a; i++)
        for (int k = 0; k < count_b; k++)
            if (blocks_meet(&of_a[i], &of_b[k]))
                return true;
    return false;
}

static piece random_piece(check_random *random, int kind)
{
    piece p = {.kind = kind, .radius = (int64_t)(check_next(random) % 4)};
    for (int k = 0; k < 3; k++)
    {
        p.at.low[k] = (int64_t)(check_next(random) % 14);
        p.at.high[k] = p.at.low[k] + (int64_t)(check_next(random) % 7);
    }
    return p;
}

static carom_mesh *piece_mesh(const world *w, const piece *p, double scale)
{
    double low[3], high[3], vertices[24];
    for (int k = 0; k < 3; k++)
        low[k] = scale * (double)p->at.low[k], high[k] = scale * (double)p->at.high[k];
    world_box_vertices(low, high, vertices);
    static const uint32_t tray[30] = {0, 2, 1, 0, 3, 2, 0, 1, 5, 0, 5, 4, 1, 2, 6,
                                      1, 6, 5, 2, 3, 7, 2, 7, 6, 3, 0, 4, 3, 4, 7};
    return p->kind == TRAY ? world_mesh(w, vertices, 8, tray, 10) : world_mesh(w, vertices, 8, WORLD_BOX_INDICES, 12);
}

static carom_placed piece_placed(const world *w, const piece *p, double scale, carom_mesh **mesh)
{
    const int64_t *c = p->at.low;
    *mesh = p->kind == BALL ? NULL : piece_mesh(w, p, scale);
    carom_placed ball = {carom_shape_sphere(scale * (double)p->radius),
                         carom_pose_translation(scale * (double)c[0], scale * (double)c[1], scale * (double)c[2])};
    return *mesh ? (carom_placed){carom_shape_mesh(*mesh), carom_pose_identity()} : ball;
}

static carom_aabb piece_box(const piece *p, double scale)
{
    const int64_t *low = p->at.low, *high = p->at.high;
    return (carom_aabb){{scale * (double)low[0], scale * (double)low[1], scale * (double)low[2]},
                        {scale * (double)high[0], scale * (double)high[1], scale * (double)high[2]}};
}

enum
{
    PIECES = 40,
    PROBES = 60
};

static void compare_pieces(const carom_overlap_report *report, const piece *bodies, const piece *probes)
{
    assert_int_equal(report->probe_count, PROBES);
    for (uint32_t i = 0; i < PROBES; i++)
    {
        uint64_t next = report->first_body[i];
        for (uint32_t b = 0; b < PIECES; b++)
        {
            bool listed = next < report->first_body[i + 1] && report->bodies[next].index == b + 1;
            if (listed != pieces_meet(&bodies[b], &probes[i]))
                fail_msg("probe %u (kind %d) and body %u (kind %d): listed %d", i, (int)probes[i].kind, b,
                         (int)bodies[b].kind, listed);
            next += listed;
        }
        assert_int_equal(next, report->first_body[i + 1]);
    }
}

static void lattices_agree_with_integers(void **state)
{
    (void)state;
    static const double scales[4] = {1.0, 0x1p-30, 0x1p40, 0x1p-900};
    check_random random = {.state = 60};
    uint64_t found = 0;
    for (int round = 0; round < 24; round++)
    {
        world w = world_open();
        carom_scene *scene = world_scene(&w);
        piece bodies[PIECES], boxes[PROBES], probes[PROBES];
        carom_mesh *meshes[PIECES], *probe_meshes[PROBES];
        carom_aabb world_boxes[PROBES];
        carom_placed placed[PROBES];
        double scale = scales[round % 4];
        for (int i = 0; i < PIECES; i++)
        {
            bodies[i] = random_piece(&random, i % 3);
            world_add(scene, piece_placed(&w, &bodies[i], scale, &meshes[i]));
        }
        for (int i = 0; i < PROBES; i++)
        {
            boxes[i] = random_piece(&random, SOLID);
            world_boxes[i] = piece_box(&boxes[i], scale);
            probes[i] = random_piece(&random, i % 3);
            placed[i] = piece_placed(&w, &probes[i], scale, &probe_meshes[i]);
        }
        carom_overlap_report report;
        carom_box_batch box_batch = {world_boxes, PROBES, 0};
        assert_int_equal(carom_scene_overlap_boxes(scene, &box_batch, &report), CAROM_OK);
        compare_pieces(&report, bodies, boxes);
        found += report.body_count;
        carom_probe_batch batch = {placed, PROBES, 0};
        assert_int_equal(carom_scene_overlap(scene, &batch, &report), CAROM_OK);
        compare_pieces(&report, bodies, probes);
        carom_scene_destroy(scene);
        for (int i = 0; i < PIECES; i++)
            carom_mesh_destroy(meshes[i]);
        for (int i = 0; i < PROBES; i++)
            carom_mesh_destroy(probe_meshes[i]);
        world_close(&w);
    }
    assert_true(found > 24 * PROBES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lattices_agree_with_integers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
