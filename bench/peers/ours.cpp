// Carom: the presets fast and tight for pairs, each asked cold and with a pair cache, the rays preset for rays.
#include "contest.hpp"

#include <algorithm>
#include <carom/carom.h>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace bench
{
namespace
{

// The context with everything made from it, freed in the right order.
struct Session
{
    carom_context *context = nullptr;
    carom_query *query = nullptr;
    carom_pair_cache *cache = nullptr;
    std::vector<carom_mesh *> meshes;
    std::vector<carom_tree *> trees;

    Session()
    {
        carom_context_def def = carom_context_def_default();
        def.workers = thread_count() > 1 ? thread_count() : def.workers;
        require(carom_context_create(&def, &context));
        require(carom_query_create(context, &query));
        require(carom_pair_cache_create(context, &cache));
    }
    Session(const Session &) = delete;
    Session &operator=(const Session &) = delete;
    ~Session()
    {
        for (carom_tree *tree : trees)
            carom_tree_destroy(tree);
        for (carom_mesh *mesh : meshes)
            carom_mesh_destroy(mesh);
        carom_pair_cache_destroy(cache);
        carom_query_destroy(query);
        carom_context_destroy(context);
    }
    void require(carom_status status) const
    {
        if (status == CAROM_OK)
            return;
        char message[256] = "";
        if (context)
            carom_context_message(context, message, sizeof message);
        throw std::runtime_error(std::string("carom: ") + carom_status_name(status) + " " + message);
    }
    const carom_mesh *add_mesh(const Model &model)
    {
        carom_mesh_def def = carom_mesh_def_default();
        def.vertices_f64 = reinterpret_cast<const double *>(model.vertices.data());
        def.vertex_count = model.vertices.size();
        def.indices_u32 = model.triangles.data()->data();
        def.triangle_count = model.triangles.size();
        def.name = model.name.c_str();
        carom_mesh *mesh = nullptr;
        require(carom_mesh_create(context, &def, &mesh));
        meshes.push_back(mesh);
        return mesh;
    }
    carom_tree *add_tree(const carom_mesh *mesh, const carom_tree_def &def)
    {
        carom_tree *tree = nullptr;
        require(carom_tree_create(context, mesh, &def, &tree));
        trees.push_back(tree);
        return tree;
    }
    void drop_trees()
    {
        for (carom_tree *tree : trees)
            carom_tree_destroy(tree);
        trees.clear();
    }
    void drop_meshes_but(const carom_mesh *kept)
    {
        for (carom_mesh *mesh : meshes)
            if (mesh != kept)
                carom_mesh_destroy(mesh);
        meshes.erase(
            std::remove_if(meshes.begin(), meshes.end(), [kept](const carom_mesh *mesh) { return mesh != kept; }),
            meshes.end());
    }
};

class OurContestant : public Contestant
{
  public:
    OurContestant(std::string label, carom_tree_preset preset, bool cached)
        : label_(std::move(label)), preset_(preset), cached_(cached)
    {
    }
    std::string name() const override { return label_; }
    bool ours() const override { return true; }
    bool coherent() const override { return cached_; }
    bool can(Question question) const override
    {
        return preset_ == CAROM_TREE_RAYS ? question == Question::rays
                                          : question != Question::rays && (!cached_ || question != Question::all_pairs);
    }
    bool load(const Model &a, const Model &b) override
    {
        const carom_tree_def def = carom_tree_def_preset(preset_);
        a_.shape = carom_shape_tree(session_.add_tree(session_.add_mesh(a), def));
        b_ = a_;
        if (&a != &b && preset_ != CAROM_TREE_RAYS)
            b_.shape = carom_shape_tree(session_.add_tree(session_.add_mesh(b), def));
        a_.pose = carom_pose_identity();
        return true;
    }
    bool any_hit(const Pose &pose) override
    {
        carom_collide_options options = carom_collide_options_default();
        options.mode = CAROM_COLLIDE_ANY;
        options.cache = cached_ ? session_.cache : nullptr;
        carom_report report;
        place(pose);
        session_.require(carom_collide(session_.query, &a_, &b_, &options, &report));
        return report.pair_count > 0;
    }
    const std::vector<Pair> &all_pairs(const Pose &pose) override
    {
        carom_report report;
        place(pose);
        session_.require(carom_collide(session_.query, &a_, &b_, nullptr, &report));
        pairs_.clear();
        for (uint64_t i = 0; i < report.pairs_listed; i++)
            pairs_.emplace_back(report.pairs[i].triangle_a, report.pairs[i].triangle_b);
        return pairs_;
    }
    double distance(const Pose &pose) override
    {
        carom_distance_options options = carom_distance_options_default();
        options.cache = cached_ ? session_.cache : nullptr;
        carom_report report;
        place(pose);
        session_.require(carom_distance(session_.query, &a_, &b_, &options, &report));
        return report.distance;
    }
    RayHit ray(const Ray &ray) override
    {
        const carom_ray query = {{ray.origin[0], ray.origin[1], ray.origin[2]},
                                 {ray.direction[0], ray.direction[1], ray.direction[2]},
                                 std::numeric_limits<double>::infinity()};
        carom_ray_report report;
        session_.require(carom_ray_cast(session_.query, &a_, &query, CAROM_RAY_FIRST, &report));
        return {report.hit_count > 0, report.hit_count > 0 ? report.hits[0].t : 0};
    }

  private:
    std::string label_;
    carom_tree_preset preset_;
    bool cached_;
    Session session_;
    carom_placed a_{}, b_{};
    std::vector<Pair> pairs_;

    void place(const Pose &pose)
    {
        std::copy(pose.rotation.begin(), pose.rotation.end(), b_.pose.rotation);
        b_.pose.translation = {pose.translation[0], pose.translation[1], pose.translation[2]};
    }
};

class OurBuilder : public Builder
{
  public:
    OurBuilder(std::string label, const carom_tree_def &def) : label_(std::move(label)), def_(def) {}
    std::string name() const override { return label_; }
    bool ours() const override { return true; }
    bool load(const Model &model) override
    {
        model_ = &model;
        session_ = std::make_unique<Session>();
        mesh_ = session_->add_mesh(model);
        return true;
    }
    void build() override { tree_ = session_->add_tree(mesh_, def_); }
    bool can_refit() const override { return true; }
    void move(const std::vector<Vec3> &vertices) override
    {
        carom_mesh_def def = carom_mesh_def_default();
        def.vertices_f64 = reinterpret_cast<const double *>(vertices.data());
        def.vertex_count = vertices.size();
        carom_mesh *moved = nullptr;
        session_->require(carom_mesh_deform(mesh_, &def, &moved));
        session_->meshes.push_back(moved);
        moved_ = moved;
    }
    void refit() override { session_->require(carom_tree_refit(tree_, moved_)); }
    double bytes() const override { return static_cast<double>(carom_tree_get_info(tree_).bytes); }
    void drop() override
    {
        session_->drop_trees();
        session_->drop_meshes_but(mesh_);
    }

  private:
    std::string label_;
    carom_tree_def def_;
    const Model *model_ = nullptr;
    std::unique_ptr<Session> session_;
    const carom_mesh *mesh_ = nullptr, *moved_ = nullptr;
    carom_tree *tree_ = nullptr;
};

carom_tree_def binary_boxes(carom_builder builder)
{
    carom_tree_def def = carom_tree_def_default();
    def.volume = CAROM_VOLUME_AABB;
    def.layout = CAROM_LAYOUT_BINARY;
    def.builder = builder;
    return def;
}

} // namespace

void add_ours(Contestants &contestants, Builders &builders)
{
    contestants.push_back(std::make_unique<OurContestant>("ours fast", CAROM_TREE_FAST, false));
    contestants.push_back(std::make_unique<OurContestant>("ours tight", CAROM_TREE_TIGHT, false));
    contestants.push_back(std::make_unique<OurContestant>("ours fast cached", CAROM_TREE_FAST, true));
    contestants.push_back(std::make_unique<OurContestant>("ours tight cached", CAROM_TREE_TIGHT, true));
    contestants.push_back(std::make_unique<OurContestant>("ours rays", CAROM_TREE_RAYS, false));
    const auto add = [&](const char *name, const carom_tree_def &def)
    { builders.push_back(std::make_unique<OurBuilder>(name, def)); };
    add("ours fast", carom_tree_def_preset(CAROM_TREE_FAST));
    add("ours tight", carom_tree_def_preset(CAROM_TREE_TIGHT));
    add("ours rays", carom_tree_def_preset(CAROM_TREE_RAYS));
    carom_tree_def quick_rays = carom_tree_def_preset(CAROM_TREE_RAYS);
    quick_rays.builder = CAROM_BUILDER_MORTON;
    add("ours rays morton", quick_rays);
    add("ours AABB sah", binary_boxes(CAROM_BUILDER_SAH));
    add("ours AABB morton", binary_boxes(CAROM_BUILDER_MORTON));
}

} // namespace bench
