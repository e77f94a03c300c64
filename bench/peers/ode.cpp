// ODE: trimesh against trimesh through OPCODE, asked for one unimportant contact, which is the cheapest question that
// the public interface has. ODE still lets OPCODE list every pair before it looks at the first, so its any-hit time is
// that of all pairs plus one contact. Its contacts are merged: no pair list can be read from them.
#include "contest.hpp"

#include <ode/ode.h>

namespace bench
{
namespace
{

struct OdeMesh
{
    dTriMeshDataID data = nullptr;
    dGeomID geom = nullptr;
    std::vector<double> vertices;
    std::vector<dTriIndex> indices;

    explicit OdeMesh(const Model &model)
    {
        for (const Vec3 &vertex : model.vertices)
            vertices.insert(vertices.end(), vertex.begin(), vertex.end());
        for (const Triangle &triangle : model.triangles)
            indices.insert(indices.end(), triangle.begin(), triangle.end());
        data = dGeomTriMeshDataCreate();
        dGeomTriMeshDataBuildDouble(data, vertices.data(), 3 * sizeof(double), static_cast<int>(model.vertices.size()),
                                    indices.data(), static_cast<int>(indices.size()), 3 * sizeof(dTriIndex));
        geom = dCreateTriMesh(nullptr, data, nullptr, nullptr, nullptr);
    }
    OdeMesh(const OdeMesh &) = delete;
    OdeMesh &operator=(const OdeMesh &) = delete;
    ~OdeMesh()
    {
        dGeomDestroy(geom);
        dGeomTriMeshDataDestroy(data);
    }
};

void start_ode()
{
    static const bool started = []
    {
        dInitODE2(0);
        dAllocateODEDataForThread(dAllocateMaskAll);
        return true;
    }();
    (void)started;
}

class OdeContestant : public Contestant
{
  public:
    std::string name() const override { return "ODE"; }
    bool can(Question question) const override { return question == Question::any_hit; }
    bool load(const Model &a, const Model &b) override
    {
        start_ode();
        a_ = std::make_unique<OdeMesh>(a);
        b_ = std::make_unique<OdeMesh>(b);
        return true;
    }
    bool any_hit(const Pose &pose) override
    {
        const std::array<double, 9> &r = pose.rotation;
        const dMatrix3 rotation = {r[0], r[1], r[2], 0, r[3], r[4], r[5], 0, r[6], r[7], r[8], 0};
        dGeomSetRotation(b_->geom, rotation);
        dGeomSetPosition(b_->geom, pose.translation[0], pose.translation[1], pose.translation[2]);
        dContactGeom contact;
        return dCollide(a_->geom, b_->geom, static_cast<int>(CONTACTS_UNIMPORTANT | 1), &contact, sizeof contact) > 0;
    }

  private:
    std::unique_ptr<OdeMesh> a_, b_;
};

class OdeBuilder : public Builder
{
  public:
    std::string name() const override { return "ODE OPCODE"; }
    bool load(const Model &model) override
    {
        start_ode();
        model_ = &model;
        return true;
    }
    void build() override { tree_ = std::make_unique<OdeMesh>(*model_); }
    bool can_refit() const override { return true; }
    void move(const std::vector<Vec3> &vertices) override
    {
        for (size_t i = 0; i < vertices.size(); i++)
            for (size_t axis = 0; axis < 3; axis++)
                tree_->vertices[3 * i + axis] = vertices[i][axis];
    }
    void refit() override { dGeomTriMeshDataUpdate(tree_->data); }
    void drop() override { tree_.reset(); }

  private:
    const Model *model_ = nullptr;
    std::unique_ptr<OdeMesh> tree_;
};

} // namespace

void add_ode(Contestants &contestants, Builders &builders)
{
    contestants.push_back(std::make_unique<OdeContestant>());
    builders.push_back(std::make_unique<OdeBuilder>());
}

} // namespace bench
