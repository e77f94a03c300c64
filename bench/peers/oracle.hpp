// oracle.hpp: decides which answer is right where contestants disagree. Exact predicates on the vertices as Carom's
// contract places them; candidates come from CGAL's box intersection, not from a tree of ours.
#pragma once

#include "contest.hpp"

namespace bench
{

class Oracle
{
  public:
    explicit Oracle(double seconds) : seconds_left_(seconds) {}
    bool has_time() const { return seconds_left_ > 0; }

    // All pairs of triangles whose boxes overlap.
    std::vector<Pair> box_pairs(const Model &a, const Model &b, const Pose &pose);
    // All pairs that meet, sorted: every pair of triangles whose boxes overlap is looked at.
    std::vector<Pair> all_pairs(const Model &a, const Model &b, const Pose &pose);
    // The smallest distance of the surfaces, given that it is at most `bound`.
    double distance(const Model &a, const Model &b, const Pose &pose, double bound);

    size_t triangle_pairs_decided = 0;
    size_t predicates_differ = 0; // our exact test against CGAL's exact predicates

  private:
    double seconds_left_;
    bool meets(const Vec3 a[3], const Vec3 b[3]);
};

} // namespace bench
