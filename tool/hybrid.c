/* The hybrid as the grid paper describes it (section 2.4.4, after its reference 7): a uniform octree grid of depth 2; a
 * body is in all cells whose numbers are between those of the two ends of its box's main diagonal; bodies with a cell
 * in common are a pair. Large bodies are not cut, and projections are not tested. Cells with numbers between those of
 * two corners include all that the box has points in, so nothing is missed. */
#include "tool/hybrid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    DEPTH = 2, /* as in the paper's table 1 */
    SIDE = 1 << DEPTH,
    CELL_COUNT = SIDE * SIDE * SIDE
};

typedef struct hybrid_range
{
    uint32_t first, last; /* numbers of cells */
} hybrid_range;

typedef struct hybrid_state
{
    uint32_t capacity; /* bodies */
    hybrid_range *ranges;
    uint32_t *seen;                  /* by position: the last mover that it was paired with, plus 1 */
    uint32_t *bodies;                /* by cell; room for each body in each */
    uint32_t starts[CELL_COUNT + 1]; /* in bodies */
} hybrid_state;

static void destroy(void *state)
{
    hybrid_state *own = state;
    free(own->ranges);
    free(own->seen);
    free(own->bodies);
    free(own);
}

static carom_status create(carom_context *context, void **state)
{
    (void)context;
    *state = calloc(1, sizeof(hybrid_state));
    return *state ? CAROM_OK : CAROM_OUT_OF_MEMORY;
}

static carom_status reserve(hybrid_state *own, uint32_t count)
{
    if (count <= own->capacity)
        return CAROM_OK;
    free(own->ranges), free(own->seen), free(own->bodies);
    own->ranges = malloc(count * sizeof *own->ranges);
    own->seen = malloc(count * sizeof *own->seen);
    own->bodies = malloc((size_t)count * CELL_COUNT * sizeof *own->bodies);
    own->capacity = own->ranges && own->seen && own->bodies ? count : 0;
    return own->capacity > 0 ? CAROM_OK : CAROM_OUT_OF_MEMORY;
}

/* ---- cells ---- */

typedef struct hybrid_cube
{
    carom_vec3 low;
    double scale;
} hybrid_cube;

static hybrid_cube find_cube(const carom_frame *frame)
{
    carom_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t i = 0; i < frame->body_count; i++)
    {
        const carom_aabb *box = &frame->bodies[i].bounds;
        low = (carom_vec3){fmin(low.x, box->min.x), fmin(low.y, box->min.y), fmin(low.z, box->min.z)};
        high = (carom_vec3){fmax(high.x, box->max.x), fmax(high.y, box->max.y), fmax(high.z, box->max.z)};
    }
    double length = fmax(high.x - low.x, fmax(high.y - low.y, high.z - low.z));
    return (hybrid_cube){low, length > 0 ? SIDE / length : 0};
}

static uint32_t cell_of(const hybrid_cube *cube, carom_vec3 at)
{
    const double from_low[3] = {at.x - cube->low.x, at.y - cube->low.y, at.z - cube->low.z};
    uint32_t number = 0;
    for (int axis = 2; axis >= 0; axis--)
    {
        double cell = from_low[axis] * cube->scale;
        number = number * SIDE + (cell < 0 ? 0 : cell < SIDE - 1 ? (uint32_t)cell : SIDE - 1);
    }
    return number;
}

static void fill_cells(hybrid_state *own, const carom_frame *frame)
{
    hybrid_cube cube = find_cube(frame);
    memset(own->starts, 0, sizeof own->starts);
    for (uint32_t i = 0; i < frame->body_count; i++)
    {
        const carom_aabb *box = &frame->bodies[i].bounds;
        own->ranges[i] = (hybrid_range){cell_of(&cube, box->min), cell_of(&cube, box->max)};
        for (uint32_t cell = own->ranges[i].first; cell <= own->ranges[i].last; cell++)
            own->starts[cell + 1]++;
    }
    for (uint32_t cell = 0; cell < CELL_COUNT; cell++)
        own->starts[cell + 1] += own->starts[cell];
    uint32_t ends[CELL_COUNT];
    memcpy(ends, own->starts, sizeof ends);
    for (uint32_t i = 0; i < frame->body_count; i++)
        for (uint32_t cell = own->ranges[i].first; cell <= own->ranges[i].last; cell++)
            own->bodies[ends[cell]++] = i;
}

/* ---- pairs ---- */

static carom_status propose_cell(hybrid_state *own, carom_run *run, uint32_t mover, uint32_t cell)
{
    const carom_frame *frame = carom_run_frame(run);
    carom_status status = CAROM_OK;
    for (uint32_t i = own->starts[cell]; i < own->starts[cell + 1] && status == CAROM_OK; i++)
    {
        uint32_t other = own->bodies[i];
        if (own->seen[other] == mover + 1 || (!frame->bodies[other].is_static && other <= mover))
            continue;
        own->seen[other] = mover + 1;
        status = carom_run_propose(run, mover, other);
    }
    return status;
}

static carom_status propose(void *state, carom_run *run)
{
    hybrid_state *own = state;
    const carom_frame *frame = carom_run_frame(run);
    carom_status status = reserve(own, frame->body_count);
    if (status != CAROM_OK)
        return status;
    fill_cells(own, frame);
    memset(own->seen, 0, frame->body_count * sizeof *own->seen);
    for (uint32_t i = 0; i < frame->body_count; i++)
    {
        if (frame->bodies[i].is_static)
            continue;
        for (uint32_t cell = own->ranges[i].first; cell <= own->ranges[i].last && status == CAROM_OK; cell++)
            status = propose_cell(own, run, i, cell);
    }
    return status;
}

carom_status hybrid_register(carom_context *context)
{
    carom_engine_kind kind = {
        .info = {"hybrid", "grid paper: a grid, then bounding volumes", CAROM_CLASS_CONSERVATIVE, false},
        .create = create,
        .run = propose,
        .destroy = destroy};
    return carom_engine_register(context, &kind);
}
