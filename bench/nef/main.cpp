// carom_nef [PAIRS [SEED]]: relations of random polyhedra, by Carom and by CGAL's Nef polyhedra, which must agree. Each
// pair has random numbers of its own, from the seed and its number.
//
// A body is a hull of lattice points, or two of them in one mesh: apart, touching, overlapping, one in the other, the
// second perhaps turned inside out, so that it is a cavity or cancels what both enclose. Its point set is the union,
// for a turned one without the common interior.
#include "carom/carom.h"

#include <CGAL/Exact_predicates_exact_constructions_kernel.h>
#include <CGAL/Nef_polyhedron_3.h>
#include <CGAL/Polyhedron_3.h>
#include <CGAL/boost/graph/helpers.h>
#include <CGAL/convex_hull_3.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

namespace
{

using Kernel = CGAL::Exact_predicates_exact_constructions_kernel;
using Point = Kernel::Point_3;
using Hull = CGAL::Polyhedron_3<Kernel>;
using Nef = CGAL::Nef_polyhedron_3<Kernel>;

struct Body
{
    std::vector<double> corners; // nine per triangle
    Nef points;
};

struct Random
{
    std::mt19937_64 engine;
    int operator()(int count) { return static_cast<int>(engine() % static_cast<uint64_t>(count)); }
};

// One of 2^64 beginnings, which has nothing to do with those of other numbers and seeds.
Random random_of(long seed, long number)
{
    std::seed_seq words{static_cast<uint32_t>(seed), static_cast<uint32_t>(static_cast<uint64_t>(seed) >> 32),
                        static_cast<uint32_t>(number), static_cast<uint32_t>(static_cast<uint64_t>(number) >> 32)};
    return {std::mt19937_64(words)};
}

using Lattice = std::vector<std::array<int, 3>>;

Lattice random_points(Random &random)
{
    Lattice points;
    int range = 2 + random(4), count = 4 + random(5), shift[3] = {random(3), random(3), random(3)};
    for (int i = 0; i < count; i++)
        points.push_back({random(range) + shift[0], random(range) + shift[1], random(range) + shift[2]});
    return points;
}

// False if the points lie in one plane.
bool make_hull(const Lattice &lattice, Hull &hull)
{
    std::vector<Point> points;
    for (const auto &p : lattice)
        points.emplace_back(p[0], p[1], p[2]);
    bool flat = true;
    for (size_t i = 0; i < points.size() && flat; i++)
        for (size_t j = 0; j < i && flat; j++)
            for (size_t k = 0; k < j && flat; k++)
                flat = CGAL::coplanar(points[0], points[i], points[j], points[k]);
    if (flat)
        return false;
    CGAL::convex_hull_3(points.begin(), points.end(), hull);
    return CGAL::is_closed(hull) && CGAL::is_triangle_mesh(hull);
}

void add_triangles(const Hull &hull, bool turned, Body &body)
{
    for (auto facet = hull.facets_begin(); facet != hull.facets_end(); ++facet)
    {
        auto edge = facet->facet_begin();
        for (int i = 0; i < 3; i++, turned ? --edge : ++edge)
            for (int axis = 0; axis < 3; axis++)
                body.corners.push_back(CGAL::to_double(edge->vertex()->point()[axis]));
    }
}

// Divides a triangle at the middle of a side of it and the same side of its neighbour, a few times.
void divide(Body &body, Random &random)
{
    for (int times = random(4); times > 0; times--)
    {
        std::vector<double> out;
        size_t chosen = static_cast<size_t>(random(static_cast<int>(body.corners.size() / 9)));
        std::array<double, 6> side;
        std::copy_n(body.corners.begin() + static_cast<long>(9 * chosen), 6, side.begin());
        for (size_t i = 0; i < body.corners.size(); i += 9)
        {
            bool split = false;
            for (size_t k = 0; k < 3 && !split; k++)
            {
                const double *p = &body.corners[i + 3 * k], *q = &body.corners[i + 3 * ((k + 1) % 3)],
                             *r = &body.corners[i + 3 * ((k + 2) % 3)];
                split = (std::equal(p, p + 3, side.begin()) && std::equal(q, q + 3, side.begin() + 3)) ||
                        (std::equal(q, q + 3, side.begin()) && std::equal(p, p + 3, side.begin() + 3));
                if (!split)
                    continue;
                double m[3];
                for (int axis = 0; axis < 3; axis++)
                    m[axis] = 0.5 * (p[axis] + q[axis]);
                for (const double *corner :
                     {p, static_cast<const double *>(m), r, static_cast<const double *>(m), q, r})
                    out.insert(out.end(), corner, corner + 3);
            }
            if (!split)
                out.insert(out.end(), body.corners.begin() + static_cast<long>(i),
                           body.corners.begin() + static_cast<long>(i) + 9);
        }
        body.corners = out;
    }
}

void shuffle(Body &body, Random &random)
{
    for (size_t i = body.corners.size() / 9; i > 1; i--)
    {
        size_t k = static_cast<size_t>(random(static_cast<int>(i)));
        std::swap_ranges(body.corners.begin() + static_cast<long>(9 * k),
                         body.corners.begin() + static_cast<long>(9 * k) + 9,
                         body.corners.begin() + static_cast<long>(9 * (i - 1)));
    }
}

Body make_body(Random &random, std::vector<Lattice> &used)
{
    Body body;
    Lattice lattice;
    Hull first;
    do
    {
        first.clear();
        lattice = !used.empty() && random(2) ? used[static_cast<size_t>(random(static_cast<int>(used.size())))]
                                             : random_points(random);
        if (random(3) == 0)
            lattice.push_back({random(6), random(6), random(6)});
    } while (!make_hull(lattice, first));
    used.push_back(lattice);
    add_triangles(first, random(4) == 0, body);
    body.points = Nef(first);
    Hull second;
    if (random(2) == 0 && make_hull(lattice = random_points(random), second))
    {
        used.push_back(lattice);
        bool turned = random(2) == 0;
        body.corners.clear();
        add_triangles(first, false, body);
        add_triangles(second, turned, body);
        Nef points(second), common = body.points.interior() * points.interior();
        body.points = body.points + points;
        if (turned)
            body.points = body.points - common;
    }
    divide(body, random);
    shuffle(body, random);
    return body;
}

carom_relation relation_of(const Nef &a, const Nef &b)
{
    Nef common = a * b;
    if (common.is_empty())
        return CAROM_RELATION_APART;
    bool a_outside = !(a - b).is_empty(), b_outside = !(b - a).is_empty();
    if (!a_outside && !b_outside)
        return CAROM_RELATION_EQUAL;
    if (!(a * b.interior()).is_empty() || !(b * a.interior()).is_empty())
        return !a_outside   ? CAROM_RELATION_A_INSIDE_B
               : !b_outside ? CAROM_RELATION_B_INSIDE_A
                            : CAROM_RELATION_OVERLAPPING;
    return a.interior().is_empty() && b.interior().is_empty() ? CAROM_RELATION_SURFACES_MEET : CAROM_RELATION_TOUCHING;
}

carom_mesh *make_mesh(carom_context *context, const Body &body)
{
    carom_mesh_def def = carom_mesh_def_default();
    def.vertices_f64 = body.corners.data(), def.vertex_count = body.corners.size() / 3;
    def.unindexed = true, def.triangle_count = body.corners.size() / 9;
    carom_mesh *mesh = nullptr;
    if (carom_failed(carom_mesh_create(context, &def, &mesh)))
        std::exit(2);
    return mesh;
}

} // namespace

int main(int argc, char **argv)
{
    long pairs = argc > 1 ? std::atol(argv[1]) : 1000, seed = argc > 2 ? std::atol(argv[2]) : 1, wrong = 0;
    long counts[CAROM_RELATION_SURFACES_MEET + 1] = {};
    carom_context *context = nullptr;
    carom_query *query = nullptr;
    if (carom_failed(carom_context_create(nullptr, &context)) || carom_failed(carom_query_create(context, &query)))
        return 2;
    for (long number = 0; number < pairs; number++)
    {
        Random random = random_of(seed, number);
        std::vector<Lattice> used;
        Body a = make_body(random, used), b = make_body(random, used);
        carom_relation truth = relation_of(a.points, b.points);
        carom_mesh *mesh_a = make_mesh(context, a), *mesh_b = make_mesh(context, b);
        carom_placed placed_a = {carom_shape_mesh(mesh_a), carom_pose_identity()},
                     placed_b = {carom_shape_mesh(mesh_b), carom_pose_identity()};
        carom_collide_options options = carom_collide_options_default();
        options.relation = true;
        carom_report report;
        if (carom_failed(carom_collide(query, &placed_a, &placed_b, &options, &report)))
            return 2;
        counts[truth]++;
        if (report.relation != truth)
            wrong++, std::printf("pair %ld: %s, by CGAL %s\n", number, carom_relation_name(report.relation),
                                 carom_relation_name(truth));
        carom_mesh_destroy(mesh_a), carom_mesh_destroy(mesh_b);
    }
    std::printf("%ld pairs of seed %ld, %ld wrong:", pairs, seed, wrong);
    for (int i = CAROM_RELATION_APART; i <= CAROM_RELATION_SURFACES_MEET; i++)
        std::printf(" %s %ld", carom_relation_name(static_cast<carom_relation>(i)), counts[i]);
    std::printf("\n");
    carom_query_destroy(query);
    carom_context_destroy(context);
    return wrong > 0;
}
