// Places body b at each distance from body a with FCL, and keeps the poses in a cache on disk.
#include "workload.hpp"

#include "fcl_model.hpp"
#include "models.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace bench
{
namespace
{

constexpr uint64_t pose_format = 4; // raise it when the procedure changes: old files are then replaced
constexpr size_t path_length = 50;

Vec3 operator+(const Vec3 &a, const Vec3 &b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
Vec3 operator-(const Vec3 &a, const Vec3 &b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Vec3 operator*(double s, const Vec3 &a) { return {s * a[0], s * a[1], s * a[2]}; }
double length(const Vec3 &a) { return std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]); }

Pose quaternion_pose(double x, double y, double z, double w)
{
    Pose pose;
    pose.rotation = {1 - 2 * (y * y + z * z), 2 * (x * y - z * w),     2 * (x * z + y * w),
                     2 * (x * y + z * w),     1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
                     2 * (x * z - y * w),     2 * (y * z + x * w),     1 - 2 * (x * x + y * y)};
    return pose;
}

std::array<double, 9> multiply(const std::array<double, 9> &a, const std::array<double, 9> &b)
{
    std::array<double, 9> product{};
    for (size_t row = 0; row < 3; row++)
        for (size_t column = 0; column < 3; column++)
            for (size_t k = 0; k < 3; k++)
                product[3 * row + column] += a[3 * row + k] * b[3 * k + column];
    return product;
}

// Turned by the angle about an axis of length 1; small angles only, so that no sine is needed.
std::array<double, 9> small_turn(const Vec3 &axis, double angle)
{
    const Vec3 h = (0.5 * angle) * axis;
    const double scale = 1 / std::sqrt(1 + h[0] * h[0] + h[1] * h[1] + h[2] * h[2]);
    return quaternion_pose(h[0] * scale, h[1] * scale, h[2] * scale, scale).rotation;
}

// Places body b with FCL's distance.
class Placer
{
  public:
    Placer(const Workload &workload, const WorkloadOptions &options)
        : workload_(workload), options_(options), a_(make_fcl_model<fcl::RSSd>(*workload.a)),
          b_(workload.a == workload.b ? a_ : make_fcl_model<fcl::RSSd>(*workload.b)),
          size_(workload.inside ? workload.b->diagonal : std::max(workload.a->diagonal, workload.b->diagonal))
    {
    }
    std::vector<PoseClass> place()
    {
        std::vector<PoseClass> classes = {{"deep", {}}, {"touch", {}}, {"0.1%", {}}, {"1%", {}},
                                          {"5%", {}},   {"10%", {}},   {"path", {}}};
        Random random(options_.seed * 1000003 + workload_.a->triangles.size());
        const double gaps[] = {0.1, 0.05, 0.01, 0.001, 1e-7};
        for (uint32_t i = 0; i < options_.orientations;)
        {
            Pose pose = random.orientation();
            const Vec3 direction = random.direction();
            double offset = 0;
            const Vec3 target = start(random, pose, offset);
            double at_gap[5] = {};
            bool reached = true;
            for (size_t gap = 0; gap < 5 && reached; gap++)
                reached = approach(pose, target, direction, gaps[gap] * size_, offset, at_gap[gap]);
            if (!reached) // it slipped past
                continue;
            auto add = [&](size_t into, double where)
            {
                Pose placed = pose;
                set_centre(placed, target + where * direction);
                classes[into].poses.push_back(placed);
            };
            add(5, at_gap[0]);
            add(4, at_gap[1]);
            add(3, at_gap[2]);
            add(2, at_gap[3]);
            add(1, at_gap[4] - 0.002 * size_);
            add(0, workload_.inside ? at_gap[4] - 0.4 * size_ : 0.4 * at_gap[4]);
            if (i < 2 || (i < 4 && !options_.quick))
                add_path(classes[6], classes[3].poses.back(), direction, random);
            i++;
        }
        return classes;
    }

  private:
    const Workload &workload_;
    const WorkloadOptions &options_;
    std::shared_ptr<fcl::BVHModel<fcl::RSSd>> a_, b_;
    double size_; // what percentages refer to: among the parts of an environment only b's own makes sense

    double distance(const Pose &pose) const
    {
        fcl::DistanceRequestd request(false);
        fcl::DistanceResultd result;
        fcl::distance(a_.get(), fcl::Transform3d::Identity(), b_.get(), to_fcl(pose), request, result);
        return std::max(result.min_distance, 0.0);
    }
    void set_centre(Pose &pose, const Vec3 &centre) const
    {
        pose.translation = {};
        pose.translation = centre - pose.apply(workload_.b->centre);
    }
    // The point on whose line body b approaches, and how far along the direction it starts, free of a.
    Vec3 start(Random &random, Pose &pose, double &offset) const
    {
        if (!workload_.inside)
        {
            offset = 1.2 * (workload_.a->diagonal + workload_.b->diagonal);
            return workload_.a->centre;
        }
        for (;;)
        {
            Vec3 point = workload_.a->centre;
            for (double &coordinate : point)
                coordinate += (random.unit() - 0.5) * 0.5 * workload_.a->diagonal;
            offset = 0;
            set_centre(pose, point);
            if (distance(pose) > 0.11 * size_)
                return point;
        }
    }
    // Moves against the direction, from the offset, until the surfaces are `gap` apart: no step is longer than the
    // distance allows. Where they never are, or only after very many steps, it says so.
    bool approach(Pose pose, const Vec3 &target, const Vec3 &direction, double gap, double &offset,
                  double &reached) const
    {
        for (int step = 0; step < 1000 && offset > -2 * workload_.a->diagonal; step++)
        {
            set_centre(pose, target + offset * direction);
            const double excess = distance(pose) - gap;
            if (excess <= 1e-3 * gap)
            {
                reached = offset;
                return true;
            }
            offset -= excess;
        }
        return false;
    }
    // Across the centre line in steps of 1 % of the size, turning a little.
    void add_path(PoseClass &into, const Pose &middle, const Vec3 &direction, Random &random) const
    {
        Vec3 across = random.direction();
        const double along = across[0] * direction[0] + across[1] * direction[1] + across[2] * direction[2];
        across = across - along * direction;
        across = (1 / length(across)) * across;
        const Vec3 axis = random.direction();
        const Vec3 centre = middle.apply(workload_.b->centre);
        for (size_t i = 0; i < path_length; i++)
        {
            const double s = static_cast<double>(i) - 0.5 * static_cast<double>(path_length);
            Pose pose;
            pose.rotation = multiply(small_turn(axis, 0.005 * s), middle.rotation);
            set_centre(pose, centre + (0.01 * s * size_) * across);
            into.poses.push_back(pose);
        }
    }
};

std::string cache_path(const Workload &workload, const WorkloadOptions &options)
{
    char key[160];
    std::snprintf(key, sizeof key, "%s-%zu-%zu-%u-%llu-%llu%s.poses", workload.name.c_str(),
                  workload.a->triangles.size(), workload.b->triangles.size(), options.orientations,
                  static_cast<unsigned long long>(options.seed), static_cast<unsigned long long>(pose_format),
                  options.quick ? "q" : "");
    return options.cache_folder + "/" + key;
}

bool read_poses(const std::string &path, std::vector<PoseClass> &classes)
{
    std::FILE *file = std::fopen(path.c_str(), "r");
    if (!file)
        return false;
    char name[64];
    size_t count = 0;
    bool good = true;
    while (good && std::fscanf(file, "%63s %zu", name, &count) == 2)
    {
        PoseClass pose_class{name, {}};
        for (size_t i = 0; i < count && good; i++)
        {
            Pose pose;
            for (double &value : pose.rotation)
                good = good && std::fscanf(file, "%la", &value) == 1;
            for (double &value : pose.translation)
                good = good && std::fscanf(file, "%la", &value) == 1;
            pose_class.poses.push_back(pose);
        }
        classes.push_back(pose_class);
    }
    std::fclose(file);
    return good && !classes.empty();
}

void write_poses(const std::string &path, const std::vector<PoseClass> &classes)
{
    const std::string unfinished = path + ".part";
    std::FILE *file = std::fopen(unfinished.c_str(), "w");
    if (!file)
    {
        std::fprintf(stderr, "cannot write %s\n", unfinished.c_str());
        return;
    }
    for (const PoseClass &pose_class : classes)
    {
        std::fprintf(file, "%s %zu\n", pose_class.name.c_str(), pose_class.poses.size());
        for (const Pose &pose : pose_class.poses)
        {
            for (double value : pose.rotation)
                std::fprintf(file, "%a ", value);
            std::fprintf(file, "%a %a %a\n", pose.translation[0], pose.translation[1], pose.translation[2]);
        }
    }
    std::fclose(file);
    std::filesystem::rename(unfinished, path);
}

} // namespace

uint64_t Random::bits()
{
    // splitmix64
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double Random::unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

Vec3 Random::direction()
{
    for (;;)
    {
        const Vec3 point = {2 * unit() - 1, 2 * unit() - 1, 2 * unit() - 1};
        const double size = length(point);
        if (size <= 1 && size > 0.1)
            return (1 / size) * point;
    }
}

Pose Random::orientation()
{
    for (;;)
    {
        const double q[4] = {2 * unit() - 1, 2 * unit() - 1, 2 * unit() - 1, 2 * unit() - 1};
        const double size = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        if (size <= 1 && size > 0.1)
            return quaternion_pose(q[0] / size, q[1] / size, q[2] / size, q[3] / size);
    }
}

const PoseClass *Workload::find(const std::string &pose_class) const
{
    for (const PoseClass &candidate : classes)
        if (candidate.name == pose_class)
            return &candidate;
    return nullptr;
}

std::vector<std::string> workload_names(const WorkloadOptions &options)
{
    std::vector<std::string> names;
    for (const std::string &name : model_pair_names(options.data_folder, options.quick))
        if (options.only.empty() ||
            std::any_of(options.only.begin(), options.only.end(),
                        [&](const std::string &filter) { return name.find(filter) != std::string::npos; }))
            names.push_back(name);
    return names;
}

Workload load_workload(const std::string &name, const WorkloadOptions &options)
{
    Workload workload;
    workload.name = name;
    load_model_pair(name, options.data_folder, workload);
    if (!options.place)
        return workload;
    std::filesystem::create_directories(options.cache_folder);
    const std::string path = cache_path(workload, options);
    if (!read_poses(path, workload.classes))
    {
        std::fprintf(stderr, "placing %s ...\n", name.c_str());
        workload.classes = Placer(workload, options).place();
        write_poses(path, workload.classes);
    }
    return workload;
}

} // namespace bench
