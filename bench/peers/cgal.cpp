// CGAL: Rigid_triangle_mesh_collision_detection for any-hit (two box trees, exact predicates), an AABB tree asked with
// each placed triangle for all pairs, and for rays. It has no distance between meshes.
#include "contest.hpp"

#include <CGAL/AABB_traits.h>
#include <CGAL/AABB_tree.h>
#include <CGAL/AABB_triangle_primitive.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Rigid_triangle_mesh_collision_detection.h>
#include <CGAL/Surface_mesh.h>

namespace bench
{
namespace
{

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Soup = std::vector<Kernel::Triangle_3>;
using Primitive = CGAL::AABB_triangle_primitive<Kernel, Soup::const_iterator>;
using Tree = CGAL::AABB_tree<CGAL::AABB_traits<Kernel, Primitive>>;
using Surface = CGAL::Surface_mesh<Kernel::Point_3>;

Kernel::Point_3 to_cgal(const Vec3 &v) { return {v[0], v[1], v[2]}; }

Soup make_soup(const Model &model)
{
    Soup soup;
    for (const Triangle &t : model.triangles)
        soup.emplace_back(to_cgal(model.vertices[t[0]]), to_cgal(model.vertices[t[1]]), to_cgal(model.vertices[t[2]]));
    return soup;
}

// A surface mesh accepts no edge twice in the same direction: such triangles get separate corners.
Surface make_surface(const Model &model)
{
    Surface surface;
    std::vector<Surface::Vertex_index> vertices;
    for (const Vec3 &vertex : model.vertices)
        vertices.push_back(surface.add_vertex(to_cgal(vertex)));
    for (const Triangle &t : model.triangles)
    {
        if (surface.add_face(vertices[t[0]], vertices[t[1]], vertices[t[2]]) != Surface::null_face())
            continue;
        surface.add_face(surface.add_vertex(to_cgal(model.vertices[t[0]])),
                         surface.add_vertex(to_cgal(model.vertices[t[1]])),
                         surface.add_vertex(to_cgal(model.vertices[t[2]])));
    }
    return surface;
}

class CgalContestant : public Contestant
{
  public:
    std::string name() const override { return "CGAL"; }
    bool can(Question question) const override { return question != Question::distance; }
    bool load(const Model &a, const Model &b) override
    {
        model_b_ = &b;
        surface_a_ = make_surface(a);
        surface_b_ = make_surface(b);
        a_ = pair_.add_mesh(surface_a_);
        b_ = pair_.add_mesh(surface_b_);
        soup_ = make_soup(a);
        tree_.rebuild(soup_.cbegin(), soup_.cend());
        tree_.build();
        return true;
    }
    bool any_hit(const Pose &pose) override
    {
        const std::array<double, 9> &r = pose.rotation;
        const Vec3 &t = pose.translation;
        pair_.set_transformation(
            b_, Kernel::Aff_transformation_3(r[0], r[1], r[2], t[0], r[3], r[4], r[5], t[1], r[6], r[7], r[8], t[2]));
        return !pair_.get_all_intersections(a_).empty();
    }
    const std::vector<Pair> &all_pairs(const Pose &pose) override
    {
        std::vector<Kernel::Point_3> placed;
        placed.reserve(model_b_->vertices.size());
        for (const Vec3 &vertex : model_b_->vertices)
            placed.push_back(to_cgal(pose.apply(vertex)));
        pairs_.clear();
        std::vector<Soup::const_iterator> found;
        for (uint32_t i = 0; i < model_b_->triangles.size(); i++)
        {
            const Triangle &t = model_b_->triangles[i];
            const Kernel::Triangle_3 query(placed[t[0]], placed[t[1]], placed[t[2]]);
            if (query.is_degenerate())
                continue;
            found.clear();
            tree_.all_intersected_primitives(query, std::back_inserter(found));
            for (Soup::const_iterator other : found)
                pairs_.emplace_back(static_cast<uint32_t>(other - soup_.cbegin()), i);
        }
        return pairs_;
    }
    RayHit ray(const Ray &ray) override
    {
        const Kernel::Vector_3 direction(ray.direction[0], ray.direction[1], ray.direction[2]);
        const Kernel::Point_3 origin = to_cgal(ray.origin);
        const auto hit = tree_.first_intersection(Kernel::Ray_3(origin, direction));
        if (!hit)
            return {};
        if (const Kernel::Point_3 *point = boost::get<Kernel::Point_3>(&hit->first))
            return {true, (*point - origin) * direction};
        return {true, 0};
    }

  private:
    const Model *model_b_ = nullptr;
    Surface surface_a_, surface_b_;
    CGAL::Rigid_triangle_mesh_collision_detection<Surface> pair_;
    size_t a_ = 0, b_ = 0;
    Soup soup_;
    Tree tree_;
    std::vector<Pair> pairs_;
};

class CgalBuilder : public Builder
{
  public:
    std::string name() const override { return "CGAL AABB"; }
    bool load(const Model &model) override
    {
        soup_ = make_soup(model);
        return true;
    }
    void build() override
    {
        tree_ = std::make_unique<Tree>(soup_.cbegin(), soup_.cend());
        tree_->build();
    }
    void drop() override { tree_.reset(); }

  private:
    Soup soup_;
    std::unique_ptr<Tree> tree_;
};

} // namespace

void add_cgal(Contestants &contestants, Builders &builders)
{
    contestants.push_back(std::make_unique<CgalContestant>());
    builders.push_back(std::make_unique<CgalBuilder>());
}

} // namespace bench
