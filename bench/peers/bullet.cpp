// Bullet: GImpact's quantised box trees, called directly, without the cost of a world or a contact cache,
// propose pairs; a plain triangle test decides. (GImpact's own triangle test takes whatever lies behind a triangle's
// plane for a contact, which is no answer to the question here.) For rays and refit its usual static mesh
// (btOptimizedBvh). Single precision, as Debian builds it. No distance between meshes. Any-hit stops at the first
// proposed pair that meets.
#include "contest.hpp"

#include <BulletCollision/CollisionDispatch/btCollisionWorld.h>
#include <BulletCollision/CollisionShapes/btBvhTriangleMeshShape.h>
#include <BulletCollision/CollisionShapes/btOptimizedBvh.h>
#include <BulletCollision/CollisionShapes/btTriangleIndexVertexArray.h>
#include <BulletCollision/Gimpact/btGImpactShape.h>
#include <BulletCollision/NarrowPhaseCollision/btRaycastCallback.h>

namespace bench
{
namespace
{

struct BulletArrays
{
    std::vector<float> vertices;
    std::vector<int> indices;
    std::unique_ptr<btTriangleIndexVertexArray> mesh;

    explicit BulletArrays(const Model &model)
    {
        for (const Vec3 &vertex : model.vertices)
            for (double coordinate : vertex)
                vertices.push_back(static_cast<float>(coordinate));
        for (const Triangle &triangle : model.triangles)
            for (uint32_t index : triangle)
                indices.push_back(static_cast<int>(index));
        mesh = std::make_unique<btTriangleIndexVertexArray>(
            static_cast<int>(model.triangles.size()), indices.data(), static_cast<int>(3 * sizeof(int)),
            static_cast<int>(model.vertices.size()), vertices.data(), static_cast<int>(3 * sizeof(float)));
    }
};

struct GImpactModel
{
    BulletArrays arrays;
    btGImpactMeshShape shape;

    explicit GImpactModel(const Model &model) : arrays(model), shape(arrays.mesh.get())
    {
        shape.setMargin(0);
        shape.updateBound();
        part()->lockChildShapes();
    }
    btGImpactMeshShapePart *part() { return shape.getMeshPart(0); }
};

// The nearest hit along a ray, in fractions of its length.
struct NearestHit : public btTriangleRaycastCallback
{
    NearestHit(const btVector3 &from, const btVector3 &to) : btTriangleRaycastCallback(from, to) {}
    bool hit = false;
    btScalar reportHit(const btVector3 &, btScalar fraction, int, int) override
    {
        hit = true;
        return fraction;
    }
};

class BulletContestant : public Contestant
{
  public:
    std::string name() const override { return "Bullet GImpact"; }
    bool can(Question question) const override { return question != Question::distance; }
    bool load(const Model &a, const Model &b) override
    {
        a_ = std::make_unique<GImpactModel>(a);
        b_ = std::make_unique<GImpactModel>(b);
        model_a_ = &a;
        model_b_ = &b;
        reach_ = 4 * a.diagonal;
        static_arrays_ = std::make_unique<BulletArrays>(a);
        static_ = std::make_unique<btBvhTriangleMeshShape>(static_arrays_->mesh.get(), true);
        return true;
    }
    bool any_hit(const Pose &pose) override
    {
        collide(pose, true);
        return !pairs_.empty();
    }
    const std::vector<Pair> &all_pairs(const Pose &pose) override
    {
        collide(pose, false);
        return pairs_;
    }
    RayHit ray(const Ray &ray) override
    {
        const btVector3 from = to_bullet(ray.origin);
        const btVector3 to = from + static_cast<btScalar>(reach_) * to_bullet(ray.direction);
        NearestHit nearest(from, to);
        static_->performRaycast(&nearest, from, to);
        return {nearest.hit, nearest.hit ? static_cast<double>(nearest.m_hitFraction) * reach_ : 0};
    }

  private:
    std::unique_ptr<GImpactModel> a_, b_;
    std::unique_ptr<BulletArrays> static_arrays_;
    std::unique_ptr<btBvhTriangleMeshShape> static_;
    std::vector<Pair> pairs_;
    const Model *model_a_ = nullptr, *model_b_ = nullptr;
    double reach_ = 0; // how long a ray is

    static btVector3 to_bullet(const Vec3 &v)
    {
        return {static_cast<btScalar>(v[0]), static_cast<btScalar>(v[1]), static_cast<btScalar>(v[2])};
    }
    static btTransform to_bullet(const Pose &pose)
    {
        btScalar r[9];
        for (size_t i = 0; i < 9; i++)
            r[i] = static_cast<btScalar>(pose.rotation[i]);
        return btTransform(btMatrix3x3(r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8]),
                           to_bullet(pose.translation));
    }
    void collide(const Pose &pose, bool first_only)
    {
        const btTransform place = to_bullet(pose);
        btPairSet proposals;
        btGImpactQuantizedBvh::find_collision(a_->part()->getBoxSet(), btTransform::getIdentity(),
                                              b_->part()->getBoxSet(), place, proposals);
        pairs_.clear();
        for (int i = 0; i < proposals.size(); i++)
        {
            const auto first = static_cast<uint32_t>(proposals[i].m_index1);
            const auto second = static_cast<uint32_t>(proposals[i].m_index2);
            Vec3 a[3], b[3];
            for (size_t k = 0; k < 3; k++)
            {
                a[k] = model_a_->vertices[model_a_->triangles[first][k]];
                b[k] = pose.apply(model_b_->vertices[model_b_->triangles[second][k]]);
            }
            if (!triangles_meet(a, b))
                continue;
            pairs_.emplace_back(first, second);
            if (first_only)
                return;
        }
    }
};

class BulletBuilder : public Builder
{
  public:
    std::string name() const override { return "Bullet"; }
    bool load(const Model &model) override
    {
        arrays_ = std::make_unique<BulletArrays>(model);
        return true;
    }
    void build() override { tree_ = std::make_unique<btBvhTriangleMeshShape>(arrays_->mesh.get(), true); }
    bool can_refit() const override { return true; }
    void move(const std::vector<Vec3> &vertices) override
    {
        for (size_t i = 0; i < vertices.size(); i++)
            for (size_t axis = 0; axis < 3; axis++)
                arrays_->vertices[3 * i + axis] = static_cast<float>(vertices[i][axis]);
    }
    void refit() override
    {
        btVector3 low, high;
        arrays_->mesh->calculateAabbBruteForce(low, high);
        tree_->refitTree(low, high);
    }
    void drop() override { tree_.reset(); }

  private:
    std::unique_ptr<BulletArrays> arrays_;
    std::unique_ptr<btBvhTriangleMeshShape> tree_;
};

} // namespace

void add_bullet(Contestants &contestants, Builders &builders)
{
    contestants.push_back(std::make_unique<BulletContestant>());
    builders.push_back(std::make_unique<BulletBuilder>());
}

} // namespace bench
