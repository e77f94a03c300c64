// The oracle by exact predicates: Carom's, each answer compared with CGAL's, on candidates from CGAL's box
// intersection.
#include "oracle.hpp"

#include "exact.h"

#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/box_intersection_d.h>
#include <algorithm>
#include <cmath>

namespace bench
{
namespace
{

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
static_assert(sizeof(Vec3[3]) == 9 * sizeof(double), "three corners are nine coordinates");
using Box = CGAL::Box_intersection_d::Box_with_info_d<double, 3, uint32_t>;

std::vector<Vec3> place(const Model &model, const Pose &pose)
{
    std::vector<Vec3> placed;
    for (const Vec3 &vertex : model.vertices)
        placed.push_back(pose.apply(vertex));
    return placed;
}

void corners(const Model &model, const std::vector<Vec3> &placed, uint32_t triangle, Vec3 out[3])
{
    for (size_t i = 0; i < 3; i++)
        out[i] = placed[model.triangles[triangle][i]];
}

std::vector<Box> boxes(const Model &model, const std::vector<Vec3> &placed, double margin)
{
    std::vector<Box> result;
    for (uint32_t i = 0; i < model.triangles.size(); i++)
    {
        Vec3 c[3];
        corners(model, placed, i, c);
        double low[3], high[3];
        for (size_t axis = 0; axis < 3; axis++)
        {
            low[axis] = std::min({c[0][axis], c[1][axis], c[2][axis]}) - margin;
            high[axis] = std::max({c[0][axis], c[1][axis], c[2][axis]}) + margin;
        }
        result.emplace_back(low, high, i);
    }
    return result;
}

Kernel::Triangle_3 to_cgal(const Vec3 t[3])
{
    return {Kernel::Point_3(t[0][0], t[0][1], t[0][2]), Kernel::Point_3(t[1][0], t[1][1], t[1][2]),
            Kernel::Point_3(t[2][0], t[2][1], t[2][2])};
}

class Stopwatch
{
  public:
    explicit Stopwatch(double &left) : left_(left), start_(now()) {}
    ~Stopwatch() { left_ -= now() - start_; }

  private:
    double &left_;
    double start_;
};

} // namespace

bool Oracle::meets(const Vec3 a[3], const Vec3 b[3])
{
    triangle_pairs_decided++;
    const bool answer = exact_meets(a[0].data(), b[0].data());
    // A second, foreign opinion; CGAL's test is not defined for degenerate triangles.
    const Kernel::Triangle_3 cgal_a = to_cgal(a), cgal_b = to_cgal(b);
    if (!cgal_a.is_degenerate() && !cgal_b.is_degenerate() && CGAL::do_intersect(cgal_a, cgal_b) != answer)
        predicates_differ++;
    return answer;
}

std::vector<Pair> Oracle::box_pairs(const Model &a, const Model &b, const Pose &pose)
{
    Stopwatch watch(seconds_left_);
    const std::vector<Vec3> placed_b = place(b, pose);
    std::vector<Box> boxes_a = boxes(a, a.vertices, 0), boxes_b = boxes(b, placed_b, 0);
    std::vector<Pair> result;
    CGAL::box_intersection_d(boxes_a.begin(), boxes_a.end(), boxes_b.begin(), boxes_b.end(),
                             [&](const Box &box_a, const Box &box_b)
                             { result.emplace_back(box_a.info(), box_b.info()); });
    return result;
}

std::vector<Pair> Oracle::all_pairs(const Model &a, const Model &b, const Pose &pose)
{
    std::vector<Pair> candidates = box_pairs(a, b, pose), result;
    Stopwatch watch(seconds_left_);
    for (const Pair &pair : candidates)
    {
        Vec3 corner_a[3], corner_b[3];
        for (size_t i = 0; i < 3; i++)
        {
            corner_a[i] = a.vertices[a.triangles[pair.first][i]];
            corner_b[i] = pose.apply(b.vertices[b.triangles[pair.second][i]]);
        }
        if (meets(corner_a, corner_b))
            result.push_back(pair);
    }
    std::sort(result.begin(), result.end());
    return result;
}

double Oracle::distance(const Model &a, const Model &b, const Pose &pose, double bound)
{
    Stopwatch watch(seconds_left_);
    const std::vector<Vec3> placed_b = place(b, pose);
    std::vector<Box> boxes_a = boxes(a, a.vertices, bound * (1 + 1e-6)), boxes_b = boxes(b, placed_b, 0);
    double lowest = INFINITY;
    CGAL::box_intersection_d(boxes_a.begin(), boxes_a.end(), boxes_b.begin(), boxes_b.end(),
                             [&](const Box &box_a, const Box &box_b)
                             {
                                 Vec3 corner_a[3], corner_b[3];
                                 corners(a, a.vertices, box_a.info(), corner_a);
                                 corners(b, placed_b, box_b.info(), corner_b);
                                 lowest = std::min(lowest, exact_distance(corner_a[0].data(), corner_b[0].data()));
                             });
    return lowest;
}

} // namespace bench
