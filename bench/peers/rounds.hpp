// rounds.hpp: a sphere or a capsule against a mesh: any-hit, all triangles, distance; at several sizes and distances.
// FCL's BVH models answer the same questions.
#pragma once

#include "measure.hpp"

namespace bench
{

// "sphere any-hit", ... : what the tables are named.
std::vector<std::string> round_questions();

// The cells of one model, for the selected questions.
std::vector<Cell> measure_rounds(const Model &model, const std::vector<std::string> &questions,
                                 const WorkloadOptions &workloads, const MeasureOptions &options);

} // namespace bench
