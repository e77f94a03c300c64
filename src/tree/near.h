/* What the searches for triangles near a ball or capsule share. Private to src/tree. */
#ifndef TREE_NEAR_H
#define TREE_NEAR_H

#include "tree/wide.h"

/* The segment inside, in the mesh's own frame. */
typedef struct near_place
{
    carom_vec3 end[2];
    double error; /* of the way from an end to any vertex, in length; the vertex's placement rounding included */
} near_place;
near_place near_place_round(const tree_near_task *task, const narrow_round *round);

/* Puts what the front holds, or the root, on the stack, the nearest last. False: out of memory. */
bool near_begin_stack(const tree_near_task *task);

/* Leaves what is on the stack in the front, the nearest first. False: out of memory. */
bool near_leave_front(const tree_near_task *task, carom_status status);

/* The walk in double. */
carom_status near_in_any_layout(const tree_near_task *task, const narrow_near *near, const near_place *place);

/* False if the bodies are too far apart or too different in size for floats: then the traversal in double must answer.
 */
bool wide_near_fits(const tree_near_task *task, const narrow_near *near, const near_place *place);
carom_status wide_near(const tree_near_task *task, const narrow_near *near, const near_place *place);

/* What squares of a box's largest distance round by. */
static const double WIDE_NEAR_INSIDE = 9.25 * 0x1p-24;

/* The walk over a wide tree. Lengths are in units of the tree's normalised frame. */
typedef struct wide_near_walk
{
    const tree_near_task *task;
    const narrow_near *near;
    const wide_tree *tree;
    double end[2][3];         /* of the segment, in the normalised frame */
    float centre[3], half[3]; /* the same as a middle and what is left and right of it */
    float inverse_square;     /* of the half's length; 0 for a ball */
    bool is_ball;
    float pad;           /* what placement and rounding in double may move */
    float growth;        /* what boxes must grow by: the pad, and the rounding of the test */
    float shrink;        /* what the solid must shrink by for boxes inside it: likewise */
    float limit;         /* rounded up */
    float certain;       /* the radius, rounded down: what is nearer meets the solid */
    float radius;        /* rounded up */
    float inside_square; /* boxes whose farthest point is nearer than its root are inside the solid */
    uint64_t nodes_tested;
    carom_status status; /* CAROM_OK while the traversal continues */
} wide_near_walk;

/* Places the solid in the tree's frame. */
void wide_near_begin(wide_near_walk *walk, const tree_near_task *task, const narrow_near *near,
                     const near_place *place);

/* Reports a triangle to the caller. False: stop. */
bool wide_near_report(wide_near_walk *walk, uint32_t triangle, bool certain);

/* Remembers a triangle that is no nearer than `low` until fewer are left. False: stop. */
bool wide_near_remember(wide_near_walk *walk, uint32_t triangle, float low);

BASE_DECLARE_ISA(void, wide_near_visit, (wide_near_walk * walk));

#endif
