// PQP 1.3 (Gottschalk, Larsen, Manocha 1999): oriented boxes for collision, swept rectangles for distance, in double.
//
// Not packaged: the user builds it and names its folder (CAROM_PQP_DIR), with PQP.h in include/ or src/ and
// libPQP.a in lib/, where its own Makefile puts it. A model remembers the closest triangles of its last distance; they
// are reset to what they were after building, since contestants are asked cold.
#include "contest.hpp"

#include <PQP.h>

namespace bench
{
namespace
{

struct PqpPose
{
    PQP_REAL rotation[3][3], translation[3];

    explicit PqpPose(const Pose &pose)
    {
        for (size_t row = 0; row < 3; row++)
        {
            for (size_t column = 0; column < 3; column++)
                rotation[row][column] = pose.rotation[3 * row + column];
            translation[row] = pose.translation[row];
        }
    }
};

std::shared_ptr<PQP_Model> make_model(const Model &model)
{
    auto result = std::make_shared<PQP_Model>();
    result->BeginModel(static_cast<int>(model.triangles.size()));
    for (size_t i = 0; i < model.triangles.size(); i++)
    {
        const Triangle &triangle = model.triangles[i];
        result->AddTri(model.vertices[triangle[0]].data(), model.vertices[triangle[1]].data(),
                       model.vertices[triangle[2]].data(), static_cast<int>(i));
    }
    result->EndModel();
    return result;
}

class PqpContestant : public Contestant
{
  public:
    std::string name() const override { return "PQP"; }
    bool can(Question question) const override { return question != Question::rays; }
    bool load(const Model &a, const Model &b) override
    {
        a_ = make_model(a);
        b_ = &a == &b ? a_ : make_model(b);
        return true;
    }
    bool any_hit(const Pose &pose) override
    {
        collide(pose, PQP_FIRST_CONTACT);
        return found_.NumPairs() > 0;
    }
    const std::vector<Pair> &all_pairs(const Pose &pose) override
    {
        collide(pose, PQP_ALL_CONTACTS);
        pairs_.clear();
        for (int i = 0; i < found_.NumPairs(); i++)
            pairs_.emplace_back(static_cast<uint32_t>(found_.Id1(i)), static_cast<uint32_t>(found_.Id2(i)));
        return pairs_;
    }
    double distance(const Pose &pose) override
    {
        PqpPose place_b(pose);
        a_->last_tri = a_->tris;
        b_->last_tri = b_->tris;
        PQP_DistanceResult result;
        PQP_Distance(&result, place_a_.rotation, place_a_.translation, a_.get(), place_b.rotation, place_b.translation,
                     b_.get(), 0, 0);
        return result.Distance();
    }

  private:
    std::shared_ptr<PQP_Model> a_, b_;
    PqpPose place_a_{Pose{}};
    PQP_CollideResult found_; // keeps its list from question to question
    std::vector<Pair> pairs_;

    void collide(const Pose &pose, int which)
    {
        PqpPose place_b(pose);
        PQP_Collide(&found_, place_a_.rotation, place_a_.translation, a_.get(), place_b.rotation, place_b.translation,
                    b_.get(), which);
    }
};

class PqpBuilder : public Builder
{
  public:
    std::string name() const override { return "PQP"; }
    bool load(const Model &model) override
    {
        model_ = &model;
        return true;
    }
    void build() override { tree_ = make_model(*model_); }
    void drop() override { tree_.reset(); }

  private:
    const Model *model_ = nullptr;
    std::shared_ptr<PQP_Model> tree_;
};

} // namespace

void add_pqp(Contestants &contestants, Builders &builders)
{
    contestants.push_back(std::make_unique<PqpContestant>());
    builders.push_back(std::make_unique<PqpBuilder>());
}

} // namespace bench
