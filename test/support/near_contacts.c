/* Pairs of triangles in near contact. */
#include "support/near_contacts.h"

#include "support/families.h"

static double symmetric(check_random *random) { return check_uniform(random, -1.0, 1.0); }

static carom_vec3 random_vector(check_random *random, double size)
{
    double x = symmetric(random), y = symmetric(random); /* in this order with every compiler */
    return vec3(size * x, size * y, size * symmetric(random));
}

/* A point of a triangle: a corner, on an edge, or inside. */
static carom_vec3 point_on(check_random *random, const narrow_triangle *t)
{
    double u = check_uniform(random, 0.0, 1.0), v = check_uniform(random, 0.0, 1.0) * (1.0 - u);
    int kind = family_integer(random, 0, 2);
    u = kind == 0 ? 0.0 : u, v = kind < 2 ? 0.0 : v;
    const carom_vec3 *c = t->corner;
    carom_vec3 e = vec3_sub(c[1], c[0]), f = vec3_sub(c[2], c[0]);
    return vec3(c[0].x + u * e.x + v * f.x, c[0].y + u * e.y + v * f.y, c[0].z + u * e.z + v * f.z);
}

static void move_triangle(narrow_triangle *t, carom_vec3 way)
{
    for (int i = 0; i < 3; i++)
        t->corner[i] = vec3_add(t->corner[i], way);
}

/* Mirrors a corner at the plane through the origin, if needed, so that it is not below it. */
static void put_above(carom_vec3 *corner, carom_vec3 origin, carom_vec3 normal)
{
    double height = vec3_dot(vec3_sub(*corner, origin), normal);
    if (height < 0.0)
        *corner = vec3_sub(*corner, vec3_scale(normal, 2.0 * height));
}

static carom_vec3 unit_cross(carom_vec3 a, carom_vec3 b)
{
    carom_vec3 n = vec3_cross(a, b);
    double length = vec3_length(n);
    return length > 0.0 ? vec3_scale(n, 1.0 / length) : vec3(0.0, 0.0, 1.0);
}

void near_contact_make(check_random *random, narrow_triangle pair[2])
{
    double size = pow(10.0, check_uniform(random, -6.0, 24.0)), shares[2] = {1.0, 1.0};
    shares[family_integer(random, 0, 1)] =
        family_integer(random, 0, 2) ? 1.0 : pow(10.0, check_uniform(random, -8.0, 0.0));
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < 3; i++)
            pair[side].corner[i] = random_vector(random, size * shares[side]);
    if (family_integer(random, 0, 3) == 0) /* a ground */
        for (int i = 0; i < 3; i++)
            pair[0].corner[i].z = 0.0;
    carom_vec3 *a = pair[0].corner, *b = pair[1].corner;
    int kind = family_integer(random, 0, 3);
    carom_vec3 normal = unit_cross(vec3_sub(a[1], a[0]), vec3_sub(kind == 1 ? b[1] : a[2], kind == 1 ? b[0] : a[0]));
    carom_vec3 p = point_on(random, &pair[0]), q = kind < 2 ? b[0] : point_on(random, &pair[1]);
    if (kind == 1)
    {
        put_above(&a[2], a[0], vec3_scale(normal, -1.0));
        double s = check_uniform(random, 0.0, 1.0), t = check_uniform(random, 0.0, 1.0);
        p = vec3_add(a[0], vec3_scale(vec3_sub(a[1], a[0]), s));
        q = vec3_add(b[0], vec3_scale(vec3_sub(b[1], b[0]), t));
    }
    for (int i = 1; kind < 2 && i < 3; i++)
        put_above(&b[i], q, normal);
    double gap = size * pow(10.0, check_uniform(random, -22.0, 0.0));
    carom_vec3 random_gap = random_vector(random, gap);
    move_triangle(&pair[1], vec3_add(vec3_sub(p, q), kind < 2 ? vec3_scale(normal, gap) : random_gap));
}
