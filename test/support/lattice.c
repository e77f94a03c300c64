/* Polyhedra made of lattice cells, with their relations. See lattice.h. */
#include "support/lattice.h"

#include <stdlib.h>
#include <string.h>

enum
{
    DIMENSIONS = 4,
    MAX_CORNERS = 4
};

typedef struct cell
{
    int corner[MAX_CORNERS]; /* vertices, ascending; dimension + 1 of them */
} cell;

struct lattice
{
    int side, points; /* per direction */
    int count[DIMENSIONS];
    cell *cells[DIMENSIONS];
    int (*faces)[2]; /* per triangle: its tetrahedra; -1: beyond the lattice */
};

static void *must(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

static int pick(check_random *random, int count) { return (int)(check_next(random) % (uint64_t)count); }
static bool chance(check_random *random, int percent) { return pick(random, 100) < percent; }

/* ---- the cells ---- */

static int vertex_at(const lattice *lattice, const int p[3])
{
    return (p[0] * lattice->points + p[1]) * lattice->points + p[2];
}

static void place_of(const lattice *lattice, int vertex, int out[3])
{
    out[2] = vertex % lattice->points, vertex /= lattice->points;
    out[1] = vertex % lattice->points, out[0] = vertex / lattice->points;
}

static int compare_ints(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static int compare_cells(const void *a, const void *b)
{
    const cell *x = a, *y = b;
    for (int i = 0; i < MAX_CORNERS; i++)
        if (x->corner[i] != y->corner[i])
            return x->corner[i] < y->corner[i] ? -1 : 1;
    return 0;
}

static int find_cell(const lattice *lattice, int dimension, cell key)
{
    const cell *found =
        bsearch(&key, lattice->cells[dimension], (size_t)lattice->count[dimension], sizeof key, compare_cells);
    return found ? (int)(found - lattice->cells[dimension]) : -1;
}

static void add_tetrahedra(lattice *lattice, const int cube[3])
{
    for (int axis = 0; axis < 3; axis++)
        for (int high = 0; high < 2; high++)
            for (int edge = 0; edge < 4; edge++)
            {
                static const int around[5][2] = {{0, 0}, {2, 0}, {2, 2}, {0, 2}, {0, 0}};
                int p[4][3];
                for (int i = 0; i < 3; i++)
                    p[0][i] = p[1][i] = 2 * cube[i] + 1;
                p[1][axis] = p[2][axis] = p[3][axis] = 2 * cube[axis] + 2 * high;
                for (int k = 0; k < 2; k++)
                {
                    p[2 + k][(axis + 1) % 3] = 2 * cube[(axis + 1) % 3] + around[edge + k][0];
                    p[2 + k][(axis + 2) % 3] = 2 * cube[(axis + 2) % 3] + around[edge + k][1];
                }
                cell *out = &lattice->cells[3][lattice->count[3]++];
                for (int k = 0; k < 4; k++)
                    out->corner[k] = vertex_at(lattice, p[k]);
                qsort(out->corner, 4, sizeof(int), compare_ints);
            }
}

/* The cells of one dimension less that bound those of `dimension`. */
static void add_sides(lattice *lattice, int dimension)
{
    int side = dimension - 1, count = lattice->count[dimension] * (dimension + 1), kept = 0;
    cell *out = must(calloc((size_t)count + 1, sizeof *out));
    for (int i = 0; i < count; i++)
    {
        const cell *from = &lattice->cells[dimension][i / (dimension + 1)];
        out[i] = (cell){{-1, -1, -1, -1}};
        for (int k = 0, at = 0; k <= dimension; k++)
            if (k != i % (dimension + 1))
                out[i].corner[at++] = from->corner[k];
    }
    qsort(out, (size_t)count, sizeof *out, compare_cells);
    for (int i = 0; i < count; i++)
        if (i == 0 || compare_cells(&out[i], &out[i - 1]) != 0)
            out[kept++] = out[i];
    lattice->cells[side] = out, lattice->count[side] = kept;
}

static cell side_of(const cell *from, int dimension, int left_out)
{
    cell out = {{-1, -1, -1, -1}};
    for (int k = 0, at = 0; k <= dimension; k++)
        if (k != left_out)
            out.corner[at++] = from->corner[k];
    return out;
}

lattice *lattice_create(int side)
{
    lattice *lattice = must(calloc(1, sizeof *lattice));
    lattice->side = side, lattice->points = 2 * side + 1;
    lattice->cells[3] = must(malloc(sizeof(cell) * 24u * (size_t)(side * side * side)));
    for (int i = 0; i < side * side * side; i++)
        add_tetrahedra(lattice, (int[3]){i / (side * side), i / side % side, i % side});
    for (int dimension = 3; dimension > 0; dimension--)
        add_sides(lattice, dimension);
    lattice->faces = must(calloc((size_t)lattice->count[2] + 1, sizeof *lattice->faces));
    for (int i = 0; i < lattice->count[2]; i++)
        lattice->faces[i][0] = lattice->faces[i][1] = -1;
    for (int i = 0; i < lattice->count[3]; i++)
        for (int k = 0; k < 4; k++)
        {
            int *of = lattice->faces[find_cell(lattice, 2, side_of(&lattice->cells[3][i], 3, k))];
            of[of[0] >= 0] = i;
        }
    return lattice;
}

void lattice_destroy(lattice *lattice)
{
    for (int i = 0; i < DIMENSIONS; i++)
        free(lattice->cells[i]);
    free(lattice->faces);
    free(lattice);
}

/* ---- winding numbers ---- */

static void middle_of(const lattice *lattice, int tetrahedron, double out[3])
{
    out[0] = out[1] = out[2] = 0.0;
    for (int k = 0; k < 4; k++)
    {
        int p[3];
        place_of(lattice, lattice->cells[3][tetrahedron].corner[k], p);
        for (int i = 0; i < 3; i++)
            out[i] += p[i] / 4.0;
    }
}

/* A box of whole cubes, perhaps cut by slanted planes. */
static void add_box(const lattice *lattice, check_random *random, int amount, int *winding)
{
    int low[3], high[3], cut = pick(random, 3), axis = pick(random, 3), at = 2 * pick(random, 2 * lattice->side + 1);
    for (int i = 0; i < 3; i++)
    {
        int a = pick(random, lattice->side + 1), b = pick(random, lattice->side + 1);
        low[i] = 2 * (a < b ? a : b), high[i] = 2 * (a < b ? b : a);
    }
    for (int t = 0; t < lattice->count[3]; t++)
    {
        double m[3];
        middle_of(lattice, t, m);
        bool inside = true;
        for (int i = 0; i < 3; i++)
            inside = inside && m[i] > low[i] && m[i] < high[i];
        double u = m[axis], v = m[(axis + 1) % 3];
        inside = inside && (cut == 0 || (cut == 1 ? u + v < at : u - v + 2 * lattice->side < at));
        winding[t] += inside ? amount : 0;
    }
}

static void make_winding(const lattice *lattice, check_random *random, int *winding)
{
    int kind = pick(random, 5), percent = 1 + pick(random, 60);
    for (int t = 0; t < lattice->count[3]; t++)
        winding[t] = kind == 0 && chance(random, percent) ? (chance(random, 90) ? 1 : -1) : 0;
    if (kind == 0)
        return;
    add_box(lattice, random, 1, winding);
    if (kind == 2)
        add_box(lattice, random, chance(random, 50) ? 1 : 2, winding);
    if (kind >= 3)
        add_box(lattice, random, -1, winding);
    if (kind == 4)
        add_box(lattice, random, 1, winding);
}

/* ---- triangles ---- */

typedef struct corners
{
    double p[3][3];
} corners;

static void push(lattice_body *body, const corners *t)
{
    if (body->triangle_count == body->capacity)
    {
        body->capacity = 2 * body->capacity + 64;
        body->corners = must(realloc(body->corners, 3 * body->capacity * sizeof *body->corners));
    }
    memcpy(body->corners + 3 * body->triangle_count++, t->p, sizeof t->p);
}

static bool on_lattice(const double p[3])
{
    for (int i = 0; i < 3; i++)
        if (p[i] != (double)(int)p[i])
            return false;
    return true;
}

/* Whether an edge is split depends on its ends alone, so that all triangles around it agree. */
static bool is_split(const double a[3], const double b[3], uint64_t seed)
{
    if (!on_lattice(a) || !on_lattice(b))
        return false;
    uint64_t sum = seed;
    for (int i = 0; i < 3; i++)
        sum = (sum ^ (uint64_t)(a[i] + b[i])) * 0x9e3779b97f4a7c15u, sum ^= sum >> 29;
    return sum % 8 == 0;
}

static void blend(double out[3], const double a[3], const double b[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = 0.5 * (a[i] + b[i]);
}

static void emit_star(lattice_body *body, const corners *t)
{
    double side[3], middle[3];
    blend(side, t->p[0], t->p[1]);
    blend(middle, side, t->p[2]);
    for (int i = 0; i < 3; i++)
    {
        corners part = *t;
        memcpy(part.p[i], middle, sizeof middle);
        push(body, &part);
    }
}

/* With some edges split, and some triangles divided into three. */
static void emit(lattice_body *body, check_random *random, corners t, uint64_t seed)
{
    for (int i = 0; i < 3; i++)
    {
        int next = (i + 1) % 3;
        if (!is_split(t.p[i], t.p[next], seed))
            continue;
        corners left = t, right = t;
        blend(left.p[next], t.p[i], t.p[next]);
        memcpy(right.p[i], left.p[next], sizeof right.p[i]);
        emit(body, random, left, seed);
        emit(body, random, right, seed);
        return;
    }
    if (chance(random, 5))
        emit_star(body, &t);
    else
        push(body, &t);
}

static corners corners_of(const lattice *lattice, const cell *face, bool reverse)
{
    corners t;
    for (int k = 0; k < 3; k++)
    {
        int p[3];
        place_of(lattice, face->corner[reverse ? 2 - k : k], p);
        for (int i = 0; i < 3; i++)
            t.p[k][i] = p[i];
    }
    return t;
}

/* > 0 if the tetrahedron's fourth corner is on the side where the face's normal points to. */
static double side_of_tetrahedron(const lattice *lattice, int face, int tetrahedron)
{
    corners t = corners_of(lattice, &lattice->cells[2][face], false);
    double m[3], a[3], b[3], c[3];
    middle_of(lattice, tetrahedron, m);
    for (int i = 0; i < 3; i++)
        a[i] = t.p[1][i] - t.p[0][i], b[i] = t.p[2][i] - t.p[0][i], c[i] = m[i] - t.p[0][i];
    return (a[1] * b[2] - a[2] * b[1]) * c[0] + (a[2] * b[0] - a[0] * b[2]) * c[1] + (a[0] * b[1] - a[1] * b[0]) * c[2];
}

static void add_face(const lattice *lattice, lattice_body *body, check_random *random, int face, int times,
                     uint64_t seed)
{
    body->cells[2][face] |= times != 0;
    for (int i = 0; i < abs(times); i++)
        emit(body, random, corners_of(lattice, &lattice->cells[2][face], times < 0), seed);
}

static void add_boundary(const lattice *lattice, lattice_body *body, check_random *random, const int *winding,
                         uint64_t seed)
{
    for (int face = 0; face < lattice->count[2]; face++)
    {
        int above = 0, below = 0;
        for (int k = 0; k < 2; k++)
        {
            int t = lattice->faces[face][k];
            if (t >= 0)
                *(side_of_tetrahedron(lattice, face, t) > 0.0 ? &above : &below) = winding[t];
        }
        add_face(lattice, body, random, face, below - above, seed);
    }
}

static void add_degenerate(const lattice *lattice, lattice_body *body, check_random *random)
{
    int dimension = pick(random, 2), which = pick(random, lattice->count[dimension]);
    const cell *from = &lattice->cells[dimension][which];
    cell face = {{from->corner[0], from->corner[dimension], from->corner[0], -1}};
    corners t = corners_of(lattice, &face, false);
    body->cells[dimension][which] = true;
    push(body, &t);
}

/* ---- bodies ---- */

static void close_downwards(const lattice *lattice, lattice_body *body)
{
    for (int dimension = 3; dimension > 0; dimension--)
        for (int i = 0; i < lattice->count[dimension]; i++)
            for (int k = 0; body->cells[dimension][i] && k <= dimension; k++)
                body->cells[dimension - 1][find_cell(lattice, dimension - 1,
                                                     side_of(&lattice->cells[dimension][i], dimension, k))] = true;
}

static bool at_boundary(const lattice *lattice, const cell *of, int dimension)
{
    for (int axis = 0; axis < 3; axis++)
        for (int end = 0; end < 2; end++)
        {
            bool all = true;
            for (int k = 0; k <= dimension; k++)
            {
                int p[3];
                place_of(lattice, of->corner[k], p);
                all = all && p[axis] == end * 2 * lattice->side;
            }
            if (all)
                return true;
        }
    return false;
}

/* A cell is in the interior if all cells around it are in the body. */
static void find_interior(const lattice *lattice, lattice_body *body)
{
    for (int dimension = 0; dimension < 4; dimension++)
        for (int i = 0; i < lattice->count[dimension]; i++)
            body->interior[dimension][i] =
                dimension == 3 ? body->cells[3][i]
                               : body->solid && !at_boundary(lattice, &lattice->cells[dimension][i], dimension);
    for (int dimension = 3; dimension > 0; dimension--)
        for (int i = 0; i < lattice->count[dimension]; i++)
            for (int k = 0; !body->interior[dimension][i] && k <= dimension; k++)
                body->interior[dimension - 1][find_cell(lattice, dimension - 1,
                                                        side_of(&lattice->cells[dimension][i], dimension, k))] = false;
}

static void shuffle(lattice_body *body, check_random *random)
{
    for (size_t i = body->triangle_count; i > 1; i--)
    {
        corners a, b;
        size_t k = check_next(random) % i;
        int turn = pick(random, 3);
        memcpy(&a, body->corners + 3 * (i - 1), sizeof a);
        memcpy(&b, body->corners + 3 * k, sizeof b);
        memcpy(body->corners + 3 * k, &a, sizeof a);
        for (int c = 0; c < 3; c++)
            memcpy(body->corners + 3 * (i - 1) + c, b.p[(c + turn) % 3], sizeof b.p[0]);
    }
}

static lattice_body empty_body(const lattice *lattice)
{
    lattice_body body = {0};
    for (int i = 0; i < DIMENSIONS; i++)
    {
        body.cells[i] = must(calloc((size_t)lattice->count[i], sizeof(bool)));
        body.interior[i] = must(calloc((size_t)lattice->count[i], sizeof(bool)));
    }
    return body;
}

lattice_body lattice_make(const lattice *lattice, check_random *random, const lattice_body *other)
{
    lattice_body body = empty_body(lattice);
    uint64_t seed = check_next(random);
    int *winding = must(calloc((size_t)lattice->count[3], sizeof(int)));
    body.solid = !chance(random, 15);
    if (other && other->solid && chance(random, 60))
    {
        bool complement = chance(random, 30);
        for (int t = 0; t < lattice->count[3]; t++)
            winding[t] = other->cells[3][t] != complement;
        if (chance(random, 60))
            add_box(lattice, random, chance(random, 50) ? 1 : -1, winding);
    }
    else
        make_winding(lattice, random, winding);
    if (body.solid)
    {
        for (int t = 0; t < lattice->count[3]; t++)
            body.cells[3][t] = winding[t] != 0;
        add_boundary(lattice, &body, random, winding, seed);
        for (int face = pick(random, lattice->count[2]), n = chance(random, 10); n > 0; n--)
            add_face(lattice, &body, random, face, 1, seed), add_face(lattice, &body, random, face, -1, seed);
        if (chance(random, 10))
            add_degenerate(lattice, &body, random);
    }
    else
    {
        int percent = 1 + pick(random, 20);
        for (int face = 0; face < lattice->count[2]; face++)
            if (other && !other->solid && chance(random, 90) ? other->cells[2][face] : chance(random, percent))
                add_face(lattice, &body, random, face, chance(random, 50) ? 1 : -1, seed);
    }
    close_downwards(lattice, &body);
    find_interior(lattice, &body);
    shuffle(&body, random);
    free(winding);
    return body;
}

void lattice_free(lattice_body *body)
{
    for (int i = 0; i < DIMENSIONS; i++)
        free(body->cells[i]), free(body->interior[i]);
    free(body->corners);
}

lattice_facts lattice_compare(const lattice *lattice, const lattice_body *a, const lattice_body *b)
{
    lattice_facts facts = {0};
    for (int dimension = 0; dimension < DIMENSIONS; dimension++)
        for (int i = 0; i < lattice->count[dimension]; i++)
        {
            bool in_a = a->cells[dimension][i], in_b = b->cells[dimension][i];
            facts.common |= in_a && in_b;
            facts.outside[0] |= in_a && !in_b;
            facts.outside[1] |= in_b && !in_a;
            facts.interior |= (in_a && b->interior[dimension][i]) || (in_b && a->interior[dimension][i]);
            facts.filled |= a->interior[dimension][i] || b->interior[dimension][i];
        }
    return facts;
}

carom_relation lattice_relation(const lattice_facts *facts)
{
    if (!facts->common)
        return CAROM_RELATION_APART;
    if (!facts->outside[0] && !facts->outside[1])
        return CAROM_RELATION_EQUAL;
    if (facts->interior)
        return !facts->outside[0]   ? CAROM_RELATION_A_INSIDE_B
               : !facts->outside[1] ? CAROM_RELATION_B_INSIDE_A
                                    : CAROM_RELATION_OVERLAPPING;
    return facts->filled ? CAROM_RELATION_TOUCHING : CAROM_RELATION_SURFACES_MEET;
}
