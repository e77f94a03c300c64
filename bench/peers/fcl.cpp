// FCL: oriented boxes, oriented boxes with swept spheres, k-IOS. (Its AABB, k-DOP and RSS trees rebuild the model in
// every collide call and are left out; RSS is asked for distances only.)
#include "fcl_model.hpp"

#include <limits>

namespace bench
{
namespace
{

template <class Volume> class FclContestant : public Contestant
{
  public:
    FclContestant(std::string label, bool collides, bool measures)
        : label_(std::move(label)), collides_(collides), measures_(measures)
    {
    }
    std::string name() const override { return label_; }
    bool can(Question question) const override
    {
        if (question == Question::distance)
            return measures_;
        return collides_ && (question == Question::any_hit || question == Question::all_pairs);
    }
    bool load(const Model &a, const Model &b) override
    {
        a_ = make_fcl_model<Volume>(a);
        b_ = &a == &b ? a_ : make_fcl_model<Volume>(b);
        return true;
    }
    bool any_hit(const Pose &pose) override
    {
        fcl::CollisionRequestd request(1, false);
        fcl::CollisionResultd result;
        fcl::collide(a_.get(), fcl::Transform3d::Identity(), b_.get(), to_fcl(pose), request, result);
        return result.isCollision();
    }
    const std::vector<Pair> &all_pairs(const Pose &pose) override
    {
        fcl::CollisionRequestd request(static_cast<size_t>(1) << 30, false);
        fcl::CollisionResultd result;
        fcl::collide(a_.get(), fcl::Transform3d::Identity(), b_.get(), to_fcl(pose), request, result);
        pairs_.clear();
        for (size_t i = 0; i < result.numContacts(); i++)
            pairs_.emplace_back(static_cast<uint32_t>(result.getContact(i).b1),
                                static_cast<uint32_t>(result.getContact(i).b2));
        return pairs_;
    }
    double distance(const Pose &pose) override
    {
        fcl::DistanceRequestd request(false);
        fcl::DistanceResultd result;
        fcl::distance(a_.get(), fcl::Transform3d::Identity(), b_.get(), to_fcl(pose), request, result);
        return result.min_distance;
    }

  private:
    std::string label_;
    bool collides_, measures_;
    std::shared_ptr<fcl::BVHModel<Volume>> a_, b_;
    std::vector<Pair> pairs_;
};

template <class Volume> class FclBuilder : public Builder
{
  public:
    explicit FclBuilder(std::string label) : label_(std::move(label)) {}
    std::string name() const override { return label_; }
    bool load(const Model &model) override
    {
        model_ = &model;
        return true;
    }
    void build() override { tree_ = make_fcl_model<Volume>(*model_); }
    bool can_refit() const override { return true; }
    void move(const std::vector<Vec3> &vertices) override
    {
        moved_.clear();
        for (const Vec3 &vertex : vertices)
            moved_.emplace_back(vertex[0], vertex[1], vertex[2]);
    }
    void refit() override
    {
        tree_->beginReplaceModel();
        tree_->replaceSubModel(moved_);
        tree_->endReplaceModel(true, true);
    }
    void drop() override { tree_.reset(); }

  private:
    std::string label_;
    const Model *model_ = nullptr;
    std::shared_ptr<fcl::BVHModel<Volume>> tree_;
    std::vector<fcl::Vector3d> moved_;
};

} // namespace

void add_fcl(Contestants &contestants, Builders &builders)
{
    contestants.push_back(std::make_unique<FclContestant<fcl::OBBd>>("FCL OBB", true, false));
    contestants.push_back(std::make_unique<FclContestant<fcl::OBBRSSd>>("FCL OBBRSS", true, true));
    contestants.push_back(std::make_unique<FclContestant<fcl::kIOSd>>("FCL kIOS", true, true));
    contestants.push_back(std::make_unique<FclContestant<fcl::RSSd>>("FCL RSS", false, true));
    builders.push_back(std::make_unique<FclBuilder<fcl::OBBd>>("FCL OBB"));
    builders.push_back(std::make_unique<FclBuilder<fcl::OBBRSSd>>("FCL OBBRSS"));
}

} // namespace bench
