/* The scenes of the sources (ARCHITECTURE.md, "Sources"), with their triangle counts. The sources give counts, kinds of
 * objects and motions, but not the models: generated shapes replace them. An odd total needs an open sheet. */
#include "scenes/stage.h"

#include <stdio.h>

static const carom_vec3 ORIGIN = {0, 0, 0};

/* Of a body that has `own` of a scene's usual number of triangles: as many as it gets of the wanted number. */
static uint32_t own_share(const stage *stage, uint32_t usual, uint32_t own, generate_kind kind)
{
    uint32_t least = generate_get_info(kind)->min_triangles;
    if (stage->triangles == 0)
        return own;
    uint32_t share = (uint32_t)((uint64_t)stage->triangles * own / usual) & ~1u;
    return share > least ? share : least;
}

/* The thesis, chapter 2: 130 objects in random motion. */
void stage_ibcd_crowd(stage *stage)
{
    static const generate_kind KINDS[] = {GENERATE_ICO_SPHERE, GENERATE_TORUS, GENERATE_BOX, GENERATE_RUBBLE,
                                          GENERATE_TORUS_KNOT};
    const carom_mesh *meshes[5];
    for (uint64_t i = 0; i < 5; i++)
        meshes[i] = stage_mesh(stage, KINDS[i], own_share(stage, 26000, 200, KINDS[i]), 1.0, i);
    numeric_random random = {130};
    stage_crowd crowd = {ORIGIN, numeric_vec(4, 4, 4), 0.05, 0.01};
    for (int i = 0; i < 130; i++)
    {
        char name[32];
        snprintf(name, sizeof name, "%s-%d", generate_get_info(KINDS[i % 5])->name, i);
        stage_set_loose(stage_body(stage, meshes[i % 5], name, ORIGIN), &crowd, &random);
    }
    stage->scene->step_count = 200;
}

/* A hand that reaches through a body. */
static scenes_body *add_hand_passing(stage *stage, const carom_mesh *hand)
{
    scenes_body *moving = stage_body(stage, hand, "hand", numeric_vec(0.05, -1.3, 0.1));
    stage_turn(moving, numeric_vec(1, 0, 0), 0.05);
    stage_drift(moving, numeric_vec(0, 0.015, 0));
    stage_spin(moving, numeric_vec(0, 1, 0), 0.002);
    stage->scene->step_count = 120;
    return moving;
}

/* The thesis, chapter 2: a moving hand. */
void stage_ibcd_hand(stage *stage)
{
    uint32_t blob = own_share(stage, 8000, 2000, GENERATE_BLOB), ring = own_share(stage, 8000, 2000, GENERATE_TORUS);
    stage_body(stage, stage_mesh(stage, GENERATE_BLOB, blob, 0.8, 2), "blob", ORIGIN);
    stage_body(stage, stage_mesh(stage, GENERATE_TORUS, ring, 1.6, 1), "ring", ORIGIN);
    uint32_t own = own_share(stage, 8000, 4000, GENERATE_HAND);
    scenes_body *hand = add_hand_passing(stage, stage_mesh(stage, GENERATE_HAND, own, 1.0, 1));
    if (hand && stage->triangles > 0) /* there and back, turned a little more each time */
        hand->motion.low.y = -1.3, hand->motion.high.y = 0.5;
}

/* The thesis, chapter 3: scenes of 21,292, 18,217, 40,419 and 18,378 triangles; the fourth is the hand again. */
void stage_scd(stage *stage)
{
    static const struct
    {
        generate_kind resting, moving;
        uint32_t resting_triangles, moving_triangles;
    } SCENES[4] = {{GENERATE_TORUS_KNOT, GENERATE_TORUS_KNOT, 10646, 10646},
                   {GENERATE_CLOTH, GENERATE_BLOB, 9217, 9000},
                   {GENERATE_TERRAIN, GENERATE_GEAR, 20419, 20000},
                   {GENERATE_TORUS, GENERATE_HAND, 9378, 9000}};
    uint32_t row = stage->variant - 1, usual = SCENES[row].resting_triangles + SCENES[row].moving_triangles;
    uint32_t at_rest = own_share(stage, usual, SCENES[row].resting_triangles, SCENES[row].resting);
    uint32_t in_motion = own_share(stage, usual, SCENES[row].moving_triangles, SCENES[row].moving);
    const carom_mesh *resting = stage_mesh(stage, SCENES[row].resting, at_rest, 1.4, 1);
    const carom_mesh *moving = stage_mesh(stage, SCENES[row].moving, in_motion, 1.0, 2);
    stage_body(stage, resting, "resting", ORIGIN);
    if (SCENES[row].moving == GENERATE_HAND)
    {
        add_hand_passing(stage, moving);
        return;
    }
    scenes_body *body = stage_body(stage, moving, "moving", numeric_vec(0.05, 0.1, 1.5));
    stage_turn(body, numeric_normalised(numeric_vec(1, 1, 0)), 0.15);
    stage_drift(body, numeric_vec(0, 0, -0.02));
    stage_spin(body, numeric_vec(0, 0, 1), 0.005);
    stage->scene->step_count = 100;
}

/* The thesis, chapter 4: 15 objects, 28,853 triangles, in random motion within bounds. */
void stage_parallel_crowd(stage *stage)
{
    static const generate_kind KINDS[] = {GENERATE_BLOB, GENERATE_TORUS, GENERATE_HAND, GENERATE_GEAR,
                                          GENERATE_TORUS_KNOT};
    numeric_random random = {15};
    stage_crowd crowd = {ORIGIN, numeric_vec(1.2, 1.2, 1.2), 0.03, 0.01};
    for (uint64_t i = 0; i < 15; i++)
    {
        char name[32];
        generate_kind kind = i == 14 ? GENERATE_CLOTH : KINDS[i % 5];
        snprintf(name, sizeof name, "%s-%u", generate_get_info(kind)->name, (unsigned)i);
        const carom_mesh *mesh = stage_mesh(stage, kind, i == 14 ? 1917 : 1924, 1.0, i);
        stage_set_loose(stage_body(stage, mesh, name, ORIGIN), &crowd, &random);
    }
    stage->scene->step_count = 100;
}

/* The thesis, chapter 4: about 10,000 and 20,000 triangles in one pair, overlapping deeply. */
void stage_parallel_pair(stage *stage)
{
    const carom_mesh *knot = stage_mesh(stage, GENERATE_TORUS_KNOT, stage->variant, 1.0, 1);
    const carom_mesh *blob = stage_mesh(stage, GENERATE_BLOB, stage->variant, 1.0, 4);
    stage_body(stage, blob, "blob", ORIGIN);
    scenes_body *moving = stage_body(stage, knot, "knot", numeric_vec(-0.5, 0.05, 0));
    stage_drift(moving, numeric_vec(0.01, 0, 0));
    stage_spin(moving, numeric_normalised(numeric_vec(1, 0, 2)), 0.01);
    stage->scene->step_count = 100;
}

/* Pieces of rubble are added in groups: a scene is the next smaller one and a group. The paper prints the scenes'
 * totals only. A closed piece has an even number of triangles: 36 or 34 in the first group, 18 or 16 later. Those are
 * smaller, too, by which the numbers of contact points are near the published ones. */
typedef struct rubble_group
{
    uint32_t pieces, triangles;
    double scale; /* 1: of 3 to 5.8 metres */
} rubble_group;

enum
{
    RUBBLE_SHAPES = 8 /* per number of triangles */
};

static void add_rubble(stage *stage, const rubble_group *group, numeric_random *random)
{
    static const stage_crowd CROWD = {{0, 0, 0}, {60, 45, 14}, 0.4, 0.01};
    const carom_mesh *shapes[2][RUBBLE_SHAPES];
    uint32_t pairs = group->triangles / 2, fewer = pairs / group->pieces;
    for (uint32_t more = 0; more < 2; more++)
        for (uint32_t i = 0; i < RUBBLE_SHAPES; i++)
            shapes[more][i] =
                stage_mesh(stage, GENERATE_RUBBLE, 2 * (fewer + more), group->scale * (3.0 + 0.4 * (double)i), 100 + i);
    for (uint32_t i = 0; i < group->pieces; i++)
    {
        uint32_t own = pairs * (i + 1) / group->pieces - pairs * i / group->pieces;
        char name[32];
        snprintf(name, sizeof name, "piece-%u", (unsigned)stage->scene->body_count - 6);
        scenes_body *piece = stage_body(stage, shapes[own - fewer][i % RUBBLE_SHAPES], name, ORIGIN);
        stage_set_loose(piece, &CROWD, random);
    }
}

/* The grid paper: five strata and a gallery, 93,079 triangles together, and loose rubble in the mined region; totals as
 * in its table 1. The uppermost stratum is the open ground. Metres. */
void stage_mine(stage *stage)
{
    static const double SIZE = 200.0;
    static const rubble_group GROUPS[] = {{50, 1768, 1.0},  {50, 876, 0.4},   {100, 1704, 0.4}, {100, 1732, 0.4},
                                          {100, 1700, 0.4}, {100, 1756, 0.4}, {100, 1704, 0.4}};
    for (uint64_t i = 0; i < 4; i++)
    {
        char name[32];
        snprintf(name, sizeof name, "stratum-%u", (unsigned)i);
        /* Neighbouring layers undulate in the same way. */
        const carom_mesh *stratum = stage_mesh(stage, GENERATE_STRATUM, 15000, SIZE, 7);
        stage_body(stage, stratum, name, numeric_vec(0, 0, SIZE * (0.2 * (double)i - 0.45)));
    }
    stage_body(stage, stage_mesh(stage, GENERATE_TERRAIN, 13079, SIZE, 8), "ground", numeric_vec(0, 0, 0.4 * SIZE));
    stage_body(stage, stage_mesh(stage, GENERATE_GALLERY, 20000, 0.8 * SIZE, 9), "gallery", ORIGIN);
    numeric_random random = {600};
    for (uint32_t i = 0; stage->scene->body_count < 6 + stage->variant && stage->status == CAROM_OK; i++)
        add_rubble(stage, &GROUPS[i], &random);
    stage->scene->step_count = 100;
}

/* The FDH paper, model 1: a tetrahedron of 400 triangles and a moving sphere of 116, 1000 steps. */
void stage_fdh_tetrahedron(stage *stage)
{
    stage_body(stage, stage_mesh(stage, GENERATE_TETRAHEDRON, 400, 2.0, 1), "tetrahedron", ORIGIN);
    numeric_random random = {3};
    stage_crowd crowd = {ORIGIN, numeric_vec(1.2, 1.2, 1.2), 0.02, 0.003};
    const carom_mesh *sphere = stage_mesh(stage, GENERATE_UV_SPHERE, 116, 0.6, 1);
    stage_set_loose(stage_body(stage, sphere, "sphere", ORIGIN), &crowd, &random);
    stage->scene->step_count = 1000;
}

/* Model 2: a resting and a moving ring of 5,000 each, 100 steps. */
void stage_fdh_rings(stage *stage)
{
    const carom_mesh *ring = stage_mesh(stage, GENERATE_TORUS, 5000, 1.0, 1);
    stage_body(stage, ring, "resting", ORIGIN);
    scenes_body *moving = stage_body(stage, ring, "moving", numeric_vec(1.3, 0, 0));
    stage_turn(moving, numeric_vec(1, 0, 0), 0.2);
    stage_drift(moving, numeric_vec(-0.026, 0, 0));
    stage_spin(moving, numeric_vec(1, 0, 0), 0.005);
    stage->scene->step_count = 100;
}

/* Model 3: pipes of 169,994 triangles and a moving hand of 404, 2528 steps. */
void stage_fdh_pipes(stage *stage)
{
    stage_body(stage, stage_mesh(stage, GENERATE_PIPE_NETWORK, 169994, 20.0, 5), "pipes", ORIGIN);
    numeric_random random = {404};
    stage_crowd crowd = {ORIGIN, numeric_vec(8, 8, 8), 0.04, 0.002};
    stage_set_loose(stage_body(stage, stage_mesh(stage, GENERATE_HAND, 404, 1.5, 1), "hand", ORIGIN), &crowd, &random);
    stage->scene->step_count = 2528;
}
