// workload.hpp: which models at which poses. Poses after Trenkel, Weller and Zachmann: random orientations, body b
// moved along the centre line to a given distance of the surfaces. They are placed with FCL's distance, not with ours,
// and kept on disk, since placing is slow.
#pragma once

#include "contest.hpp"

#include <functional>
#include <map>

namespace bench
{

struct PoseClass
{
    std::string name; // "5%", "touch", "deep", "path", ...
    std::vector<Pose> poses;
};

struct Workload
{
    std::string name;
    std::shared_ptr<Model> a, b; // the same object where a model meets itself
    bool inside = false;         // a is an environment: b is placed somewhere among its parts
    std::vector<PoseClass> classes;
    const PoseClass *find(const std::string &pose_class) const;
};

struct WorkloadOptions
{
    std::string data_folder;  // models
    std::string cache_folder; // placed poses
    std::vector<std::string> only;
    bool quick = false;
    bool place = false; // poses for pairs are wanted
    uint32_t orientations = 20;
    uint64_t seed = 1;
};

// What there is, without loading anything. Absent model files are named on stderr.
std::vector<std::string> workload_names(const WorkloadOptions &options);
Workload load_workload(const std::string &name, const WorkloadOptions &options);

// Deterministic numbers, the same everywhere.
class Random
{
  public:
    explicit Random(uint64_t seed) : state_(seed) {}
    uint64_t bits();
    double unit(); // [0, 1)
    Vec3 direction();
    Pose orientation(); // uniform over rotations

  private:
    uint64_t state_;
};

} // namespace bench
