/* Hulls as half-spaces, triangles clipped by them, in rationals. */
#include "support/patches.h"

#include "support/check.h"

#include <gmp.h>
#include <stdlib.h>
#include <string.h>

typedef mpq_t point3[3];

enum
{
    SPACES = 4096,
    CORNERS = 64
};

/* normal . x <= offset */
typedef struct half_space
{
    point3 normal;
    mpq_t offset;
} half_space;

typedef struct truth
{
    const carom_mesh *mesh;
    const uint32_t *merged; /* per vertex the smallest with the same position */
    point3 points[PATCHES_VERTICES];
    uint32_t vertices[PATCHES_VERTICES];
    int count;
    half_space spaces[SPACES];
    int space_count;
    point3 polygon[2][CORNERS];
    mpq_t t[8], height[CORNERS];
    point3 u, v, n, r;
} truth;

static void init3(mpq_t *p)
{
    for (int i = 0; i < 3; i++)
        mpq_init(p[i]);
}

static truth *truth_create(void)
{
    truth *o = calloc(1, sizeof *o);
    assert_non_null(o);
    for (int i = 0; i < PATCHES_VERTICES; i++)
        init3(o->points[i]);
    for (int i = 0; i < SPACES; i++)
        init3(o->spaces[i].normal), mpq_init(o->spaces[i].offset);
    for (int i = 0; i < CORNERS; i++)
        init3(o->polygon[0][i]), init3(o->polygon[1][i]), mpq_init(o->height[i]);
    for (int i = 0; i < 8; i++)
        mpq_init(o->t[i]);
    init3(o->u), init3(o->v), init3(o->n), init3(o->r);
    return o;
}

static void clear3(mpq_t *p)
{
    for (int i = 0; i < 3; i++)
        mpq_clear(p[i]);
}

static void truth_destroy(truth *o)
{
    for (int i = 0; i < PATCHES_VERTICES; i++)
        clear3(o->points[i]);
    for (int i = 0; i < SPACES; i++)
        clear3(o->spaces[i].normal), mpq_clear(o->spaces[i].offset);
    for (int i = 0; i < CORNERS; i++)
        clear3(o->polygon[0][i]), clear3(o->polygon[1][i]), mpq_clear(o->height[i]);
    for (int i = 0; i < 8; i++)
        mpq_clear(o->t[i]);
    clear3(o->u), clear3(o->v), clear3(o->n), clear3(o->r);
    free(o);
}

static void set3(mpq_t *out, carom_vec3 p) { mpq_set_d(out[0], p.x), mpq_set_d(out[1], p.y), mpq_set_d(out[2], p.z); }

static void subtract(mpq_t *out, mpq_t *a, mpq_t *b)
{
    for (int i = 0; i < 3; i++)
        mpq_sub(out[i], a[i], b[i]);
}

static void dot(truth *o, mpq_t out, mpq_t *a, mpq_t *b)
{
    mpq_mul(out, a[0], b[0]);
    for (int i = 1; i < 3; i++)
        mpq_mul(o->t[7], a[i], b[i]), mpq_add(out, out, o->t[7]);
}

static void cross(truth *o, mpq_t *out, mpq_t *a, mpq_t *b)
{
    for (int i = 0; i < 3; i++)
    {
        mpq_mul(out[i], a[(i + 1) % 3], b[(i + 2) % 3]);
        mpq_mul(o->t[7], a[(i + 2) % 3], b[(i + 1) % 3]);
        mpq_sub(out[i], out[i], o->t[7]);
    }
}

static bool is_zero(mpq_t *a) { return mpq_sgn(a[0]) == 0 && mpq_sgn(a[1]) == 0 && mpq_sgn(a[2]) == 0; }

/* Keeps o->n . x <= o->n . at if all points are there. */
static void offer_space(truth *o, mpq_t *at)
{
    if (is_zero(o->n))
        return;
    dot(o, o->t[0], o->n, at);
    for (int i = 0; i < o->count; i++)
    {
        dot(o, o->t[1], o->n, o->points[i]);
        if (mpq_cmp(o->t[1], o->t[0]) > 0)
            return;
    }
    assert_true(o->space_count < SPACES);
    half_space *space = &o->spaces[o->space_count++];
    for (int i = 0; i < 3; i++)
        mpq_set(space->normal[i], o->n[i]);
    mpq_set(space->offset, o->t[0]);
}

static void negate(mpq_t *a)
{
    for (int i = 0; i < 3; i++)
        mpq_neg(a[i], a[i]);
}

/* The half-spaces at both sides of three points; true if both have all points: the hull is flat. */
static bool offer_triple(truth *o, int i, int k, int m)
{
    int before = o->space_count;
    subtract(o->u, o->points[k], o->points[i]), subtract(o->v, o->points[m], o->points[i]);
    cross(o, o->n, o->u, o->v);
    offer_space(o, o->points[i]);
    negate(o->n);
    offer_space(o, o->points[i]);
    return o->space_count == before + 2;
}

/* Half-spaces that bound the hull: through all triples, and for a flat one through pairs, across the plane. */
static void find_spaces(truth *o)
{
    bool flat = false;
    o->space_count = 0;
    for (int i = 0; i < o->count && !flat; i++)
        for (int k = i + 1; k < o->count && !flat; k++)
            for (int m = k + 1; m < o->count && !flat; m++)
                flat = offer_triple(o, i, k, m);
    if (!flat)
        return;
    for (int i = 0; i < 3; i++)
        mpq_set(o->r[i], o->spaces[0].normal[i]);
    for (int i = 0; i < o->count; i++)
        for (int k = 0; k < o->count; k++)
        {
            subtract(o->u, o->points[k], o->points[i]);
            cross(o, o->n, o->u, o->r);
            if (k != i)
                offer_space(o, o->points[i]);
        }
}

/* Clips polygon[*at] by one half-space; returns the new number of corners. */
static int clip(truth *o, half_space *space, int *at, int count)
{
    point3 *in = o->polygon[*at], *out = o->polygon[1 - *at];
    int made = 0;
    for (int i = 0; i < count; i++)
    {
        dot(o, o->height[i], space->normal, in[i]);
        mpq_sub(o->height[i], o->height[i], space->offset);
    }
    for (int i = 0; i < count; i++)
    {
        int next = (i + 1) % count, a = mpq_sgn(o->height[i]), b = mpq_sgn(o->height[next]);
        assert_true(made + 2 < CORNERS);
        if (a <= 0)
        {
            for (int k = 0; k < 3; k++)
                mpq_set(out[made][k], in[i][k]);
            made++;
        }
        if (a * b < 0)
        {
            mpq_sub(o->t[2], o->height[i], o->height[next]), mpq_div(o->t[2], o->height[i], o->t[2]);
            for (int k = 0; k < 3; k++)
            {
                mpq_sub(o->t[3], in[next][k], in[i][k]), mpq_mul(o->t[3], o->t[3], o->t[2]);
                mpq_add(out[made][k], in[i][k], o->t[3]);
            }
            made++;
        }
    }
    *at = 1 - *at;
    return made;
}

static int clip_triangle(truth *o, uint32_t triangle, int *at)
{
    const uint32_t *index = carom_mesh_indices(o->mesh) + 3 * (size_t)triangle;
    int count = 3;
    *at = 0;
    for (int i = 0; i < 3; i++)
        set3(o->polygon[0][i], carom_mesh_vertices(o->mesh)[index[i]]);
    for (int i = 0; i < o->space_count && count > 0; i++)
        count = clip(o, &o->spaces[i], at, count);
    return count;
}

static bool same(mpq_t *a, mpq_t *b) { return mpq_equal(a[0], b[0]) && mpq_equal(a[1], b[1]) && mpq_equal(a[2], b[2]); }

static bool is_between(truth *o, mpq_t *p, mpq_t *a, mpq_t *b)
{
    subtract(o->u, b, a), subtract(o->v, p, a);
    cross(o, o->n, o->u, o->v);
    dot(o, o->t[0], o->u, o->v), dot(o, o->t[1], o->u, o->u);
    return is_zero(o->n) && mpq_sgn(o->t[0]) >= 0 && mpq_cmp(o->t[0], o->t[1]) <= 0;
}

static int find_vertex(const truth *o, uint32_t vertex)
{
    for (int i = 0; i < o->count; i++)
        if (o->vertices[i] == o->merged[vertex])
            return i;
    return -1;
}

/* Everything in common with the hull is between shared vertices, at most an edge. */
static void check_stranger(truth *o, uint32_t piece, uint32_t triangle, patches_count *counts)
{
    const uint32_t *index = carom_mesh_indices(o->mesh) + 3 * (size_t)triangle;
    int shared[3], shared_count = 0, at;
    for (int i = 0; i < 3; i++)
    {
        int found = find_vertex(o, index[i]);
        bool known = found < 0;
        for (int k = 0; k < shared_count && !known; k++)
            known = shared[k] == found;
        if (!known)
            shared[shared_count++] = found;
    }
    int count = clip_triangle(o, triangle, &at);
    counts->strangers++;
    counts->touching += count > 0;
    for (int i = 0; i < count; i++)
    {
        bool fine = false;
        for (int k = 0; k < shared_count && !fine; k++)
            for (int m = k; m < shared_count && !fine; m++)
                fine = k == m ? same(o->polygon[at][i], o->points[shared[k]])
                              : is_between(o, o->polygon[at][i], o->points[shared[k]], o->points[shared[m]]);
        if (!fine)
            fail_msg("the hull of piece %u meets triangle %u, with %d shared vertices", piece, triangle, shared_count);
    }
}

/* All points are on one side of all triangles, the same side. */
static void check_on_hull(truth *o, uint32_t piece, const uint32_t *triangles, uint32_t count)
{
    bool inside = true, outside = true;
    for (uint32_t i = 0; i < count; i++)
    {
        const uint32_t *index = carom_mesh_indices(o->mesh) + 3 * (size_t)triangles[i];
        for (int k = 0; k < 3; k++)
            set3(o->polygon[0][k], carom_mesh_vertices(o->mesh)[index[k]]);
        subtract(o->u, o->polygon[0][1], o->polygon[0][0]), subtract(o->v, o->polygon[0][2], o->polygon[0][0]);
        cross(o, o->n, o->u, o->v);
        if (count > 1)
            assert_false(is_zero(o->n));
        for (int k = 0; k < o->count; k++)
        {
            subtract(o->u, o->points[k], o->polygon[0][0]);
            dot(o, o->t[0], o->u, o->n);
            inside &= mpq_sgn(o->t[0]) <= 0, outside &= mpq_sgn(o->t[0]) >= 0;
        }
    }
    if (!inside && !outside)
        fail_msg("piece %u is not on its hull", piece);
}

static bool collect(truth *o, const uint32_t *triangles, uint32_t count)
{
    o->count = 0;
    for (uint32_t i = 0; i < 3 * count; i++)
    {
        uint32_t vertex = o->merged[carom_mesh_indices(o->mesh)[3 * (size_t)triangles[i / 3] + i % 3]];
        if (find_vertex(o, vertex) >= 0)
            continue;
        if (o->count == PATCHES_VERTICES)
            return false;
        set3(o->points[o->count], carom_mesh_vertices(o->mesh)[vertex]);
        o->vertices[o->count++] = vertex;
    }
    return true;
}

static uint32_t *merge(const carom_mesh *mesh)
{
    carom_mesh_info info = carom_mesh_get_info(mesh);
    const carom_vec3 *p = carom_mesh_vertices(mesh);
    uint32_t *merged = malloc((info.vertex_count + 1) * sizeof *merged);
    assert_non_null(merged);
    for (uint32_t i = 0; i < info.vertex_count; i++)
        for (merged[i] = 0; merged[i] < i; merged[i]++)
            if (p[i].x == p[merged[i]].x && p[i].y == p[merged[i]].y && p[i].z == p[merged[i]].z)
                break;
    return merged;
}

patches_count patches_verify(const carom_mesh *mesh, const carom_pieces *pieces)
{
    patches_count counts = {0};
    carom_mesh_info info = carom_mesh_get_info(mesh);
    uint32_t *merged = merge(mesh), *owner = malloc((info.triangle_count + 1) * sizeof *owner);
    truth *o = truth_create();
    assert_non_null(owner);
    memset(owner, 0xff, info.triangle_count * sizeof *owner);
    o->mesh = mesh, o->merged = merged;
    uint32_t piece_count = carom_pieces_get_info(pieces).piece_count, total = 0;
    for (uint32_t piece = 0; piece < piece_count; piece++)
    {
        uint32_t count;
        const uint32_t *triangles = carom_pieces_triangles(pieces, piece, &count);
        for (uint32_t i = 0; i < count; i++)
        {
            assert_true(triangles[i] < info.triangle_count && owner[triangles[i]] == UINT32_MAX);
            owner[triangles[i]] = piece, total++;
        }
    }
    assert_int_equal(total, info.triangle_count);
    for (uint32_t piece = 0; piece < piece_count; piece++)
    {
        uint32_t count;
        const uint32_t *triangles = carom_pieces_triangles(pieces, piece, &count);
        if (!collect(o, triangles, count))
        {
            counts.skipped++;
            continue;
        }
        counts.pieces++;
        check_on_hull(o, piece, triangles, count);
        if (count == 1)
            continue;
        find_spaces(o);
        for (uint32_t i = 0; i < info.triangle_count; i++)
            if (owner[i] != piece)
                check_stranger(o, piece, i, &counts);
    }
    truth_destroy(o);
    free(owner), free(merged);
    return counts;
}

void patches_verify_boxes(const carom_mesh *mesh, const carom_pieces *pieces)
{
    truth *o = truth_create();
    for (uint32_t i = 0; i < carom_pieces_get_info(pieces).node_count; i++)
    {
        carom_pieces_node node;
        assert_int_equal(carom_pieces_get_node(pieces, i, &node), CAROM_OK);
        point3 *axis = o->polygon[0], *row = o->polygon[1];
        for (int k = 0; k < 3; k++)
            set3(axis[k], node.axis[k]);
        for (int k = 0; k < 3; k++)
            cross(o, row[k], axis[(k + 1) % 3], axis[(k + 2) % 3]);
        dot(o, o->t[0], axis[0], row[0]);
        assert_true(mpq_sgn(o->t[0]) > 0);
        set3(o->u, node.centre);
        for (uint32_t v = 0; v < node.vertex_count; v++)
        {
            set3(o->v, carom_mesh_vertices(mesh)[node.vertices[v]]);
            subtract(o->n, o->v, o->u);
            for (int k = 0; k < 3; k++)
            {
                dot(o, o->t[1], row[k], o->n);
                mpq_div(o->t[1], o->t[1], o->t[0]), mpq_abs(o->t[1], o->t[1]);
                mpq_set_d(o->t[2], node.half[k]);
                if (mpq_cmp(o->t[1], o->t[2]) > 0)
                    fail_msg("vertex %u is outside of the box of node %u", node.vertices[v], i);
            }
        }
    }
    truth_destroy(o);
}
