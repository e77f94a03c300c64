/* Boxes and what is machined. */
#include "scenes/shapes.h"

typedef struct box_lattice
{
    double half;
    uint32_t steps[3];
} box_lattice;

/* The ends are exact, so that boxes set side by side touch to the bit. */
static double box_coordinate(const box_lattice *box, int axis, uint32_t step)
{
    uint32_t count = box->steps[axis];
    if (step == count)
        return box->half;
    return -box->half + 2.0 * box->half * ((double)step / count);
}

static carom_vec3 place_on_box(const void *user, const uint32_t step[3])
{
    const box_lattice *box = user;
    return numeric_vec(box_coordinate(box, 0, step[0]), box_coordinate(box, 1, step[1]),
                       box_coordinate(box, 2, step[2]));
}

void shapes_box(shape *shape, const generate_def *def)
{
    /* Grow the lattice axis by axis while it fits. */
    box_lattice box = {0.5 * def->size, {1, 1, 1}};
    for (int axis = 0, refused = 0; refused < 3; axis = (axis + 1) % 3)
    {
        uint64_t next[3] = {box.steps[0], box.steps[1], box.steps[2]};
        next[axis]++;
        refused = 4 * (next[0] * next[1] + next[1] * next[2] + next[2] * next[0]) > def->triangles ? refused + 1 : 0;
        box.steps[axis] += refused == 0;
    }
    shape_block block = {{box.steps[0], box.steps[1], box.steps[2]}, place_on_box, &box};
    shape_add_block(shape, &block);
}
