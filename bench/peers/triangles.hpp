// triangles.hpp: the triangle test alone, on the pairs of triangles that a mesh query would have to decide. Here libccd
// takes part, which knows convex shapes only.
#pragma once

#include "oracle.hpp"
#include "workload.hpp"

namespace bench
{

struct TriangleRow
{
    std::string name;
    double nanoseconds = 0; // per pair
    size_t wrong = 0;
};
struct TriangleTable
{
    std::string workload;
    size_t pairs = 0, meeting = 0;
    std::vector<TriangleRow> rows;
};
TriangleTable measure_triangles(const Workload &workload, Oracle &oracle, int repetitions);

} // namespace bench
