// Embree 3: rtcCollide over user geometries for mesh pairs (it knows no poses, so body b's vertices are placed and its
// tree refitted for each question, and it proposes boxes only, so a plain triangle test decides), rtcIntersect1 for
// rays, its three builders, its refit. One thread, single precision.
#include "contest.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <embree3/rtcore.h>
#include <limits>
#include <string>

namespace bench
{
namespace
{

RTCDevice device()
{
    static RTCDevice shared =
        rtcNewDevice(("threads=" + std::to_string(thread_count()) + ",user_threads=1,set_affinity=0").c_str());
    return shared;
}

// Triangles as user primitives, the only kind that rtcCollide accepts.
struct UserScene
{
    const Model *model;
    std::vector<Vec3> placed;
    RTCScene scene;
    RTCGeometry geometry;

    explicit UserScene(const Model &source)
        : model(&source), placed(source.vertices), scene(rtcNewScene(device())),
          geometry(rtcNewGeometry(device(), RTC_GEOMETRY_TYPE_USER))
    {
        // Only a scene of low quality heeds what its geometries ask for.
        rtcSetSceneBuildQuality(scene, RTC_BUILD_QUALITY_LOW);
        rtcSetSceneFlags(scene, RTC_SCENE_FLAG_DYNAMIC);
        rtcSetGeometryBuildQuality(geometry, RTC_BUILD_QUALITY_REFIT);
        rtcSetGeometryUserPrimitiveCount(geometry, static_cast<unsigned>(source.triangles.size()));
        rtcSetGeometryUserData(geometry, this);
        rtcSetGeometryBoundsFunction(geometry, bounds, nullptr);
        rtcCommitGeometry(geometry);
        rtcAttachGeometry(scene, geometry);
        rtcCommitScene(scene);
    }
    UserScene(const UserScene &) = delete;
    UserScene &operator=(const UserScene &) = delete;
    ~UserScene()
    {
        rtcReleaseGeometry(geometry);
        rtcReleaseScene(scene);
    }
    void place(const Pose &pose)
    {
        for (size_t i = 0; i < placed.size(); i++)
            placed[i] = pose.apply(model->vertices[i]);
        rtcCommitGeometry(geometry);
        rtcCommitScene(scene);
    }
    void corners(uint32_t triangle, Vec3 out[3]) const
    {
        for (size_t i = 0; i < 3; i++)
            out[i] = placed[model->triangles[triangle][i]];
    }
    static void bounds(const RTCBoundsFunctionArguments *arguments)
    {
        const auto *self = static_cast<const UserScene *>(arguments->geometryUserPtr);
        Vec3 corner[3];
        self->corners(arguments->primID, corner);
        float low[3], high[3];
        for (size_t axis = 0; axis < 3; axis++)
        {
            const double lowest = std::min({corner[0][axis], corner[1][axis], corner[2][axis]});
            const double highest = std::max({corner[0][axis], corner[1][axis], corner[2][axis]});
            low[axis] = round_down(lowest);
            high[axis] = -round_down(-highest);
        }
        *arguments->bounds_o = {low[0], low[1], low[2], 0, high[0], high[1], high[2], 0};
    }
    static float round_down(double value)
    {
        const float rounded = static_cast<float>(value);
        return static_cast<double>(rounded) > value ? std::nextafter(rounded, -std::numeric_limits<float>::infinity())
                                                    : rounded;
    }
};

struct TriangleScene
{
    RTCScene scene;
    RTCGeometry geometry;

    TriangleScene(const Model &model, RTCBuildQuality quality, bool dynamic)
        : scene(rtcNewScene(device())), geometry(rtcNewGeometry(device(), RTC_GEOMETRY_TYPE_TRIANGLE))
    {
        rtcSetSceneBuildQuality(scene, dynamic ? RTC_BUILD_QUALITY_LOW : quality);
        if (dynamic)
            rtcSetSceneFlags(scene, RTC_SCENE_FLAG_DYNAMIC);
        rtcSetGeometryBuildQuality(geometry, dynamic ? RTC_BUILD_QUALITY_REFIT : quality);
        auto *vertices = static_cast<float *>(rtcSetNewGeometryBuffer(
            geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 3 * sizeof(float), model.vertices.size()));
        auto *indices = static_cast<uint32_t *>(rtcSetNewGeometryBuffer(
            geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 3 * sizeof(uint32_t), model.triangles.size()));
        set_vertices(vertices, model.vertices);
        for (const Triangle &triangle : model.triangles)
            indices = std::copy(triangle.begin(), triangle.end(), indices);
        rtcCommitGeometry(geometry);
        rtcAttachGeometry(scene, geometry);
    }
    TriangleScene(const TriangleScene &) = delete;
    TriangleScene &operator=(const TriangleScene &) = delete;
    ~TriangleScene()
    {
        rtcReleaseGeometry(geometry);
        rtcReleaseScene(scene);
    }
    static void set_vertices(float *out, const std::vector<Vec3> &vertices)
    {
        for (const Vec3 &vertex : vertices)
            for (double coordinate : vertex)
                *out++ = static_cast<float>(coordinate);
    }
};

class EmbreeContestant : public Contestant
{
  public:
    std::string name() const override { return "Embree"; }
    bool can(Question question) const override { return question != Question::distance; }
    bool load(const Model &a, const Model &b) override
    {
        a_ = std::make_unique<UserScene>(a);
        b_ = std::make_unique<UserScene>(b);
        rays_ = std::make_unique<TriangleScene>(a, RTC_BUILD_QUALITY_HIGH, false);
        rtcCommitScene(rays_->scene);
        return true;
    }
    bool any_hit(const Pose &pose) override { return !collide(pose, true).empty(); }
    const std::vector<Pair> &all_pairs(const Pose &pose) override { return collide(pose, false); }
    RayHit ray(const Ray &ray) override
    {
        RTCIntersectContext context;
        rtcInitIntersectContext(&context);
        RTCRayHit query{};
        query.ray.org_x = static_cast<float>(ray.origin[0]);
        query.ray.org_y = static_cast<float>(ray.origin[1]);
        query.ray.org_z = static_cast<float>(ray.origin[2]);
        query.ray.dir_x = static_cast<float>(ray.direction[0]);
        query.ray.dir_y = static_cast<float>(ray.direction[1]);
        query.ray.dir_z = static_cast<float>(ray.direction[2]);
        query.ray.tfar = std::numeric_limits<float>::infinity();
        query.ray.mask = ~0u;
        query.hit.geomID = RTC_INVALID_GEOMETRY_ID;
        rtcIntersect1(rays_->scene, &context, &query);
        return {query.hit.geomID != RTC_INVALID_GEOMETRY_ID, static_cast<double>(query.ray.tfar)};
    }

  private:
    std::unique_ptr<UserScene> a_, b_;
    std::unique_ptr<TriangleScene> rays_;
    std::vector<Pair> pairs_;
    bool first_only_ = false;

    const std::vector<Pair> &collide(const Pose &pose, bool first_only)
    {
        b_->place(pose);
        pairs_.clear();
        first_only_ = first_only;
        rtcCollide(a_->scene, b_->scene, decide, this);
        return pairs_;
    }
    static void decide(void *user, RTCCollision *collisions, unsigned count)
    {
        auto *self = static_cast<EmbreeContestant *>(user);
        for (unsigned i = 0; i < count && !(self->first_only_ && !self->pairs_.empty()); i++)
        {
            Vec3 a[3], b[3];
            self->a_->corners(collisions[i].primID0, a);
            self->b_->corners(collisions[i].primID1, b);
            if (triangles_meet(a, b))
                self->pairs_.emplace_back(collisions[i].primID0, collisions[i].primID1);
        }
    }
};

// What the tree takes, by Embree's own account.
std::atomic<int64_t> bytes_held{0};
bool watch_memory(void *, ssize_t bytes, bool)
{
    bytes_held += bytes;
    return true;
}

class EmbreeBuilder : public Builder
{
  public:
    EmbreeBuilder(std::string label, RTCBuildQuality quality, bool refits)
        : label_(std::move(label)), quality_(quality), refits_(refits)
    {
    }
    std::string name() const override { return label_; }
    bool load(const Model &model) override
    {
        model_ = &model;
        rtcSetDeviceMemoryMonitorFunction(device(), watch_memory, nullptr);
        return true;
    }
    // Filling the buffers is the caller's work everywhere else, so only the commit is timed.
    void prepare() override
    {
        tree_ = std::make_unique<TriangleScene>(*model_, quality_, refits_);
        before_ = bytes_held;
    }
    void build() override
    {
        rtcCommitScene(tree_->scene);
        bytes_ = static_cast<double>(bytes_held - before_);
    }
    bool can_refit() const override { return refits_; }
    void move(const std::vector<Vec3> &vertices) override
    {
        TriangleScene::set_vertices(
            static_cast<float *>(rtcGetGeometryBufferData(tree_->geometry, RTC_BUFFER_TYPE_VERTEX, 0)), vertices);
        rtcUpdateGeometryBuffer(tree_->geometry, RTC_BUFFER_TYPE_VERTEX, 0);
        rtcCommitGeometry(tree_->geometry);
    }
    void refit() override { rtcCommitScene(tree_->scene); }
    double bytes() const override { return bytes_; }
    void drop() override { tree_.reset(); }

  private:
    std::string label_;
    RTCBuildQuality quality_;
    bool refits_;
    const Model *model_ = nullptr;
    std::unique_ptr<TriangleScene> tree_;
    int64_t before_ = 0;
    double bytes_ = -1;
};

} // namespace

void add_embree(Contestants &contestants, Builders &builders)
{
    contestants.push_back(std::make_unique<EmbreeContestant>());
    builders.push_back(std::make_unique<EmbreeBuilder>("Embree low", RTC_BUILD_QUALITY_LOW, false));
    builders.push_back(std::make_unique<EmbreeBuilder>("Embree medium", RTC_BUILD_QUALITY_MEDIUM, false));
    builders.push_back(std::make_unique<EmbreeBuilder>("Embree high", RTC_BUILD_QUALITY_HIGH, false));
    builders.push_back(std::make_unique<EmbreeBuilder>("Embree dynamic", RTC_BUILD_QUALITY_MEDIUM, true));
}

} // namespace bench
