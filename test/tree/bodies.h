/* Small bodies for attacks on the wide layout: meshes from triangles, hard poses, one context per instruction set, and
 * the questions answered by all pairs. */
#ifndef TEST_BODIES_H
#define TEST_BODIES_H

#include "support/check.h"
#include "support/families.h"
#include "support/placed.h"
#include "support/soup.h"
#include "tree/wide.h"

#include <stdlib.h>

enum
{
    MAX_TRIANGLES = 512
};

static carom_context *contexts[3];
static int context_count;

static inline int open_contexts(void **state)
{
    (void)state;
    for (int simd = CAROM_SIMD_SCALAR; simd <= CAROM_SIMD_AVX2; simd++)
    {
        carom_context_def def = carom_context_def_default();
        def.simd = (carom_simd)simd;
        if (carom_context_create(&def, &contexts[context_count]) == CAROM_OK)
            context_count++;
    }
    return context_count == 0;
}

static inline int close_contexts(void **state)
{
    (void)state;
    while (context_count > 0)
        carom_context_destroy(contexts[--context_count]);
    return 0;
}

/* How much more than the default to do. */
static inline int effort(int rounds)
{
    const char *scale = getenv("CAROM_TEST_SCALE");
    double factor = scale ? atof(scale) : 1.0;
    return (int)(rounds * (factor > 0.0 ? factor : 1.0)) + 1;
}

/* ---- soups ---- */

typedef enum soup_kind
{
    SOUP_LATTICE, /* touching and equal distances are common */
    SOUP_RANDOM,
    SOUP_SLIVERS,
    SOUP_SHEETS, /* parallel faces: many ties */
    SOUP_DUST,   /* points, segments, repeated triangles */
    SOUP_KINDS
} soup_kind;

static inline carom_vec3 point(check_random *random, double half)
{
    double x = check_uniform(random, -half, half), y = check_uniform(random, -half, half);
    return vec3(x, y, check_uniform(random, -half, half));
}

static inline void make_soup(check_random *random, soup_kind kind, carom_vec3 *corners, int triangles)
{
    for (int i = 0; i < triangles; i++)
    {
        carom_vec3 base = point(random, 1.0), *c = corners + 3 * i;
        for (int k = 0; k < 3; k++)
            c[k] = vec3_add(base, point(random, 0.3));
        if (kind == SOUP_LATTICE || kind == SOUP_DUST)
            for (int k = 0; k < 9; k++)
                ((double *)&c[0])[k] = (double)family_integer(random, 0, 4);
        if (kind == SOUP_SLIVERS)
            c[2] = vec3_add(vec3_add(c[0], vec3_scale(vec3_sub(c[1], c[0]), check_uniform(random, -0.2, 1.2))),
                            point(random, exp2(check_uniform(random, -45.0, -5.0))));
        if (kind == SOUP_SHEETS)
            for (int k = 0; k < 3; k++)
                c[k].z = (double)family_integer(random, 0, 1) * 0.25;
        if (kind == SOUP_SHEETS)
            c[1].z = c[2].z = c[0].z;
        if (kind == SOUP_DUST && i % 2)
            c[2] = c[i % 4 == 1];
        if (kind == SOUP_DUST && i > 0 && i % 5 == 0)
            memcpy(c, c - 3, 3 * sizeof *c);
    }
}

/* ---- bodies ---- */

typedef struct body
{
    carom_mesh *mesh;
    carom_placed placed[6]; /* per context and preset, the same mesh */
} body;

static inline carom_tree *tree_of(carom_context *context, const carom_mesh *mesh, int preset)
{
    carom_tree_def def = carom_tree_def_preset(preset ? CAROM_TREE_TIGHT : CAROM_TREE_FAST);
    carom_tree *tree;
    assert_int_equal(carom_tree_create(context, mesh, &def, &tree), CAROM_OK);
    assert_non_null(tree->wide);
    return tree;
}

static inline int body_versions(void) { return 2 * context_count; }

static inline body body_create(const carom_vec3 *corners, size_t triangles, carom_pose pose)
{
    body out = {.mesh = soup_mesh(contexts[0], corners, triangles)};
    for (int v = 0; v < body_versions(); v++)
        out.placed[v] = (carom_placed){carom_shape_tree(tree_of(contexts[v / 2], out.mesh, v % 2)), pose};
    return out;
}

static inline void body_destroy(body *b)
{
    for (int v = 0; v < body_versions(); v++)
        carom_tree_destroy((carom_tree *)b->placed[v].shape.tree);
    carom_mesh_destroy(b->mesh);
}

/* A rotation; defect: how far its columns are from orthonormal, which a pose may be by 1e-9. */
static inline carom_pose random_pose(check_random *random, double reach, double defect)
{
    double q[4];
    for (int i = 0; i < 4; i++)
        q[i] = check_uniform(random, -1.0, 1.0);
    double x = check_uniform(random, -reach, reach), y = check_uniform(random, -reach, reach);
    carom_pose pose = carom_pose_from_quaternion(q, vec3(x, y, check_uniform(random, -reach, reach)));
    if (defect == 0.0)
        return pose;
    double stretch = check_uniform(random, -0.5, 0.5) * defect, bent[9];
    for (int i = 0; i < 9; i++)
        bent[i] = pose.rotation[i] * (1.0 + stretch);
    int from = family_integer(random, 0, 2), to = (from + family_integer(random, 1, 2)) % 3;
    for (int i = 0; i < 3; i++)
        bent[3 * i + to] += 0.45 * defect * pose.rotation[3 * i + from];
    carom_pose candidate = pose;
    memcpy(candidate.rotation, bent, sizeof bent);
    return carom_pose_check(&candidate) == CAROM_OK ? candidate : pose;
}

/* Where a world point lies in the frame of a pose. */
static inline carom_vec3 to_own_frame(const carom_pose *pose, carom_vec3 world)
{
    carom_vec3 d = vec3_sub(world, pose->translation);
    const double *r = pose->rotation;
    return vec3(r[0] * d.x + r[3] * d.y + r[6] * d.z, r[1] * d.x + r[4] * d.y + r[7] * d.z,
                r[2] * d.x + r[5] * d.y + r[8] * d.z);
}

/* ---- questions ---- */

typedef struct question
{
    tree_task task;
    mesh_placed a, b;
    tree_scratch scratch;
    base_budget budget;
    carom_counters counters;
} question;

static inline void question_begin(question *q, carom_context *context, const carom_placed *a, const carom_placed *b)
{
    *q = (question){.scratch.context = context};
    q->budget = base_budget_begin(&(carom_budget){0});
    q->a = placed_tree(a), q->b = placed_tree(b);
    q->task = (tree_task){.context = context, .a = &q->a, .b = &q->b, .defect = math_pair_defect(&a->pose, &b->pose)};
    q->task.scratch = &q->scratch, q->task.budget = &q->budget, q->task.counters = &q->counters;
}

static inline void question_end(question *q) { tree_scratch_free(&q->scratch); }

/* What was reported, by triangle_a * MAX_TRIANGLES + triangle_b; for small meshes. */
typedef struct meeting_table
{
    uint32_t count_b;
    uint8_t *meeting, *times;
} meeting_table;

static inline bool note_pair(uint32_t a, uint32_t b, uint32_t meeting, void *user)
{
    meeting_table *table = user;
    table->meeting[(size_t)a * table->count_b + b] = (uint8_t)meeting;
    table->times[(size_t)a * table->count_b + b]++;
    return true;
}

#endif
