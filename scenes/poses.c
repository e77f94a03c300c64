/* Benchmark poses: random orientations, then an approach along the line between the centres. */
#include "scenes/poses.h"

#include "scenes/numeric.h"

typedef struct class_row
{
    const char *name;
    double distance; /* between the surfaces, in diagonals */
    double push;     /* further along the centre line, in diagonals */
    double depth;    /* times the centre distance */
} class_row;

static const class_row CLASSES[POSES_CLASS_COUNT] = {
    [POSES_APART_5] = {"5%", 0.05, 0.0, 1.0},     [POSES_APART_1] = {"1%", 0.01, 0.0, 1.0},
    [POSES_APART_01] = {"0.1%", 0.001, 0.0, 1.0}, [POSES_TOUCH] = {"touch", 0.0, 0.002, 1.0},
    [POSES_DEEP] = {"deep", 0.0, 0.0, 0.4},
};

const char *poses_class_name(poses_class pose_class)
{
    return (unsigned)pose_class < POSES_CLASS_COUNT ? CLASSES[pose_class].name : NULL;
}

/* Two orientations and a direction; only the distance between the centres is open. */
typedef struct approach
{
    const poses_oracle *oracle;
    carom_pose a, b;               /* centres where rotation about the origin puts them */
    carom_vec3 centre_a, centre_b; /* of the boxes, turned */
    carom_vec3 direction;
    double diagonal, tolerance;
} approach;

static carom_vec3 middle_of(const carom_aabb *box) { return numeric_scale(numeric_add(box->min, box->max), 0.5); }

static double diagonal_of(const carom_aabb *box) { return numeric_length(numeric_sub(box->max, box->min)); }

static poses_pair place(const approach *approach, double centre_distance)
{
    poses_pair pair = {approach->a, approach->b};
    pair.a.translation = numeric_scale(approach->centre_a, -1.0);
    pair.b.translation = numeric_sub(numeric_scale(approach->direction, centre_distance), approach->centre_b);
    return pair;
}

static carom_status measure(const approach *approach, double centre_distance, double *out)
{
    poses_pair pair = place(approach, centre_distance);
    return approach->oracle->distance(approach->oracle->user, &pair.a, &pair.b, out);
}

/* Halves [*low, *high] until the surfaces at *high are `wanted` apart; they are nearer at *low. */
static carom_status bisect(const approach *approach, double wanted, double low, double *high)
{
    for (int i = 0; i < 60; i++)
    {
        double middle = 0.5 * (low + *high), distance;
        carom_status status = measure(approach, middle, &distance);
        if (carom_failed(status))
            return status;
        if (distance > wanted)
            *high = middle;
        else
            low = middle;
        if (*high - low <= approach->tolerance)
            break;
    }
    return CAROM_OK;
}

/* The surfaces never approach faster than the centres do, so stepping by what is left can't jump over the first
 * contact. Where steps get short (a grazing approach), a longer one is tried, and bisected if it went too far. */
static carom_status first_at_distance(const approach *approach, double wanted, double *centre_distance)
{
    for (int i = 0; i < 1000; i++)
    {
        double distance;
        carom_status status = measure(approach, *centre_distance, &distance);
        if (carom_failed(status))
            return status;
        double left = distance - wanted;
        if (left <= approach->tolerance || *centre_distance <= 0.0)
            return CAROM_OK;
        double bold = 1e-3 * approach->diagonal;
        if (left < bold)
        {
            status = measure(approach, *centre_distance - bold, &distance);
            if (carom_failed(status))
                return status;
            if (distance <= wanted)
                return bisect(approach, wanted, *centre_distance - bold, centre_distance);
            left = bold;
        }
        *centre_distance -= left;
    }
    return CAROM_OK;
}

static carom_vec3 turned(const carom_pose *pose, carom_vec3 point)
{
    carom_pose turn = *pose;
    turn.translation = numeric_vec(0, 0, 0);
    return carom_pose_apply(&turn, point);
}

carom_status poses_make(const carom_mesh *a, const carom_mesh *b, const poses_oracle *oracle, poses_class pose_class,
                        uint64_t seed, poses_pair *out)
{
    if (!a || !b || !oracle || !oracle->distance || !out || !poses_class_name(pose_class))
        return CAROM_INVALID_ARGUMENT;
    carom_mesh_info info_a = carom_mesh_get_info(a), info_b = carom_mesh_get_info(b);
    if (info_a.triangle_count == 0 || info_b.triangle_count == 0)
        return CAROM_INVALID_ARGUMENT;
    double diagonal_a = diagonal_of(&info_a.bounds), diagonal_b = diagonal_of(&info_b.bounds);
    double diagonal = diagonal_a > diagonal_b ? diagonal_a : diagonal_b;
    numeric_random random = {seed};
    carom_vec3 zero = numeric_vec(0, 0, 0);
    approach approach = {.oracle = oracle, .diagonal = diagonal};
    approach.a = numeric_orientation(&random, zero);
    approach.b = numeric_orientation(&random, zero);
    approach.direction = numeric_direction(&random);
    approach.centre_a = turned(&approach.a, middle_of(&info_a.bounds));
    approach.centre_b = turned(&approach.b, middle_of(&info_b.bounds));

    const class_row *row = &CLASSES[pose_class];
    double wanted = row->distance * diagonal;
    approach.tolerance = wanted > 0.0 ? 0.005 * wanted : 1e-7 * diagonal;
    double centre_distance = 0.5 * (diagonal_a + diagonal_b) + 0.1 * diagonal; /* boxes can't reach each other */
    carom_status status = first_at_distance(&approach, wanted, &centre_distance);
    *out = place(&approach, row->depth * centre_distance - row->push * diagonal);
    return status;
}
