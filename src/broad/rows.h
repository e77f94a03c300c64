/* rows: boxes in an order of a broad phase's choice, as rows of floats, and tests of one box against runs of others,
 * eight at a time. What sweeps, grids and octrees have in common: they differ in the order and in the runs. */
#ifndef BROAD_ROWS_H
#define BROAD_ROWS_H

#include "broad/groups.h"
#include "broad/places.h"

enum
{
    BROAD_MAX_RUNS = 512,
    BROAD_MAX_FOUND = 2048,
    BROAD_NO_AXIS = 3
};

#define BROAD_UNSURE (1u << 31) /* on the box of a candidate: floats can't tell */

/* Which box is at a position. */
typedef struct broad_row
{
    uint32_t slot;
    uint32_t owner;
    uint32_t class; /* of its traits */
} broad_row;

/* A box against the others of some positions. */
typedef struct broad_run
{
    uint32_t box, first, last;
} broad_run;

typedef struct broad_rows broad_rows;

/* One worker's tests and the pairs they found. */
typedef struct broad_search
{
    const broad_rows *rows;
    const broad_input *input;
    broad_pairs pairs;
    bool out_of_memory;
    uint64_t tested; /* runs of up to eight boxes */
    uint32_t axis;   /* positions are sorted by the low ends along it, so that a run can end early; or BROAD_NO_AXIS */
    uint32_t run_count;
    broad_run runs[BROAD_MAX_RUNS];
    uint32_t found; /* candidates */
    uint32_t box[BROAD_MAX_FOUND + BROAD_LANES], other[BROAD_MAX_FOUND + BROAD_LANES];
} broad_search;

struct broad_rows
{
    carom_context *context;
    BASE_ARRAY(broad_row) boxes; /* by position */
    BASE_ARRAY(float) bounds;    /* low x, y, z, high x, y, z, each a row by position; rounded outwards */
    size_t stride;               /* from row to row: the number of boxes, and eight that meet nothing */
    carom_vec3 origin; /* of the floats: the middle of most boxes, so that some far away don't take from these what
                          tells them apart */
    float margin;      /* rounded up */
    broad_classes classes;
    broad_class_list class_of;
    broad_roles roles; /* of classes, given all boxes */
    broad_places places;
    uint32_t starts[BROAD_ROLES + 1]; /* where the boxes of each role begin; for sorted runs */
    broad_search **searches;          /* per worker */
};

bool broad_rows_open(broad_rows *rows, carom_context *context); /* false: out of memory; close it all the same */
void broad_rows_close(broad_rows *rows);

/* Removes all boxes, and makes room for as many as there are slots, whose roles and places are known from here on. */
bool broad_rows_begin(broad_rows *rows, const broad_input *input);
/* That of an empty box is to be idle. */
static inline broad_role broad_rows_role(const broad_rows *rows, uint32_t slot)
{
    return rows->roles.of[rows->class_of.items[slot]];
}
void broad_rows_add(broad_rows *rows, const broad_input *input, uint32_t slot);
/* The bounds of all that were added. */
bool broad_rows_load(broad_rows *rows, const broad_input *input);

/* Adds the runs of some of `count` items; called for ranges, on any worker. */
typedef void broad_visit_fn(broad_search *search, uint32_t first, uint32_t last, const void *data);
typedef struct broad_visit
{
    broad_visit_fn *add_runs;
    const void *data;
    uint32_t count;
    uint32_t axis;
} broad_visit;

/* Adds all pairs of the visited runs to `out`. */
bool broad_rows_search(broad_rows *rows, const broad_input *input, const broad_visit *visit, broad_pairs *out,
                       uint64_t *boxes_tested);

BASE_DECLARE_ISA(void, broad_rows_round, (broad_rows * rows, uint32_t first, uint32_t last));
/* Tests the runs that were added. */
BASE_DECLARE_ISA(void, broad_search_runs, (broad_search * search));

/* For the tests: which candidates are pairs. */
void broad_search_take(broad_search *search);

void broad_search_flush(broad_search *search);

/* Adds the runs of boxes in a range of positions, where boxes of one role follow each other, from `starts` on, each
 * role sorted by low ends along an axis. */
void broad_add_sorted_runs(broad_search *search, uint32_t first, uint32_t last);

static inline void broad_add_run(broad_search *search, broad_run run)
{
    if (run.first >= run.last)
        return;
    search->runs[search->run_count++] = run;
    if (search->run_count == BROAD_MAX_RUNS)
        broad_search_flush(search);
}

/* Makes a run longer by some positions, or adds it and begins another one where these do not follow it. */
static inline void broad_extend_run(broad_search *search, broad_run *run, uint32_t first, uint32_t last)
{
    if (first != run->last)
    {
        broad_add_run(search, *run);
        run->first = first;
    }
    run->last = last;
}

/* ---- boxes grown by half the margin: two boxes within the margin of each other meet when both are grown ---- */

/* Half the margin, and a little more than the rounding of a gap. Adding it rounds both boxes alike: what meets, still
 * meets. */
static inline double broad_half_margin(double margin)
{
    return margin > 0.0 ? nextafter(margin * (0.5 + 0x1p-50), INFINITY) : 0.0;
}

static inline carom_aabb broad_grow(const carom_aabb *box, double length)
{
    if (length == INFINITY) /* where infinity is subtracted from infinity, too */
        return (carom_aabb){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    return (carom_aabb){{box->min.x - length, box->min.y - length, box->min.z - length},
                        {box->max.x + length, box->max.y + length, box->max.z + length}};
}

static inline bool broad_grown_meet(const carom_aabb *a, const carom_aabb *b)
{
    return a->min.x <= b->max.x && b->min.x <= a->max.x && a->min.y <= b->max.y && b->min.y <= a->max.y &&
           a->min.z <= b->max.z && b->min.z <= a->max.z;
}

#endif
