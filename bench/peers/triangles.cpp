// The triangle tests of libccd, CGAL and Carom, and a plain one, timed and checked on the same pairs.
#include "triangles.hpp"

#include "exact.h"

#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/intersections.h>
#include <algorithm>
#include <ccd/ccd.h>

namespace bench
{
namespace
{

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
constexpr size_t max_pairs = 20000;

struct TrianglePair
{
    Vec3 a[3], b[3];
};

void support(const void *object, const ccd_vec3_t *direction, ccd_vec3_t *out)
{
    const Vec3 *corner = static_cast<const Vec3 *>(object);
    const auto height = [&](size_t i)
    { return corner[i][0] * direction->v[0] + corner[i][1] * direction->v[1] + corner[i][2] * direction->v[2]; };
    size_t best = height(1) > height(0) ? 1 : 0;
    best = height(2) > height(best) ? 2 : best;
    ccdVec3Set(out, corner[best][0], corner[best][1], corner[best][2]);
}

bool ccd_meets(const TrianglePair &pair)
{
    ccd_t settings;
    CCD_INIT(&settings);
    settings.support1 = support;
    settings.support2 = support;
    settings.max_iterations = 100; // it is known not to end otherwise
    return ccdGJKIntersect(pair.a, pair.b, &settings) != 0;
}

bool cgal_meets(const TrianglePair &pair)
{
    const auto triangle = [](const Vec3 t[3]) {
        return Kernel::Triangle_3({t[0][0], t[0][1], t[0][2]}, {t[1][0], t[1][1], t[1][2]},
                                  {t[2][0], t[2][1], t[2][2]});
    };
    return CGAL::do_intersect(triangle(pair.a), triangle(pair.b));
}

bool our_meets(const TrianglePair &pair) { return exact_meets(pair.a[0].data(), pair.b[0].data()); }
bool plain_meets(const TrianglePair &pair) { return triangles_meet(pair.a, pair.b); }

TriangleRow measure(const char *name, bool (*meets)(const TrianglePair &), const std::vector<TrianglePair> &pairs,
                    const std::vector<bool> &truth, int repetitions)
{
    TriangleRow row{name, 1e300, 0};
    for (int repetition = 0; repetition < repetitions; repetition++)
    {
        size_t wrong = 0;
        const double start = now();
        for (size_t i = 0; i < pairs.size(); i++)
            wrong += meets(pairs[i]) != truth[i];
        row.nanoseconds = std::min(row.nanoseconds, 1e9 * (now() - start) / static_cast<double>(pairs.size()));
        row.wrong = wrong;
    }
    return row;
}

} // namespace

TriangleTable measure_triangles(const Workload &workload, Oracle &oracle, int repetitions)
{
    TriangleTable table;
    table.workload = workload.name;
    const PoseClass *touch = workload.find("touch");
    std::vector<TrianglePair> pairs;
    std::vector<bool> truth;
    const Model &a = *workload.a, &b = *workload.b;
    for (size_t i = 0; touch && i < touch->poses.size() && pairs.size() < max_pairs; i++)
        for (const Pair &pair : oracle.box_pairs(a, b, touch->poses[i]))
        {
            TrianglePair corners;
            for (size_t k = 0; k < 3; k++)
            {
                corners.a[k] = a.vertices[a.triangles[pair.first][k]];
                corners.b[k] = touch->poses[i].apply(b.vertices[b.triangles[pair.second][k]]);
            }
            pairs.push_back(corners);
            truth.push_back(exact_meets(corners.a[0].data(), corners.b[0].data()));
        }
    table.pairs = pairs.size();
    table.meeting = static_cast<size_t>(std::count(truth.begin(), truth.end(), true));
    if (pairs.empty())
        return table;
    table.rows.push_back(measure("ours, exact", our_meets, pairs, truth, repetitions));
    table.rows.push_back(measure("CGAL, exact", cgal_meets, pairs, truth, repetitions));
    table.rows.push_back(measure("plain, in double", plain_meets, pairs, truth, repetitions));
    table.rows.push_back(measure("libccd GJK", ccd_meets, pairs, truth, repetitions));
    return table;
}

} // namespace bench
