/* Axes for oriented volumes: principal axes of the vertices or of the surface (Wang, Xu 2017, eq. 1-5), and a small
 * search over rotations around them. Only sqrt comes from libm, so the axes are the same bits everywhere. */
#include "volume/parts.h"

typedef struct covariance
{
    double xx, yy, zz, xy, xz, yz;
} covariance;

/* Takes the cloud's box to about [-1, 1], which keeps sums of fourth powers in range. */
typedef struct unit_map
{
    carom_vec3 centre;
    double scale; /* 0: everything is one point */
} unit_map;

static unit_map map_box_to_unit(const carom_aabb *box)
{
    carom_vec3 size = vec3_sub(box->max, box->min);
    double largest = larger(size.x, larger(size.y, size.z));
    const double smallest_invertible = 0x1p-1000;
    return (unit_map){vec3_add(box->min, vec3_scale(size, 0.5)), largest > smallest_invertible ? 2.0 / largest : 0.0};
}

static unit_map map_to_unit(const volume_cloud *cloud)
{
    carom_aabb box = aabb_empty();
    for (size_t i = 0; i < cloud->count; i++)
        for (int corner = 0; corner < 3; corner++)
            box = aabb_add_point(box, cloud_corner(cloud, i, corner));
    return map_box_to_unit(&box);
}

static carom_vec3 unit_corner(const volume_cloud *cloud, const unit_map *map, size_t i, int corner)
{
    return vec3_scale(vec3_sub(cloud_corner(cloud, i, corner), map->centre), map->scale);
}

static void add_product(covariance *sum, carom_vec3 p, double weight)
{
    sum->xx += weight * p.x * p.x, sum->yy += weight * p.y * p.y, sum->zz += weight * p.z * p.z;
    sum->xy += weight * p.x * p.y, sum->xz += weight * p.x * p.z, sum->yz += weight * p.y * p.z;
}

static covariance vertex_covariance(const volume_cloud *cloud, const unit_map *map)
{
    covariance sum = {0};
    carom_vec3 mean = vec3(0.0, 0.0, 0.0);
    double weight = 1.0 / (3.0 * (double)cloud->count);
    for (size_t i = 0; i < cloud->count; i++)
        for (int corner = 0; corner < 3; corner++)
        {
            carom_vec3 p = unit_corner(cloud, map, i, corner);
            mean = vec3_add(mean, vec3_scale(p, weight));
            add_product(&sum, p, weight);
        }
    add_product(&sum, mean, -1.0);
    return sum;
}

/* Eq. 5: S_i / 12 S (9 O O^T + p p^T + q q^T + r r^T) - u u^T, u = sum of S_i O_i / S. */
static covariance surface_covariance(const volume_cloud *cloud, const unit_map *map)
{
    covariance sum = {0};
    carom_vec3 mean = vec3(0.0, 0.0, 0.0);
    double area_sum = 0.0;
    for (size_t i = 0; i < cloud->count; i++)
    {
        carom_vec3 p = unit_corner(cloud, map, i, 0), q = unit_corner(cloud, map, i, 1),
                   r = unit_corner(cloud, map, i, 2);
        double area = vec3_length(vec3_cross(vec3_sub(q, p), vec3_sub(r, p)));
        carom_vec3 centre = vec3_scale(vec3_add(p, vec3_add(q, r)), 1.0 / 3.0);
        area_sum += area;
        mean = vec3_add(mean, vec3_scale(centre, area));
        add_product(&sum, centre, 0.75 * area);
        add_product(&sum, p, area / 12.0), add_product(&sum, q, area / 12.0), add_product(&sum, r, area / 12.0);
    }
    /* Segments and points only: there is no surface to weigh. */
    const double smallest_area = 1e-200;
    if (!(area_sum > smallest_area))
        return vertex_covariance(cloud, map);
    covariance mean_product = {0};
    add_product(&mean_product, vec3_scale(mean, 1.0 / area_sum), 1.0);
    return (covariance){sum.xx / area_sum - mean_product.xx, sum.yy / area_sum - mean_product.yy,
                        sum.zz / area_sum - mean_product.zz, sum.xy / area_sum - mean_product.xy,
                        sum.xz / area_sum - mean_product.xz, sum.yz / area_sum - mean_product.yz};
}

/* One Jacobi rotation that clears m[p][q], applied to the columns of v too. */
static void jacobi_rotate(double m[3][3], double v[3][3], int p, int q)
{
    if (m[p][q] == 0.0)
        return;
    double theta = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
    double t = (theta >= 0.0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    for (int k = 0; k < 3; k++)
    {
        double kp = m[k][p], kq = m[k][q];
        m[k][p] = c * kp - s * kq, m[k][q] = s * kp + c * kq;
    }
    for (int k = 0; k < 3; k++)
    {
        double pk = m[p][k], qk = m[q][k];
        m[p][k] = c * pk - s * qk, m[q][k] = s * pk + c * qk;
    }
    for (int k = 0; k < 3; k++)
    {
        double kp = v[k][p], kq = v[k][q];
        v[k][p] = c * kp - s * kq, v[k][q] = s * kp + c * kq;
    }
    m[p][q] = m[q][p] = 0.0;
}

static void make_orthonormal(carom_vec3 axis[3])
{
    axis[0] = vec3_scale(axis[0], 1.0 / vec3_length(axis[0]));
    axis[1] = vec3_sub(axis[1], vec3_scale(axis[0], vec3_dot(axis[0], axis[1])));
    axis[1] = vec3_scale(axis[1], 1.0 / vec3_length(axis[1]));
    axis[2] = vec3_cross(axis[0], axis[1]);
}

static void principal_axes(const covariance *c, carom_vec3 axis[3])
{
    double m[3][3] = {{c->xx, c->xy, c->xz}, {c->xy, c->yy, c->yz}, {c->xz, c->yz, c->zz}};
    double v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const int enough_sweeps = 8;
    for (int sweep = 0; sweep < enough_sweeps; sweep++)
    {
        double off = fabs(m[0][1]) + fabs(m[0][2]) + fabs(m[1][2]);
        if (off <= 0x1p-52 * (fabs(m[0][0]) + fabs(m[1][1]) + fabs(m[2][2])))
            break;
        jacobi_rotate(m, v, 0, 1), jacobi_rotate(m, v, 0, 2), jacobi_rotate(m, v, 1, 2);
    }
    for (int i = 0; i < 3; i++)
        axis[i] = vec3(v[0][i], v[1][i], v[2][i]);
    make_orthonormal(axis);
}

/* ---- tight: search over rotations, judged on extremal points ---- */

enum
{
    EXTREMAL_MAX = 2 * VOLUME_SLABS_MAX
};

typedef struct extremes
{
    carom_vec3 point[EXTREMAL_MAX];
    uint32_t count;
} extremes;

/* The farthest corners along the 26 directions of the axes' frame. */
static extremes extremal_points(const volume_cloud *cloud, const unit_map *map, const carom_vec3 axis[3])
{
    extremes found = {.count = EXTREMAL_MAX};
    double best[EXTREMAL_MAX], along[VOLUME_SLABS_MAX];
    for (int i = 0; i < EXTREMAL_MAX; i++)
        best[i] = -INFINITY;
    for (size_t i = 0; i < cloud->count; i++)
        for (int corner = 0; corner < 3; corner++)
        {
            carom_vec3 p = unit_corner(cloud, map, i, corner);
            slab_project(CAROM_VOLUME_KDOP26, vec3(vec3_dot(axis[0], p), vec3_dot(axis[1], p), vec3_dot(axis[2], p)),
                         along);
            for (int s = 0; s < VOLUME_SLABS_MAX; s++)
            {
                if (along[s] > best[s])
                    best[s] = along[s], found.point[s] = p;
                if (-along[s] > best[VOLUME_SLABS_MAX + s])
                    best[VOLUME_SLABS_MAX + s] = -along[s], found.point[VOLUME_SLABS_MAX + s] = p;
            }
        }
    return found;
}

/* Half the surface of the box around the points. */
static double box_cost(const extremes *points, const carom_vec3 axis[3])
{
    double size[3];
    for (int i = 0; i < 3; i++)
    {
        double low = INFINITY, high = -INFINITY;
        for (uint32_t k = 0; k < points->count; k++)
        {
            double along = vec3_dot(axis[i], points->point[k]);
            low = along < low ? along : low, high = along > high ? along : high;
        }
        size[i] = high - low;
    }
    return size[0] * size[1] + size[1] * size[2] + size[2] * size[0];
}

/* Turns two axes around the third by the angle with this tangent of its half. */
static void turn(carom_vec3 axis[3], int around, double half_tangent)
{
    double square = half_tangent * half_tangent;
    double c = (1.0 - square) / (1.0 + square), s = 2.0 * half_tangent / (1.0 + square);
    carom_vec3 u = axis[(around + 1) % 3], v = axis[(around + 2) % 3];
    axis[(around + 1) % 3] = vec3_add(vec3_scale(u, c), vec3_scale(v, s));
    axis[(around + 2) % 3] = vec3_sub(vec3_scale(v, c), vec3_scale(u, s));
}

static double search_rotations(const extremes *points, carom_vec3 axis[3])
{
    double cost = box_cost(points, axis);
    for (double step = 0.25; step > 0.01; step *= 0.5)
        for (int around = 0; around < 3; around++)
            for (int sign = -1; sign <= 1; sign += 2)
            {
                carom_vec3 tried[3] = {axis[0], axis[1], axis[2]};
                turn(tried, around, sign * step);
                double tried_cost = box_cost(points, tried);
                if (tried_cost < cost)
                    cost = tried_cost, memcpy(axis, tried, sizeof tried);
            }
    make_orthonormal(axis);
    return cost;
}

static extremes all_points(const volume_cloud *cloud, const unit_map *map)
{
    extremes points = {.count = 3 * (uint32_t)cloud->count};
    for (size_t i = 0; i < cloud->count; i++)
        for (int corner = 0; corner < 3; corner++)
            points.point[3 * i + (size_t)corner] = unit_corner(cloud, map, i, corner);
    return points;
}

static void tighten(const volume_cloud *cloud, const unit_map *map, carom_vec3 axis[3])
{
    bool few = 3 * cloud->count <= EXTREMAL_MAX;
    extremes points = few ? all_points(cloud, map) : extremal_points(cloud, map, axis);
    carom_vec3 upright[3] = {vec3(1, 0, 0), vec3(0, 1, 0), vec3(0, 0, 1)};
    extremes upright_points = few ? points : extremal_points(cloud, map, upright);
    double cost = search_rotations(&points, axis);
    if (search_rotations(&upright_points, upright) < cost)
        memcpy(axis, upright, sizeof upright);
}

/* The plane of a lone triangle with its longest edge is the best there is. */
static bool triangle_axes(const volume_cloud *cloud, const unit_map *map, carom_vec3 axis[3])
{
    carom_vec3 corner[3];
    for (int i = 0; i < 3; i++)
        corner[i] = unit_corner(cloud, map, 0, i);
    int longest = 0;
    double longest_square = -1.0;
    for (int i = 0; i < 3; i++)
    {
        carom_vec3 edge = vec3_sub(corner[(i + 1) % 3], corner[i]);
        if (vec3_dot(edge, edge) > longest_square)
            longest_square = vec3_dot(edge, edge), longest = i;
    }
    carom_vec3 edge = vec3_sub(corner[(longest + 1) % 3], corner[longest]);
    carom_vec3 other = vec3_sub(corner[(longest + 2) % 3], corner[longest]);
    carom_vec3 normal = vec3_cross(edge, other);
    const double needle = 1e-14; /* the normal of thinner triangles is mostly rounding */
    if (!(vec3_dot(normal, normal) > needle * longest_square * longest_square))
        return false;
    axis[0] = edge, axis[1] = vec3_cross(normal, edge);
    make_orthonormal(axis);
    return true;
}

void axes_fit(carom_obb_fit fit, const volume_cloud *cloud, carom_vec3 axis[3])
{
    axis[0] = vec3(1, 0, 0), axis[1] = vec3(0, 1, 0), axis[2] = vec3(0, 0, 1);
    unit_map map = map_to_unit(cloud);
    if (map.scale == 0.0)
        return;
    if (cloud->count == 1 && fit != CAROM_OBB_COVARIANCE && triangle_axes(cloud, &map, axis))
        return;
    covariance c = fit == CAROM_OBB_COVARIANCE ? vertex_covariance(cloud, &map) : surface_covariance(cloud, &map);
    principal_axes(&c, axis);
    if (fit == CAROM_OBB_TIGHT)
        tighten(cloud, &map, axis);
}

void volume_principal_axes(const volume_points *cloud, carom_vec3 axis[3])
{
    carom_aabb box = aabb_empty();
    for (uint32_t i = 0; i < cloud->count; i++)
        box.min = vec3_min(box.min, cloud->points[i]), box.max = vec3_max(box.max, cloud->points[i]);
    unit_map map = map_box_to_unit(&box);
    axis[0] = vec3(1, 0, 0), axis[1] = vec3(0, 1, 0), axis[2] = vec3(0, 0, 1);
    if (map.scale == 0.0)
        return;
    covariance sum = {0};
    carom_vec3 mean = vec3(0.0, 0.0, 0.0);
    double weight_sum = 0.0;
    for (uint32_t i = 0; i < cloud->count; i++)
    {
        carom_vec3 p = vec3_scale(vec3_sub(cloud->points[i], map.centre), map.scale);
        double weight = cloud->weights ? (double)cloud->weights[i] : 1.0;
        weight_sum += weight;
        mean = vec3_add(mean, vec3_scale(p, weight));
        add_product(&sum, p, weight);
    }
    add_product(&sum, mean, -1.0 / weight_sum);
    principal_axes(&sum, axis);
}
