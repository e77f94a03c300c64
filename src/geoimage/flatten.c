/* Mapping the inside of a disk whose border is fixed: every inner vertex is a convex combination of its neighbours,
 * with the weights of Floater, Mean value coordinates, 2003. In exact arithmetic that never folds over (Floater,
 * One-to-one piecewise linear mappings over triangulations, 2003) once no inner edge joins two vertices of the border;
 * in doubles it may where the map shrinks too much, so every triangle is checked, exactly.
 *
 * Then the stretch is reduced as in Yoshizawa, Belyaev and Seidel, A fast and simple stretch-minimizing mesh
 * parameterization, 2004: vertices whose triangles are stretched get less weight, and the system is solved again. */
#include "geoimage/geoimage.h"

/* Bounds of the tangent of half an angle and of an edge's length (the chart's is about 1): beyond them, weights would
 * differ by more than doubles can balance. */
#define MIN_TANGENT   0x1p-20
#define MAX_TANGENT   0x1p20
#define MIN_LENGTH    0x1p-40
#define MIN_COTANGENT 0x1p-7 /* of the sum of two; they may be negative */

static bool is_chord(const geoimage_disk *disk, uint32_t half)
{
    return disk->twin.items[half] != GEOIMAGE_NONE && disk->vertex.items[geoimage_start(disk, half)].on_border &&
           disk->vertex.items[geoimage_end(disk, half)].on_border;
}

/* An edge between two vertices of the border may lie on one side of the rectangle, with all that it cuts off. Splitting
 * gives half-edges new, higher numbers; they are met again. */
static bool split_chords(geoimage_disk *disk)
{
    uint32_t moved[2];
    for (uint32_t half = 0; half < disk->corner.count; half++)
        if (is_chord(disk, half) && geoimage_split_edge(disk, half, 0.5, moved) == GEOIMAGE_NONE)
            return false;
    return true;
}

/* ---- the system ---- */

/* tan (angle / 2) at the start of a half-edge, without an angle. */
static double half_tangent(const geoimage_disk *disk, uint32_t half)
{
    carom_vec3 at = disk->vertex.items[geoimage_start(disk, half)].position;
    carom_vec3 a = vec3_scale(vec3_sub(disk->vertex.items[geoimage_end(disk, half)].position, at), disk->scale);
    carom_vec3 b = vec3_scale(vec3_sub(disk->vertex.items[geoimage_start(disk, geoimage_previous(half))].position, at),
                              disk->scale);
    double tangent = vec3_length(vec3_cross(a, b)) / (vec3_length(a) * vec3_length(b) + vec3_dot(a, b));
    return tangent >= MIN_TANGENT ? fmin(tangent, MAX_TANGENT) : MIN_TANGENT; /* 0 / 0 is the smallest too */
}

typedef struct flatten_work
{
    geoimage_disk *disk;
    geoimage_system system;
    geoimage_solver *solver;
    uint32_t *unknown; /* per vertex; GEOIMAGE_NONE: on the border */
    uint32_t *entry;   /* per half-edge between inner vertices: of the system */
    double *weight;    /* per half-edge that starts at an inner vertex */
    double *less;      /* per vertex: what weights are divided by; then the same for the solution that is kept */
    double *share;     /* per vertex: area around it */
    carom_vec3 *position;
    geoimage_point *kept;
    double *kept_weight;
} flatten_work;

typedef enum weight_kind
{
    MEAN_VALUES,
    COTANGENTS, /* harmonic (Pinkall and Polthier, 1993), but positive: better where triangles are thin */
    EQUAL_WEIGHTS
} weight_kind;

/* The cotangent of the angle opposite to a half-edge. */
static double cotangent(const geoimage_disk *disk, uint32_t half)
{
    uint32_t previous = geoimage_previous(half);
    carom_vec3 at = disk->vertex.items[geoimage_start(disk, previous)].position;
    carom_vec3 a = vec3_scale(vec3_sub(disk->vertex.items[geoimage_start(disk, half)].position, at), disk->scale);
    carom_vec3 b = vec3_scale(vec3_sub(disk->vertex.items[geoimage_end(disk, half)].position, at), disk->scale);
    double result = vec3_dot(a, b) / vec3_length(vec3_cross(a, b));
    return result > -MAX_TANGENT ? fmin(result, MAX_TANGENT) : -MAX_TANGENT; /* 0 / 0 too */
}

static double weight_of(const flatten_work *work, uint32_t half, weight_kind kind)
{
    const geoimage_disk *disk = work->disk;
    uint32_t twin = disk->twin.items[half];
    const double *tangent = work->system.weight;
    if (kind == EQUAL_WEIGHTS)
        return 1;
    if (kind == COTANGENTS)
        return fmax(cotangent(disk, half) + cotangent(disk, twin), MIN_COTANGENT);
    return (tangent[half] + tangent[geoimage_next(twin)]) / fmax(geoimage_length(disk, half), MIN_LENGTH);
}

static void set_weights(flatten_work *work, weight_kind kind)
{
    const geoimage_disk *disk = work->disk;
    for (uint32_t half = 0; kind == MEAN_VALUES && half < disk->corner.count; half++)
        work->system.weight[half] = half_tangent(disk, half); /* filled with weights later */
    for (uint32_t half = 0; half < disk->corner.count; half++)
        if (disk->twin.items[half] != GEOIMAGE_NONE)
            work->weight[half] = weight_of(work, half, kind);
    for (size_t v = 0; v < disk->vertex.count; v++)
        work->less[v] = 1;
}

/* Numbers the unknowns, and counts their neighbours that are unknown too. */
static void count_entries(flatten_work *work)
{
    const geoimage_disk *disk = work->disk;
    geoimage_system *system = &work->system;
    for (uint32_t v = 0; v < geoimage_vertex_count(disk); v++)
    {
        bool inner = !disk->vertex.items[v].on_border;
        if (inner)
            work->position[system->count] = disk->vertex.items[v].position;
        work->unknown[v] = inner ? system->count++ : GEOIMAGE_NONE;
    }
    memset(system->first, 0, ((size_t)system->count + 1) * sizeof *system->first);
    for (uint32_t half = 0; half < disk->corner.count; half++)
    {
        uint32_t row = work->unknown[geoimage_start(disk, half)], column = work->unknown[geoimage_end(disk, half)];
        if (row != GEOIMAGE_NONE && column != GEOIMAGE_NONE)
            system->first[row + 1]++;
    }
    for (uint32_t i = 0; i < system->count; i++)
        system->first[i + 1] += system->first[i];
}

static void fill_entries(flatten_work *work)
{
    const geoimage_disk *disk = work->disk;
    geoimage_system *system = &work->system;
    for (uint32_t i = 0; i < system->count; i++)
        system->diagonal[i] = system->value[i].x = system->value[i].y = 0;
    for (uint32_t half = 0; half < disk->corner.count; half++)
    {
        uint32_t row = work->unknown[geoimage_start(disk, half)], end = geoimage_end(disk, half);
        if (row == GEOIMAGE_NONE)
            continue;
        double weight = work->weight[half] / work->less[end];
        geoimage_point at = disk->vertex.items[end].at;
        system->diagonal[row] += weight;
        if (work->unknown[end] == GEOIMAGE_NONE)
            system->value[row].x += weight * at.x, system->value[row].y += weight * at.y;
        else
        {
            size_t entry = system->first[row]++;
            system->neighbour[entry] = work->unknown[end], system->weight[entry] = weight;
            work->entry[half] = (uint32_t)entry;
        }
    }
    for (uint32_t i = system->count; i > 0; i--)
        system->first[i] = system->first[i - 1];
    system->first[0] = 0;
    for (uint32_t half = 0; half < disk->corner.count; half++)
        if (work->unknown[geoimage_start(disk, half)] != GEOIMAGE_NONE &&
            work->unknown[geoimage_end(disk, half)] != GEOIMAGE_NONE)
            system->mirror[work->entry[half]] = work->entry[disk->twin.items[half]];
}

/* ---- the check ---- */

int geoimage_orientation(const geoimage_disk *disk, uint32_t triangle)
{
    const uint32_t *corner = disk->corner.items + 3 * (size_t)triangle;
    carom_vec3 p[3];
    for (int k = 0; k < 3; k++)
        p[k] = vec3(disk->vertex.items[corner[k]].at.x, disk->vertex.items[corner[k]].at.y, 0);
    return exact_orient2d(p[0], p[1], p[2], 2, NULL);
}

static uint64_t count_folded(const geoimage_disk *disk)
{
    uint64_t count = 0;
    for (uint32_t t = 0; t < geoimage_triangle_count(disk); t++)
        count += geoimage_orientation(disk, t) <= 0;
    return count;
}

static void take_solution(flatten_work *work)
{
    geoimage_disk *disk = work->disk;
    for (uint32_t v = 0; v < geoimage_vertex_count(disk); v++)
        if (work->unknown[v] != GEOIMAGE_NONE)
        {
            geoimage_point at = work->system.value[work->unknown[v]];
            bool finite = isfinite(at.x) && isfinite(at.y) && fabs(at.x) < 0x1p100 && fabs(at.y) < 0x1p100;
            disk->vertex.items[v].at = finite ? at : (geoimage_point){0, 0};
        }
}

static uint64_t solve(flatten_work *work)
{
    fill_entries(work);
    geoimage_solver_run(work->solver);
    take_solution(work);
    return count_folded(work->disk);
}

static void keep(flatten_work *work)
{
    memcpy(work->kept, work->system.value, work->system.count * sizeof *work->kept);
}

static void restore(flatten_work *work)
{
    memcpy(work->system.value, work->kept, work->system.count * sizeof *work->kept);
    take_solution(work);
}

/* The root of the mean square of the stretch around each vertex. */
static void weigh_by_stretch(flatten_work *work, int roots)
{
    const geoimage_disk *disk = work->disk;
    size_t vertices = disk->vertex.count;
    double *sum = work->share + vertices;
    for (size_t v = 0; v < 2 * vertices; v++)
        work->share[v] = 0;
    for (uint32_t t = 0; t < geoimage_triangle_count(disk); t++)
    {
        double area = geoimage_triangle_area(disk, t), stretch = geoimage_triangle_stretch(disk, t).l2;
        for (int k = 0; k < 3; k++)
        {
            uint32_t vertex = disk->corner.items[3 * (size_t)t + (size_t)k];
            work->share[vertex] += area, sum[vertex] += area > 0 ? area * stretch * stretch : 0;
        }
    }
    for (size_t v = 0; v < vertices; v++)
    {
        double mean = work->share[v] > 0 ? sqrt(sum[v] / work->share[v]) : 0;
        for (int i = 0; i < roots; i++)
            mean = sqrt(mean);
        work->less[v] = work->less[v + vertices] * (mean > 0 && mean < INFINITY ? mean : 1);
    }
}

/* If a step is too long, shorter ones are tried: roots of the factors. */
static void reduce_stretch(flatten_work *work, uint32_t steps)
{
    const double worthwhile = 0.98;
    const int max_roots = 3;
    size_t vertices = work->disk->vertex.count;
    double best = geoimage_sum_stretch(work->disk).square;
    keep(work);
    memcpy(work->less + vertices, work->less, vertices * sizeof *work->less);
    int roots = 0;
    for (uint32_t i = 0; i < steps; i++)
    {
        weigh_by_stretch(work, roots);
        uint64_t folded = solve(work);
        double square = geoimage_sum_stretch(work->disk).square;
        bool better = folded == 0 && square < best;
        if (!better)
        {
            restore(work);
            if (roots++ == max_roots)
                return;
            continue;
        }
        keep(work);
        memcpy(work->less + vertices, work->less, vertices * sizeof *work->less);
        if (square > worthwhile * best)
            return;
        best = square;
    }
}

/* Is the map folded, or stretched more than mean values do where triangles are not thin? */
static bool is_poor(const flatten_work *work, uint64_t folded, double square)
{
    const double much = 2;
    double area = 0, cells = 0;
    for (uint32_t t = 0; t < geoimage_triangle_count(work->disk); t++)
        area += geoimage_triangle_area(work->disk, t);
    for (size_t v = 0; v < work->disk->vertex.count; v++)
    {
        geoimage_point at = work->disk->vertex.items[v].at;
        cells = work->disk->vertex.items[v].on_border ? fmax(cells, at.x * at.y) : cells;
    }
    return folded > 0 || !(square * cells <= much * much * area * area);
}

/* Another kind of weights: kept if it is better. */
static void try_weights(flatten_work *work, weight_kind kind, uint64_t *folded, double *square)
{
    keep(work);
    memcpy(work->kept_weight, work->weight, work->disk->corner.count * sizeof *work->weight);
    set_weights(work, kind);
    uint64_t folded_now = solve(work);
    double square_now = geoimage_sum_stretch(work->disk).square;
    if (folded_now < *folded || (folded_now == *folded && square_now < *square))
    {
        *folded = folded_now, *square = square_now;
        return;
    }
    memcpy(work->weight, work->kept_weight, work->disk->corner.count * sizeof *work->weight);
    restore(work);
}

/* Mean values, and if these are not good enough, others. */
static bool solve_best(flatten_work *work, uint32_t stretch_steps, uint64_t *folded)
{
    count_entries(work);
    set_weights(work, MEAN_VALUES);
    fill_entries(work);
    work->solver = geoimage_solver_create(&work->system);
    if (!work->solver)
        return false;
    *folded = solve(work);
    double square = geoimage_sum_stretch(work->disk).square;
    if (is_poor(work, *folded, square) && (*folded > 0 || stretch_steps > 0))
        try_weights(work, COTANGENTS, folded, &square);
    if (*folded > 0)
        try_weights(work, EQUAL_WEIGHTS, folded, &square);
    if (*folded == 0)
        reduce_stretch(work, stretch_steps);
    geoimage_solver_free(work->solver);
    return true;
}

carom_status geoimage_flatten(geoimage_disk *disk, uint32_t stretch_steps, uint64_t *folded)
{
    carom_context *context = disk->context;
    if (!split_chords(disk))
        return geoimage_out_of_memory(disk);
    size_t vertices = disk->vertex.count, halves = disk->corner.count;
    base_arena arena = {.context = context};
    flatten_work work = {.disk = disk, .system = {.context = context}};
    work.unknown = base_arena_allocate(&arena, vertices, sizeof *work.unknown, 8);
    work.weight = base_arena_allocate(&arena, halves, sizeof *work.weight, 8);
    work.entry = base_arena_allocate(&arena, halves, sizeof *work.entry, 8);
    work.less = base_arena_allocate(&arena, 2 * vertices, sizeof *work.less, 8);
    work.share = base_arena_allocate(&arena, 2 * vertices, sizeof *work.share, 8);
    work.position = base_arena_allocate(&arena, vertices, sizeof *work.position, 8);
    work.kept_weight = base_arena_allocate(&arena, halves, sizeof *work.kept_weight, 8);
    work.kept = base_arena_allocate(&arena, vertices, sizeof *work.kept, 8);
    work.system.first = base_arena_allocate(&arena, vertices + 1, sizeof *work.system.first, 8);
    work.system.neighbour = base_arena_allocate(&arena, halves, sizeof *work.system.neighbour, 8);
    work.system.mirror = base_arena_allocate(&arena, halves, sizeof *work.system.mirror, 8);
    work.system.weight = base_arena_allocate(&arena, halves, sizeof *work.system.weight, 8);
    work.system.diagonal = base_arena_allocate(&arena, vertices, sizeof *work.system.diagonal, 8);
    work.system.value = base_arena_allocate(&arena, vertices, sizeof *work.system.value, 8);
    work.system.position = work.position;
    bool have = work.unknown && work.entry && work.system.mirror && work.weight && work.less && work.share &&
                work.position && work.kept && work.kept_weight && work.system.first && work.system.neighbour &&
                work.system.weight && work.system.diagonal && work.system.value;
    have = have && solve_best(&work, stretch_steps, folded);
    base_arena_free(&arena);
    return have ? CAROM_OK : geoimage_out_of_memory(disk);
}
