// What contestants share: models, poses, the plain triangle test, clocks.
#include "contest.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>

namespace bench
{

static unsigned threads = 1;

void set_thread_count(unsigned count) { threads = count > 0 ? count : 1; }
unsigned thread_count() { return threads; }

namespace
{

Vec3 minus(const Vec3 &a, const Vec3 &b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
double dot(const Vec3 &a, const Vec3 &b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vec3 cross(const Vec3 &a, const Vec3 &b)
{
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

double read_clock(clockid_t id)
{
    timespec time;
    clock_gettime(id, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

bool separated(const Vec3 &axis, const Vec3 a[3], const Vec3 b[3])
{
    const double a0 = dot(axis, a[0]), a1 = dot(axis, a[1]), a2 = dot(axis, a[2]);
    const double b0 = dot(axis, b[0]), b1 = dot(axis, b[1]), b2 = dot(axis, b[2]);
    return std::max({a0, a1, a2}) < std::min({b0, b1, b2}) || std::max({b0, b1, b2}) < std::min({a0, a1, a2});
}

} // namespace

void Model::measure()
{
    Vec3 low = vertices.at(0), high = low;
    for (const Vec3 &vertex : vertices)
        for (size_t axis = 0; axis < 3; axis++)
        {
            low[axis] = std::min(low[axis], vertex[axis]);
            high[axis] = std::max(high[axis], vertex[axis]);
        }
    for (size_t axis = 0; axis < 3; axis++)
        centre[axis] = 0.5 * (low[axis] + high[axis]);
    const Vec3 extent = minus(high, low);
    diagonal = std::sqrt(dot(extent, extent));
}

Vec3 Pose::apply(const Vec3 &p) const
{
    const std::array<double, 9> &r = rotation;
    return {((r[0] * p[0] + r[1] * p[1]) + r[2] * p[2]) + translation[0],
            ((r[3] * p[0] + r[4] * p[1]) + r[5] * p[2]) + translation[1],
            ((r[6] * p[0] + r[7] * p[1]) + r[8] * p[2]) + translation[2]};
}

bool triangles_meet(const Vec3 a[3], const Vec3 b[3])
{
    const Vec3 edges_a[3] = {minus(a[1], a[0]), minus(a[2], a[1]), minus(a[0], a[2])};
    const Vec3 edges_b[3] = {minus(b[1], b[0]), minus(b[2], b[1]), minus(b[0], b[2])};
    const Vec3 normal_a = cross(edges_a[0], edges_a[1]), normal_b = cross(edges_b[0], edges_b[1]);
    if (separated(normal_a, a, b) || separated(normal_b, a, b))
        return false;
    for (const Vec3 &edge_a : edges_a)
        for (const Vec3 &edge_b : edges_b)
            if (separated(cross(edge_a, edge_b), a, b))
                return false;
    // Only in-plane edge normals separate coplanar triangles.
    for (size_t i = 0; i < 3; i++)
        if (separated(cross(normal_a, edges_a[i]), a, b) || separated(cross(normal_b, edges_b[i]), a, b))
            return false;
    return true;
}

double now() { return read_clock(CLOCK_MONOTONIC); }

Timer::Timer() : processor_(read_clock(CLOCK_THREAD_CPUTIME_ID)), clock_(now()) {}

double Timer::seconds() const
{
    const double clock = now() - clock_;
    return std::min(clock, read_clock(CLOCK_THREAD_CPUTIME_ID) - processor_);
}

} // namespace bench
