/* math: vectors, poses, relative poses, boxes, exact predicates. Pure functions over plain values. */
#ifndef MATH_MATH_H
#define MATH_MATH_H

#include "base/base.h"
#include "carom/math.h"

#include <math.h>

/* Largest |coordinate| accepted anywhere. */
#define MATH_COORDINATE_LIMIT 0x1p100

static inline carom_vec3 vec3(double x, double y, double z) { return (carom_vec3){x, y, z}; }
/* A coordinate by its axis. (&v.x)[axis] would be undefined, and compilers make use of that. */
static inline double vec3_at(const carom_vec3 *v, int axis) { return axis == 0 ? v->x : axis == 1 ? v->y : v->z; }
static inline double *vec3_part(carom_vec3 *v, int axis) { return axis == 0 ? &v->x : axis == 1 ? &v->y : &v->z; }
static inline carom_vec3 vec3_add(carom_vec3 a, carom_vec3 b) { return vec3(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline carom_vec3 vec3_sub(carom_vec3 a, carom_vec3 b) { return vec3(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline carom_vec3 vec3_scale(carom_vec3 a, double s) { return vec3(a.x * s, a.y * s, a.z * s); }
static inline double vec3_dot(carom_vec3 a, carom_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline carom_vec3 vec3_cross(carom_vec3 a, carom_vec3 b)
{
    return vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline double vec3_length(carom_vec3 a) { return sqrt(vec3_dot(a, a)); }
static inline carom_vec3 vec3_min(carom_vec3 a, carom_vec3 b)
{
    return vec3(a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z);
}
static inline carom_vec3 vec3_max(carom_vec3 a, carom_vec3 b)
{
    return vec3(a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z);
}
static inline bool vec3_finite(carom_vec3 a) { return isfinite(a.x) && isfinite(a.y) && isfinite(a.z); }
static inline bool vec3_equal(carom_vec3 a, carom_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

/* The contract's formula; every other placement in the library goes through it. */
static inline carom_vec3 pose_apply(const carom_pose *p, carom_vec3 v)
{
    const double *r = p->rotation;
    return vec3(((r[0] * v.x + r[1] * v.y) + r[2] * v.z) + p->translation.x,
                ((r[3] * v.x + r[4] * v.y) + r[5] * v.z) + p->translation.y,
                ((r[6] * v.x + r[7] * v.y) + r[8] * v.z) + p->translation.z);
}

carom_aabb aabb_empty(void);
carom_aabb aabb_add_point(carom_aabb box, carom_vec3 point);

/* A frame in which a model is stored in float: y = (x - centre) * scale, a power of two that brings the largest |y| to
 * [1/2, 1); for next to a point, one that is larger than any other's. */
typedef struct math_frame
{
    carom_vec3 centre;
    double scale;
} math_frame;

math_frame math_frame_of(const carom_aabb *box);
static inline carom_vec3 math_normalise(const math_frame *frame, carom_vec3 x)
{
    return vec3_scale(vec3_sub(x, frame->centre), frame->scale);
}

/* ---- relative poses ---- */

/* Takes points of b's own frame into a's own frame, with a bound on how far that is from the truth: for every vertex v
 * of b, |rotation v + translation - (what a's frame sees of v's contract position in the world)| <= error per
 * coordinate, the placement rounding of both bodies and the deviation of both rotations from orthogonality included.
 * The same bound covers a's own vertices: world position of a's vertex u seen from a's frame is within error of u.
 * What a's frame sees is the world through one exact rigid motion (that of the rotation nearest to a's), so distances
 * there are distances in the world. Derived in docs/exactness.md. */
typedef struct math_relative
{
    double rotation[9];
    carom_vec3 translation;
    double error;
} math_relative;

/* extent_a, extent_b: largest |coordinate| of a vertex of each mesh, in its own frame. */
math_relative math_relative_pose(const carom_pose *pose_a, const carom_pose *pose_b, double extent_a, double extent_b);

/* The same where the larger extent and the larger defect are known. */
void math_relate(const carom_pose *pose_a, const carom_pose *pose_b, double extent, double defect, math_relative *out);

/* How far a rotation is from orthogonal: the largest |entry| of RtR - I. NaN goes unnoticed. */
static inline double math_rotation_defect(const double r[9])
{
    double worst = 0.0;
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++)
        {
            double entry = fabs(r[i] * r[j] + r[3 + i] * r[3 + j] + r[6 + i] * r[6 + j] - (i == j ? 1.0 : 0.0));
            worst = entry > worst ? entry : worst;
        }
    return worst;
}
static inline double math_rotation_volume(const double r[9]) /* NaN if one of them is */
{
    return r[0] * (r[4] * r[8] - r[5] * r[7]) - r[1] * (r[3] * r[8] - r[5] * r[6]) + r[2] * (r[3] * r[7] - r[4] * r[6]);
}
/* carom_pose_check in a float mode that was checked. */
carom_status math_check_pose(const carom_pose *pose);

/* True if both poses pass math_check_pose. False is not final: then math_check_pose decides. defect: math_pair_defect.
 */
BASE_DECLARE_ISA(bool, math_check_pair, (const carom_pose *a, const carom_pose *b, double *defect));

/* Of two poses the larger defect. */
static inline double math_pair_defect(const carom_pose *a, const carom_pose *b)
{
    double of_a = math_rotation_defect(a->rotation), of_b = math_rotation_defect(b->rotation);
    return of_a > of_b ? of_a : of_b;
}
math_relative math_relative_inverse(const math_relative *b_in_a);

/* Conservative world box of a mesh from its own box: contains every contract position. */
carom_aabb math_world_box(const carom_pose *pose, const carom_aabb *box);

/* ---- floats that enclose doubles ---- */

float math_float_down(double value); /* largest float <= value */
float math_float_up(double value);   /* smallest float >= value */

/* ---- exact predicates: the sign of the real-valued expression, for any finite doubles below 2^110 (world positions
 * exceed the coordinate limit a little). Filter first, then wide integers; *fallbacks (may be null) counts the second.
 * The filters' bounds are derived in docs/exactness.md. ---- */

/* > 0 if d lies below the plane through a, b, c seen counterclockwise from above (Shewchuk's convention):
 * the sign of det [a-d; b-d; c-d]. */
int exact_orient3d(carom_vec3 a, carom_vec3 b, carom_vec3 c, carom_vec3 d, uint64_t *fallbacks);

/* Sign of the cross product (b-a) x (c-a) along axis 0, 1, 2 (x, y, z). */
int exact_orient2d(carom_vec3 a, carom_vec3 b, carom_vec3 c, int axis, uint64_t *fallbacks);

/* Are three points collinear (or equal)? */
bool exact_collinear(carom_vec3 a, carom_vec3 b, carom_vec3 c, uint64_t *fallbacks);

/* Signs for rays, whose direction may be any finite doubles: det [direction; a-origin; b-origin], and the cross product
 * direction x (a-origin) along an axis. */
int exact_ray3d(carom_vec3 direction, carom_vec3 origin, carom_vec3 a, carom_vec3 b, uint64_t *fallbacks);
int exact_ray2d(carom_vec3 direction, carom_vec3 origin, carom_vec3 a, int axis, uint64_t *fallbacks);

/* The same without a filter, for a caller whose own filter could not decide. */
int exact_orient3d_integers(carom_vec3 a, carom_vec3 b, carom_vec3 c, carom_vec3 d, uint64_t *fallbacks);
int exact_ray3d_integers(carom_vec3 direction, carom_vec3 origin, carom_vec3 a, carom_vec3 b, uint64_t *fallbacks);

/* ---- their filters: determinants in double, and a bound on the error that holds without overflow, which starts at
 * differences of 2^111; a sign is certain where |determinant| > bound ---- */

#define EXACT_RELATIVE_3D (10 * 0x1p-53) /* of the sum of the products' magnitudes */
#define EXACT_ABSOLUTE_3D 0x1p-940       /* what underflow may add */
#define EXACT_RELATIVE_2D (5 * 0x1p-53)
#define EXACT_ABSOLUTE_2D 0x1p-1022 /* normal: a denormal one would make the sum slow */
#define EXACT_RAY_LARGEST 0x1p110   /* |component| of a direction that a filter can take */

/* det [a; b; c]; the rows are differences rounded once, or exact. */
static inline double exact_filter3d(carom_vec3 a, carom_vec3 b, carom_vec3 c, double *bound)
{
    double yz = b.y * c.z, zy = b.z * c.y, zx = b.z * c.x, xz = b.x * c.z, xy = b.x * c.y, yx = b.y * c.x;
    double magnitude =
        (fabs(yz) + fabs(zy)) * fabs(a.x) + (fabs(zx) + fabs(xz)) * fabs(a.y) + (fabs(xy) + fabs(yx)) * fabs(a.z);
    *bound = EXACT_RELATIVE_3D * magnitude + EXACT_ABSOLUTE_3D;
    return a.x * (yz - zy) + a.y * (zx - xz) + a.z * (xy - yx);
}

/* det [au av; bu bv]; the rows likewise. */
static inline double exact_filter2d(double au, double av, double bu, double bv, double *bound)
{
    double left = au * bv, right = av * bu;
    *bound = EXACT_RELATIVE_2D * (fabs(left) + fabs(right)) + EXACT_ABSOLUTE_2D;
    return left - right;
}

static inline int exact_filter_sign(double determinant, double bound)
{
    return (determinant > bound) - (determinant < -bound);
}

/* ---- where an edge passes: each coordinate is the double nearest to the exact one, ties to even ---- */

/* Where the segment p q crosses the plane. p and q lie strictly on different sides. */
carom_vec3 exact_pass3d(const carom_vec3 plane[3], carom_vec3 p, carom_vec3 q);

/* Where it crosses the line, in a common plane that the projection along the axis does not collapse. */
carom_vec3 exact_pass2d(const carom_vec3 line[2], carom_vec3 p, carom_vec3 q, int axis);

/* ---- quotients of determinants, to a few roundings whatever the cancellation ---- */

/* Cross product (b-a) x (c-a) over (e-d) x (f-d) along an axis, points in this order; the second is not zero. */
double exact_quotient2d(const carom_vec3 points[6], int axis);

/* Ray parameter and weights of corners 1 and 2 where the ray's line crosses the plane of the corners; it must cross it.
 */
void exact_ray_solve(carom_vec3 direction, carom_vec3 origin, const carom_vec3 corner[3], double tuv[3]);

/* In the projection along an axis: ray parameter where the ray's line crosses the line p q, and the weight of q there.
 * The directions are not parallel. */
void exact_ray_pass(carom_vec3 direction, carom_vec3 origin, const carom_vec3 line[2], int axis, double t_share[2]);

/* ---- balls and capsules: what is near a point, a segment or a triangle. Coordinates, radii and directions up to
 * 2^110. These are integers only, for a caller whose filter could not decide ---- */

/* The hull of 1 to 3 points, which may be equal or on one line, and a distance from it. */
typedef struct exact_round
{
    const carom_vec3 *points;
    int count;
    double radius; /* may be negative as long as the sum of two is not */
} exact_round;

/* The sign of the hulls' distance minus the sum of the radii. */
int exact_gap_sign(const exact_round *a, const exact_round *b, uint64_t *fallbacks);

/* A length that is no double in general. */
typedef struct exact_length
{
    double nearest; /* ties to even */
    double below;   /* the largest double not above it */
    bool whole;     /* it is that double */
} exact_length;

/* Two hulls without a common point, each with at most three different points, and which of their points (bits 0 to 2)
 * span the features that are nearest to each other, or should be. */
typedef struct exact_gap
{
    exact_round a, b;
    unsigned corners_a, corners_b;
} exact_gap;

/* Makes sure that the corners span the nearest features. limit: the distance, without radii, is at most this. */
void exact_gap_search(exact_gap *gap, double limit, uint64_t *fallbacks);

/* For gaps whose corners are certain: the distance minus the sum of the radii; the sign of that minus a limit, which is
 * not negative; and the sign of the distance of the first minus that of the second, whatever the radii. */
exact_length exact_gap_length(const exact_gap *gap, uint64_t *fallbacks);
int exact_gap_compare_limit(const exact_gap *gap, double limit, uint64_t *fallbacks);

/* Likewise with a limit that is the exact sum of a few terms, of which none is negative. */
enum
{
    EXACT_TERMS = 3
};
int exact_gap_compare_sum(const exact_gap *gap, const double terms[EXACT_TERMS], uint64_t *fallbacks);
int exact_gap_compare(const exact_gap *first, const exact_gap *second, uint64_t *fallbacks);

/* Likewise: is a point behind the plane across the way that touches hull a (-1), on it (0), or on the side of b (1)?
 * of_b: the plane that touches hull b; behind it is the side away from a. */
int exact_gap_side(const exact_gap *gap, bool of_b, carom_vec3 point, uint64_t *fallbacks);

/* A triangle, and which of its corners (bits 0 to 2) span the part of it that should be nearest to another. */
typedef struct exact_part
{
    const carom_vec3 *points;
    unsigned corners;
} exact_part;

/* high + low to within the error */
typedef struct exact_interval
{
    double high, low, error;
} exact_interval;

/* Numbers of twice the precision of double, see exact_double.h. */
typedef struct exact_doubled
{
    double high, low, size;
} exact_doubled;

typedef struct exact_doubled_vector
{
    exact_doubled x, y, z;
} exact_doubled_vector;

/* How two triangles are apart. */
typedef struct exact_way
{
    exact_interval distance;
    exact_doubled_vector across; /* the way from a to b, in any length */
    bool certain;                /* the corners do span the nearest features; otherwise only the distance is right */
    carom_vec3 direction; /* the direction of the way from a to b, largest component in [1, 2); each component errs by
                           * half an ulp and `doubt` */
    double doubt;
    unsigned axes; /* bits: components that are not exactly 0 */
} exact_way;

typedef enum exact_search
{
    EXACT_SEARCH_FOUND,
    EXACT_SEARCH_BEYOND, /* their distance is certainly larger than the limit */
    EXACT_SEARCH_FAILED  /* says nothing */
} exact_search;

/* The distance of two triangles, if the nearest parts can be found and its digits are good. The search starts from the
 * given corners and leaves those that were found. What is farther away than the limit does not matter; null:
 * everything does. */
exact_search exact_distance_of_parts(exact_part *a, exact_part *b, const exact_interval *limit, exact_way *out);

/* Where does the way lead from one point to another: the sign of its product with the difference, or 2 if that is too
 * close to call. */
int exact_way_side(const exact_way *way, carom_vec3 from, carom_vec3 to);

/* Heights along a direction, whose largest component is in [1, 2) and which counts as exact, to 2^-96 of what they are
 * made of: an upper bound of those of three points above an origin; turned: below it. */
double exact_height(carom_vec3 direction, carom_vec3 origin, const carom_vec3 points[3], bool turned);

/* By how much, in units of the direction, is one point higher than another than the distance demands? A lower bound. */
double exact_height_to_spare(carom_vec3 direction, carom_vec3 from, carom_vec3 to, const exact_interval *distance);

/* The interval less two radii. */
exact_interval exact_interval_less(const exact_interval *interval, double radius_a, double radius_b);

/* The largest double that is not above any number of the interval, and the smallest that is not below any. */
void exact_interval_bounds(const exact_interval *interval, double *lower, double *upper);

/* Rounds it if all of the interval gives the same. */
bool exact_round_interval(const exact_interval *interval, exact_length *out);

/* A ray and a capsule. Below, d is the direction, e the way from end 0 to end 1, n = d x e, and r the way from the
 * ray's origin to one of the ends. */
typedef struct exact_ray_round
{
    carom_vec3 origin, direction, end[2];
    double radius;
} exact_ray_round;

typedef enum exact_ray_term
{
    EXACT_RAY_ALONG,    /* d . e */
    EXACT_RAY_LENGTH,   /* e . e */
    EXACT_RAY_APPROACH, /* (r x e) . n: does the ray come nearer to the axis where it starts? */
    EXACT_RAY_PASS,     /* radius^2 |n|^2 - (r . n)^2: does its line pass the axis within the radius? */
    EXACT_RAY_OFF_AXIS, /* |r x e|^2 - radius^2 e . e: does it start outside of the endless cylinder? */
    /* for one of the ends */
    EXACT_RAY_BEYOND,  /* r . e: on which side of the end's plane across the axis does it start? */
    EXACT_RAY_DISC,    /* radius^2 (d . e)^2 - |e x (r x d)|^2: does its line cross that plane within the radius? */
    EXACT_RAY_CLOSING, /* (r x d) . n: does it, if d . e > 0, come nearer to the axis there? */
    EXACT_RAY_AHEAD,   /* r . d */
    EXACT_RAY_OFF_END, /* r . r - radius^2 */
    EXACT_RAY_CHORD    /* radius^2 d . d - |r x d|^2: does its line pass the end within the radius? */
} exact_ray_term;

/* A number of any size: value 2^exponent. */
typedef struct exact_number
{
    double value;
    int exponent;
} exact_number;

/* A term to within two roundings; zero only if it is. */
exact_number exact_ray_evaluate(const exact_ray_round *in, exact_ray_term term, int end, uint64_t *fallbacks);

/* ---- points and directions given by what they are the intersection of, since their coordinates are fractions: exact
 * signs for the arrangement of triangles in a plane. |coordinate| up to 2^110 ---- */

typedef enum exact_point_kind
{
    EXACT_POINT_GIVEN,  /* points[0] */
    EXACT_POINT_MIDDLE, /* the mean of points 0 to 2 */
    EXACT_POINT_CUT,    /* where the line through points 0 and 1 meets the plane of points 2 to 4, which it crosses */
    EXACT_POINT_CROSS,  /* where the planes of points 0 to 2, 3 to 5 and 6 to 8 meet: in one point */
    /* what is nearest to the line through two points, c and d; to c if they are equal */
    EXACT_POINT_ON_PLANE, /* of the plane of points 1 to 3 to c = point 0 alone */
    EXACT_POINT_ON_EDGE,  /* of the line through points 0 and 1 to c, d = points 2 and 3, which is not parallel */
    EXACT_POINT_ON_LINE   /* of the line where the planes of points 2 to 4 and 5 to 7 meet to c, d = points 0 and 1 */
} exact_point_kind;

typedef struct exact_point
{
    exact_point_kind kind;
    carom_vec3 points[9];
    carom_vec3 rounded; /* set by exact_point_round, for filters */
    double error;       /* of each of its coordinates; 0 before, and for a given point */
} exact_point;

typedef enum exact_direction_kind
{
    EXACT_ALONG_EDGE,  /* from points[0] to points[1] */
    EXACT_ALONG_LINE,  /* normal of points 0 to 2 x normal of points 3 to 5 */
    EXACT_ALONG_NORMAL /* normal of points 0 to 2: (p1 - p0) x (p2 - p0) */
} exact_direction_kind;

typedef struct exact_direction
{
    exact_direction_kind kind;
    int sign; /* 1, or -1 to go the other way */
    carom_vec3 points[6];
} exact_direction;

/* Is the point above the plane of a triangle (where its normal points to)? The sign of its height. And where does a
 * direction lead? */
int exact_height_of_point(const carom_vec3 plane[3], const exact_point *point, uint64_t *fallbacks);
int exact_height_of_direction(const carom_vec3 plane[3], const exact_direction *direction, uint64_t *fallbacks);

/* In the projection along an axis: the sign of (line[1] - line[0]) x (point - line[0]), or x direction. */
int exact_side_of_point(const carom_vec3 line[2], int axis, const exact_point *point, uint64_t *fallbacks);
int exact_side_of_direction(const carom_vec3 line[2], int axis, const exact_direction *direction, uint64_t *fallbacks);

/* Sign of the cross product of two directions along an axis. */
int exact_turn(const exact_direction *from, const exact_direction *to, int axis, uint64_t *fallbacks);

/* Sign of a component. */
int exact_direction_sign(const exact_direction *direction, int axis, uint64_t *fallbacks);

/* Sign of a component of the normal of three points. */
int exact_normal_sign(const carom_vec3 plane[3], int axis, uint64_t *fallbacks);

/* Is the distance of the point from the segment between two points, perhaps equal, below a radius? */
bool exact_point_within(const exact_point *point, const carom_vec3 segment[2], double radius, uint64_t *fallbacks);

/* Does it exist, its lines not being parallel? */
bool exact_point_exists(const exact_point *point);

/* Sets `rounded` and `error`, for a point between the given ones; a cut has its ends strictly on both sides. Signs then
 * take less time. A point whose coordinates are doubles becomes a given one. */
void exact_point_round(exact_point *point);

/* How far from the point its rounded position may be: sqrt 3 times the error of a coordinate. */
static inline double exact_point_reach(const exact_point *point) { return 1.75 * point->error; }

/* ---- the order of hits along a ray. Coordinates, radii and directions up to 2^110; integers only ---- */

typedef enum exact_ray_kind
{
    EXACT_AT_ORIGIN, /* t = 0 */
    EXACT_AT_POINT,  /* a point of the ray's line */
    EXACT_AT_LINE,   /* where, seen along an axis, the ray's line crosses the line through two points */
    EXACT_AT_PLANE,  /* where it crosses the plane through three points */
    EXACT_AT_BALL,   /* where it enters the ball around a point */
    EXACT_AT_SIDE    /* where it enters the endless cylinder around the line through two points */
} exact_ray_kind;

/* What a ray hits, as far as its t goes. */
typedef struct exact_ray_at
{
    exact_ray_kind kind;
    int axis;
    double radius;
    carom_vec3 point[3]; /* as many as the kind has */
} exact_ray_at;

/* The sign of t of a minus t of b. */
int exact_ray_compare(carom_vec3 direction, carom_vec3 origin, const exact_ray_at *a, const exact_ray_at *b,
                      uint64_t *fallbacks);

/* The sign of t of a minus a finite number t. */
int exact_ray_compare_t(carom_vec3 direction, carom_vec3 origin, const exact_ray_at *a, double t, uint64_t *fallbacks);

#endif
