// measure.hpp: asks every contestant the same questions in turn, times them, compares what they say.
#pragma once

#include "oracle.hpp"
#include "workload.hpp"

#include <map>

namespace bench
{

struct MeasureOptions
{
    int repetitions = 15;         // per pose; the lowest time counts
    double slow_seconds = 0.5;    // a contestant that needs longer for one pass over the poses gets two more, ...
    double give_up_seconds = 2.0; // ... and after this long it is stopped in the middle of its first
};

struct Timing
{
    double mean_us = 0, median_us = 0; // over poses, of the lowest over repetitions
    size_t asked = 0, wrong = 0;       // answers, and those that the oracle found wrong
    bool complete = false;             // all poses answered
    double work = 0;                   // sum over answers: hits, pairs, or distances; shows that something happened
};

struct Cell
{
    std::string workload, pose_class, question;
    std::map<std::string, Timing> timings; // by contestant
    size_t poses = 0, disagreements = 0, unsettled = 0;
    std::vector<std::string> remarks; // who was wrong where
};

// pose_class "path" asks coherently.
Cell measure_pairs(const Workload &workload, const PoseClass &pose_class, Question question, Contestants &contestants,
                   Oracle &oracle, const MeasureOptions &options);
Cell measure_rays(const Workload &workload, bool coherent, Contestants &contestants, const MeasureOptions &options);

struct BuildRow
{
    std::string builder;
    bool ours = false;
    double build_ms = -1, refit_ms = -1, bytes_per_triangle = -1;
};
struct BuildTable
{
    std::string model;
    size_t triangles = 0;
    std::vector<BuildRow> rows;
};
BuildTable measure_builds(const Model &model, Builders &builders, const MeasureOptions &options);

const char *question_name(Question question);

} // namespace bench
