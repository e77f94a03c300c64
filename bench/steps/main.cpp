// carom_bench_steps: steps of a scene of many moving meshes, from new poses to all pairs of triangles that meet, next
// to FCL's managers with its trees, in one run on one thread, numbers of pairs compared.
#include "bench/machine.h"
#include "carom/carom.h"

extern "C"
{
#include "scenes/generate.h"
}

#include <fcl/broadphase/broadphase_SSaP.h>
#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/broadphase/broadphase_dynamic_AABB_tree_array.h>
#include <fcl/fcl.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace
{

struct Options
{
    uint32_t bodies = 10000, meshes = 20, triangles = 1000;
    int steps = 8;
    double spacing =
        1.31; // of the bodies on average, in sizes of a body; by default about half as many pairs as bodies
};

struct Count
{
    uint64_t body_pairs = 0, triangle_pairs = 0;
};

void require(carom_status status)
{
    if (carom_failed(status))
        throw std::runtime_error(carom_status_name(status));
}

// ---- the scene ----

class Random
{
  public:
    double uniform(double low, double high)
    {
        state_ ^= state_ << 13, state_ ^= state_ >> 7, state_ ^= state_ << 17;
        return low + (high - low) * static_cast<double>(state_ >> 11) * 0x1p-53;
    }

  private:
    uint64_t state_ = 88172645463325252ull;
};

struct Body
{
    uint32_t mesh;
    carom_vec3 at, velocity;
    double turn[4], spin[4]; // quaternions, not of length 1
};

class World
{
  public:
    World(carom_context *context, const Options &options) : side_(std::cbrt(options.bodies) * options.spacing)
    {
        const generate_kind kinds[] = {GENERATE_BLOB, GENERATE_TORUS, GENERATE_ICO_SPHERE, GENERATE_GEAR,
                                       GENERATE_TORUS_KNOT};
        for (uint32_t i = 0; i < options.meshes; i++)
        {
            generate_def def = generate_def_default(kinds[i % 5]);
            def.triangles = options.triangles, def.seed = i, def.size = 1.0;
            carom_mesh *mesh;
            require(generate_mesh(context, &def, &mesh));
            meshes.push_back(mesh);
        }
        for (uint32_t i = 0; i < options.bodies; i++)
            add(i % options.meshes);
        advance();
    }
    ~World()
    {
        for (carom_mesh *mesh : meshes)
            carom_mesh_destroy(mesh);
    }
    World(const World &) = delete;
    World &operator=(const World &) = delete;
    void advance()
    {
        poses.clear();
        for (Body &body : bodies_)
        {
            double *at[3] = {&body.at.x, &body.at.y, &body.at.z};
            double *velocity[3] = {&body.velocity.x, &body.velocity.y, &body.velocity.z};
            for (int axis = 0; axis < 3; axis++)
                if ((*at[axis] += *velocity[axis]) < 0.0 || *at[axis] > side_)
                    *velocity[axis] = -*velocity[axis];
            for (int k = 0; k < 4; k++)
                body.turn[k] += 0.02 * body.spin[k];
            poses.push_back(carom_pose_from_quaternion(body.turn, body.at));
        }
    }
    std::vector<carom_mesh *> meshes;
    std::vector<carom_pose> poses;
    uint32_t mesh_of(uint32_t body) const { return bodies_[body].mesh; }

  private:
    double side_;
    Random random_;
    std::vector<Body> bodies_;

    carom_vec3 point(double low, double high)
    {
        carom_vec3 out;
        out.x = random_.uniform(low, high);
        out.y = random_.uniform(low, high);
        out.z = random_.uniform(low, high);
        return out;
    }
    void add(uint32_t mesh)
    {
        Body body = {mesh, point(0.0, side_), point(-0.02, 0.02), {}, {}};
        for (int k = 0; k < 4; k++)
            body.turn[k] = random_.uniform(-1.0, 1.0), body.spin[k] = random_.uniform(-1.0, 1.0);
        bodies_.push_back(body);
    }
};

// ---- who takes part ----

class Contestant
{
  public:
    virtual ~Contestant() = default;
    virtual std::string name() const = 0;
    virtual Count advance(const World &world) = 0;
};

class Ours : public Contestant
{
  public:
    Ours(carom_context *context, const World &world)
    {
        require(carom_scene_create(context, &scene_));
        require(carom_engine_create(context, nullptr, &engine_));
        for (uint32_t i = 0; i < world.poses.size(); i++)
        {
            carom_body_def def = carom_body_def_default();
            def.placed.shape = carom_shape_mesh(world.meshes[world.mesh_of(i)]);
            def.placed.pose = world.poses[i];
            carom_body_id id;
            require(carom_scene_add(scene_, &def, &id));
            ids_.push_back(id);
        }
    }
    ~Ours() override
    {
        carom_engine_destroy(engine_);
        carom_scene_destroy(scene_);
    }
    Ours(const Ours &) = delete;
    Ours &operator=(const Ours &) = delete;
    std::string name() const override { return "ours"; }
    Count advance(const World &world) override
    {
        for (uint32_t i = 0; i < ids_.size(); i++)
            require(carom_scene_move(scene_, ids_[i], &world.poses[i]));
        carom_frame frame;
        carom_scene_report report;
        require(carom_scene_frame(scene_, &frame));
        require(carom_engine_run(engine_, &frame, nullptr, &report));
        if (report.pairs_listed != report.pair_count)
            throw std::runtime_error("pairs are missing in the list");
        Count count;
        count.triangle_pairs = report.pair_count;
        for (uint64_t i = 0; i < report.body_pair_count; i++) // FCL does not know bodies inside others
            count.body_pairs += report.body_pairs[i].pair_count > 0;
        return count;
    }

  private:
    carom_scene *scene_ = nullptr;
    carom_engine *engine_ = nullptr;
    std::vector<carom_body_id> ids_;
};

template <class Volume> std::shared_ptr<fcl::BVHModel<Volume>> to_fcl(const carom_mesh *mesh)
{
    std::vector<fcl::Vector3d> vertices;
    std::vector<fcl::Triangle> triangles;
    const carom_mesh_info info = carom_mesh_get_info(mesh);
    const carom_vec3 *corners = carom_mesh_vertices(mesh);
    const uint32_t *indices = carom_mesh_indices(mesh);
    for (uint32_t i = 0; i < info.vertex_count; i++)
        vertices.emplace_back(corners[i].x, corners[i].y, corners[i].z);
    for (uint32_t i = 0; i < info.triangle_count; i++)
        triangles.emplace_back(indices[3 * i], indices[3 * i + 1], indices[3 * i + 2]);
    auto result = std::make_shared<fcl::BVHModel<Volume>>();
    result->beginModel(static_cast<int>(triangles.size()), static_cast<int>(vertices.size()));
    result->addSubModel(vertices, triangles);
    result->endModel();
    return result;
}

struct Listing
{
    Count count;
    std::vector<std::pair<int, int>> pairs;
};

bool list_pairs(fcl::CollisionObjectd *a, fcl::CollisionObjectd *b, void *data)
{
    Listing &listing = *static_cast<Listing *>(data);
    const fcl::CollisionRequestd request(static_cast<size_t>(1) << 30, false);
    fcl::CollisionResultd result;
    fcl::collide(a, b, request, result);
    for (size_t i = 0; i < result.numContacts(); i++)
        listing.pairs.emplace_back(result.getContact(i).b1, result.getContact(i).b2);
    listing.count.body_pairs += result.isCollision();
    listing.count.triangle_pairs += result.numContacts();
    return false;
}

template <class Manager, class Volume> class Fcl : public Contestant
{
  public:
    Fcl(std::string name, const World &world) : name_(std::move(name))
    {
        std::vector<std::shared_ptr<fcl::BVHModel<Volume>>> models;
        std::vector<fcl::CollisionObjectd *> all;
        for (const carom_mesh *mesh : world.meshes)
            models.push_back(to_fcl<Volume>(mesh));
        for (uint32_t i = 0; i < world.poses.size(); i++)
        {
            objects_.push_back(std::make_unique<fcl::CollisionObjectd>(models[world.mesh_of(i)]));
            place(i, world.poses[i]);
            all.push_back(objects_.back().get());
        }
        manager_.registerObjects(all);
        manager_.setup();
    }
    std::string name() const override { return name_; }
    Count advance(const World &world) override
    {
        for (uint32_t i = 0; i < objects_.size(); i++)
            place(i, world.poses[i]);
        manager_.update();
        listing_.count = Count();
        listing_.pairs.clear();
        manager_.collide(&listing_, list_pairs);
        return listing_.count;
    }

  private:
    std::string name_;
    Manager manager_;
    std::vector<std::unique_ptr<fcl::CollisionObjectd>> objects_;
    Listing listing_;

    void place(uint32_t i, const carom_pose &pose)
    {
        fcl::Transform3d transform = fcl::Transform3d::Identity();
        for (int row = 0; row < 3; row++)
            for (int column = 0; column < 3; column++)
                transform.linear()(row, column) = pose.rotation[3 * row + column];
        transform.translation() = fcl::Vector3d(pose.translation.x, pose.translation.y, pose.translation.z);
        objects_[i]->setTransform(transform);
        objects_[i]->computeAABB();
    }
};

// ---- the contest ----

struct Row
{
    std::unique_ptr<Contestant> contestant;
    std::vector<double> ms;
    Count last;
};

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values.empty() ? 0.0 : values[values.size() / 2];
}

template <class Volume> void add_fcl(std::vector<Row> &rows, const std::string &volume, const World &world)
{
    rows.push_back(
        {std::make_unique<Fcl<fcl::DynamicAABBTreeCollisionManagerd, Volume>>("FCL tree, " + volume, world), {}, {}});
    rows.push_back({std::make_unique<Fcl<fcl::DynamicAABBTreeCollisionManager_Array<double>, Volume>>(
                        "FCL tree array, " + volume, world),
                    {},
                    {}});
    rows.push_back(
        {std::make_unique<Fcl<fcl::SSaPCollisionManagerd, Volume>>("FCL simple sweep, " + volume, world), {}, {}});
}

void run(const Options &options)
{
    carom_context *context;
    require(carom_context_create(nullptr, &context));
    {
        World world(context, options);
        std::vector<Row> rows;
        rows.push_back({std::make_unique<Ours>(context, world), {}, {}});
        add_fcl<fcl::OBBd>(rows, "OBB", world);
        add_fcl<fcl::OBBRSSd>(rows, "OBBRSS", world);
        add_fcl<fcl::kIOSd>(rows, "kIOS", world);
        for (int step = 0; step < options.steps + 2; step++, world.advance()) // two to warm up
            for (Row &row : rows)
            {
                const auto begin = std::chrono::steady_clock::now();
                row.last = row.contestant->advance(world);
                const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
                if (step >= 2)
                    row.ms.push_back(time.count());
            }
        char machine[MACHINE_TEXT_SIZE];
        machine_describe(machine);
        std::printf("%s\n%u bodies, %u meshes of %u triangles, median of %d steps, all pairs listed, one thread\n\n",
                    machine, options.bodies, options.meshes, options.triangles, options.steps);
        std::printf("%-26s %10s %8s %12s %14s\n", "", "ms", "ours is", "body pairs", "triangle pairs");
        const double ours = median(rows[0].ms);
        double best = INFINITY;
        for (const Row &row : rows)
        {
            const double ms = median(row.ms);
            std::printf("%-26s %10.2f %7.2fx %12llu %14llu\n", row.contestant->name().c_str(), ms, ms / ours,
                        static_cast<unsigned long long>(row.last.body_pairs),
                        static_cast<unsigned long long>(row.last.triangle_pairs));
            if (&row != &rows[0])
                best = std::min(best, ms);
        }
        std::printf("\nours is %.2f times as fast as FCL's best\n", best / ours);
    }
    carom_context_destroy(context);
}

bool parse(int argc, char **argv, Options &options)
{
    for (int i = 1; i < argc; i++)
    {
        const bool has_value = i + 1 < argc;
        if (has_value && std::strcmp(argv[i], "--bodies") == 0)
            options.bodies = static_cast<uint32_t>(std::strtoul(argv[++i], nullptr, 10));
        else if (has_value && std::strcmp(argv[i], "--triangles") == 0)
            options.triangles = static_cast<uint32_t>(std::strtoul(argv[++i], nullptr, 10));
        else if (has_value && std::strcmp(argv[i], "--steps") == 0)
            options.steps = std::atoi(argv[++i]);
        else if (has_value && std::strcmp(argv[i], "--spacing") == 0)
            options.spacing = std::atof(argv[++i]);
        else
            return false;
    }
    return options.bodies > 0 && options.triangles >= 100 && options.steps > 0 && options.spacing > 0.0;
}

} // namespace

int main(int argc, char **argv)
{
    Options options;
    if (!parse(argc, argv, options))
    {
        std::fprintf(stderr, "usage: carom_bench_steps [--bodies N] [--triangles N] [--steps N] [--spacing SIZE]\n");
        return 2;
    }
    try
    {
        run(options);
    }
    catch (const std::exception &failure)
    {
        std::fprintf(stderr, "carom_bench_steps: %s\n", failure.what());
        return 2;
    }
    return 0;
}
