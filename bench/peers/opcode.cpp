// OPCODE 1.3 (Terdiman 2001): trees of axis-aligned boxes without leaves, plain and quantised, in float. No distances.
//
// Not packaged on its own: the user builds it and names its folder (CAROM_OPCODE_DIR), with Opcode.h (and Ice/
// beside it) there or in OPCODE/, and libOpcode.a (or libOPCODE.a) there, in lib/ or beside the header. The OPCODE
// inside ODE is another contestant: that one is asked through ODE's contacts.
#include "contest.hpp"

#include <Opcode.h>

namespace bench
{
namespace
{

struct OpcodeMesh
{
    std::vector<IceMaths::Point> vertices;
    std::vector<IceMaths::IndexedTriangle> triangles;
    Opcode::MeshInterface mesh;

    OpcodeMesh(const Model &model, double scale) : scale_(scale)
    {
        move(model.vertices);
        for (const Triangle &triangle : model.triangles)
            triangles.emplace_back(triangle[0], triangle[1], triangle[2]);
        mesh.SetNbTriangles(static_cast<uint32_t>(triangles.size()));
        mesh.SetNbVertices(static_cast<uint32_t>(vertices.size()));
        mesh.SetPointers(triangles.data(), vertices.data());
    }
    OpcodeMesh(const OpcodeMesh &) = delete;
    OpcodeMesh &operator=(const OpcodeMesh &) = delete;

    void move(const std::vector<Vec3> &to)
    {
        vertices.clear();
        for (const Vec3 &vertex : to)
            vertices.emplace_back(static_cast<float>(scale_ * vertex[0]), static_cast<float>(scale_ * vertex[1]),
                                  static_cast<float>(scale_ * vertex[2]));
    }

  private:
    double scale_;
};

double scale_of(const Model &model) { return std::exp2(10 - std::ilogb(model.diagonal)); }

// False where OPCODE refuses the mesh.
bool build_tree(OpcodeMesh &mesh, bool quantised, Opcode::Model &tree)
{
    Opcode::OPCODECREATE create;
    create.mIMesh = &mesh.mesh;
    create.mNoLeaf = true;
    create.mQuantized = quantised;
    return tree.Build(create);
}

// Points are rows there: the transpose of ours, the translation in the last row.
IceMaths::Matrix4x4 to_opcode(const Pose &pose, double scale)
{
    IceMaths::Matrix4x4 matrix;
    for (size_t row = 0; row < 3; row++)
    {
        for (size_t column = 0; column < 3; column++)
            matrix.m[column][row] = static_cast<float>(pose.rotation[3 * row + column]);
        matrix.m[3][row] = static_cast<float>(scale * pose.translation[row]);
        matrix.m[row][3] = 0;
    }
    matrix.m[3][3] = 1;
    return matrix;
}

class OpcodeContestant : public Contestant
{
  public:
    OpcodeContestant(std::string label, bool quantised) : label_(std::move(label)), quantised_(quantised)
    {
        collider_.SetTemporalCoherence(false);
    }
    std::string name() const override { return label_; }
    bool can(Question question) const override
    {
        return question == Question::any_hit || question == Question::all_pairs;
    }
    bool load(const Model &a, const Model &b) override
    {
        scale_ = scale_of(a);
        mesh_a_ = std::make_unique<OpcodeMesh>(a, scale_);
        mesh_b_ = std::make_unique<OpcodeMesh>(b, scale_);
        cache_.Model0 = &a_;
        cache_.Model1 = &a == &b ? &a_ : &b_;
        return build_tree(*mesh_a_, quantised_, a_) && (&a == &b || build_tree(*mesh_b_, quantised_, b_));
    }
    std::string why() const override { return "Model::Build failed"; }
    bool any_hit(const Pose &pose) override
    {
        collide(pose, true);
        return collider_.GetContactStatus() != 0;
    }
    const std::vector<Pair> &all_pairs(const Pose &pose) override
    {
        collide(pose, false);
        pairs_.clear();
        for (uint32_t i = 0; i < collider_.GetNbPairs(); i++)
            pairs_.emplace_back(collider_.GetPairs()[i].id0, collider_.GetPairs()[i].id1);
        return pairs_;
    }

  private:
    std::string label_;
    bool quantised_;
    double scale_ = 1;
    std::unique_ptr<OpcodeMesh> mesh_a_, mesh_b_;
    Opcode::Model a_, b_;
    Opcode::BVTCache cache_;
    Opcode::AABBTreeCollider collider_;
    std::vector<Pair> pairs_;

    void collide(const Pose &pose, bool first_only)
    {
        const IceMaths::Matrix4x4 place_a = to_opcode(Pose{}, scale_), place_b = to_opcode(pose, scale_);
        collider_.SetFirstContact(first_only);
        collider_.Collide(cache_, &place_a, &place_b);
    }
};

class OpcodeBuilder : public Builder
{
  public:
    std::string name() const override { return "OPCODE"; }
    bool load(const Model &model) override
    {
        mesh_ = std::make_unique<OpcodeMesh>(model, scale_of(model));
        return true;
    }
    void build() override
    {
        tree_ = std::make_unique<Opcode::Model>();
        build_tree(*mesh_, false, *tree_);
    }
    bool can_refit() const override { return true; }
    void move(const std::vector<Vec3> &vertices) override { mesh_->move(vertices); }
    void refit() override { tree_->Refit(); }
    double bytes() const override { return tree_->GetUsedBytes(); }
    void drop() override { tree_.reset(); }

  private:
    std::unique_ptr<OpcodeMesh> mesh_;
    std::unique_ptr<Opcode::Model> tree_;
};

} // namespace

void add_opcode(Contestants &contestants, Builders &builders)
{
    contestants.push_back(std::make_unique<OpcodeContestant>("OPCODE", false));
    contestants.push_back(std::make_unique<OpcodeContestant>("OPCODE quantised", true));
    builders.push_back(std::make_unique<OpcodeBuilder>());
}

} // namespace bench
