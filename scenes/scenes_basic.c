/* Small scenes, one difficulty each. */
#include "scenes/stage.h"

#include <stdio.h>

static const carom_vec3 ORIGIN = {0, 0, 0};

/* Two bodies of one mesh: one at rest, one passing through it while turning. */
static void add_passing_pair(stage *stage, const carom_mesh *mesh, const char *name)
{
    char numbered[32];
    snprintf(numbered, sizeof numbered, "%s-1", name);
    stage_body(stage, mesh, numbered, ORIGIN);
    snprintf(numbered, sizeof numbered, "%s-2", name);
    scenes_body *passing = stage_body(stage, mesh, numbered, numeric_vec(-1.2, 0.15, 0.1));
    stage_turn(passing, numeric_normalised(numeric_vec(1, 1, 0)), 0.2);
    stage_drift(passing, numeric_vec(0.024, 0, 0));
    stage_spin(passing, numeric_vec(0, 0, 1), 0.01);
    stage->scene->step_count = 100;
}

void stage_tori(stage *stage) { add_passing_pair(stage, stage_mesh(stage, GENERATE_TORUS, 5000, 1.0, 1), "torus"); }

void stage_knots(stage *stage)
{
    add_passing_pair(stage, stage_mesh(stage, GENERATE_TORUS_KNOT, 5000, 1.0, 1), "knot");
}

void stage_blobs(stage *stage) { add_passing_pair(stage, stage_mesh(stage, GENERATE_BLOB, 5000, 1.0, 1), "blob"); }

void stage_pipes(stage *stage)
{
    stage_body(stage, stage_mesh(stage, GENERATE_PIPE_NETWORK, 50000, 10.0, 1), "network", ORIGIN);
    scenes_body *visitor =
        stage_body(stage, stage_mesh(stage, GENERATE_TORUS, 500, 0.6, 1), "visitor", numeric_vec(-5.0, -1.0, 0.5));
    stage_drift(visitor, numeric_vec(0.05, 0.01, 0.005));
    stage_spin(visitor, numeric_normalised(numeric_vec(1, 2, 3)), 0.005);
    stage->scene->step_count = 200;
}

/* Unit boxes in a row and one on top: every contact is face on face, edge on edge or corner on corner, to the bit. */
void stage_touching_boxes(stage *stage)
{
    const carom_mesh *box = stage_mesh(stage, GENERATE_BOX, 48, 1.0, 1);
    stage_body(stage, box, "left", ORIGIN);
    stage_body(stage, box, "face", numeric_vec(1, 0, 0));
    stage_body(stage, box, "part-of-face", numeric_vec(0.25, 0.5, 1));
    stage_body(stage, box, "edge", numeric_vec(-1, 1, 0));
    stage_body(stage, box, "corner", numeric_vec(-1, -1, -1));
    stage_body(stage, box, "apart", numeric_vec(0, 0, -4));
}

void stage_nested(stage *stage)
{
    stage_body(stage, stage_mesh(stage, GENERATE_BOX, 300, 4.0, 1), "outer", ORIGIN);
    stage_body(stage, stage_mesh(stage, GENERATE_BOX, 48, 2.0, 1), "middle", ORIGIN);
    scenes_body *inner = stage_body(stage, stage_mesh(stage, GENERATE_BOX, 12, 1.0, 1), "inner", ORIGIN);
    stage_turn(inner, numeric_normalised(numeric_vec(1, 1, 1)), 0.1);
}

void stage_rubble(stage *stage)
{
    numeric_random random = {2};
    stage_crowd crowd = {ORIGIN, numeric_vec(2.5, 2.5, 2.5), 0.03, 0.01};
    for (uint64_t i = 0; i < 100; i++)
    {
        char name[32];
        snprintf(name, sizeof name, "piece-%u", (unsigned)i);
        const carom_mesh *piece = stage_mesh(stage, GENERATE_RUBBLE, 20 + 2 * (uint32_t)(i % 40), 0.8, i);
        stage_set_loose(stage_body(stage, piece, name, ORIGIN), &crowd, &random);
    }
    stage->scene->step_count = 100;
}

/* At 1e9 a double still resolves 1.2e-7: bodies keep their shape, boxes in float do not. */
void stage_far_away(stage *stage)
{
    const carom_mesh *torus = stage_mesh(stage, GENERATE_TORUS, 2000, 1.0, 1);
    double far = 1e9;
    stage_body(stage, torus, "ring", numeric_vec(far, -far, far));
    scenes_body *linked = stage_body(stage, torus, "linked", numeric_vec(far + 0.35, -far, far));
    stage_turn(linked, numeric_vec(1, 0, 0), 0.25);
    stage_body(stage, torus, "crossing", numeric_vec(far + 0.2, -far + 0.1, far + 0.05));
}

void stage_tiny(stage *stage)
{
    const carom_mesh *blob = stage_mesh(stage, GENERATE_BLOB, 2000, 1e-12, 3);
    stage_body(stage, blob, "mote-1", ORIGIN);
    scenes_body *other = stage_body(stage, blob, "mote-2", numeric_vec(4e-13, 2e-13, 0));
    stage_turn(other, numeric_vec(0, 1, 0), 0.3);
    stage_body(stage, blob, "mote-3", numeric_vec(0, 0, 5e-12));
}

static carom_vec3 place_flat(const void *user, uint32_t u, uint32_t v)
{
    double steps = *(const double *)user;
    return numeric_vec(u / steps - 0.5, v / steps - 0.5, 0.0);
}

/* Open sheets in one plane: overlapping, turned in the plane, and meeting along a border. */
void stage_coplanar_sheets(stage *stage)
{
    double steps = 16.0;
    shape flat = shape_begin();
    shape_add_sheet(&flat, &(shape_grid){16, 16, place_flat, &steps});
    const carom_mesh *sheet = stage_shape(stage, &flat, "sheet");
    stage_body(stage, sheet, "first", ORIGIN);
    stage_body(stage, sheet, "shifted", numeric_vec(0.3, 0.2, 0));
    stage_turn(stage_body(stage, sheet, "turned", numeric_vec(-0.3, 0.1, 0)), numeric_vec(0, 0, 1), 0.08);
    stage_body(stage, sheet, "at-the-border", numeric_vec(0, -1, 0));
    stage_body(stage, sheet, "above", numeric_vec(0, 0, 0.01));
}
