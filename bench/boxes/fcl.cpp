// FCL: its managers, static boxes in one of their own.
#include "contest.hpp"

#include <fcl/broadphase/broadphase_SSaP.h>
#include <fcl/broadphase/broadphase_SaP.h>
#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/broadphase/broadphase_dynamic_AABB_tree_array.h>
#include <fcl/broadphase/broadphase_interval_tree.h>
#include <fcl/geometry/shape/box.h>

namespace boxes
{
namespace
{

struct Query
{
    const Step *step;
    Pairs *pairs;
};

bool add(fcl::CollisionObjectd *a, fcl::CollisionObjectd *b, void *data)
{
    const Query &query = *static_cast<Query *>(data);
    const auto i = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(a->getUserData()));
    const auto k = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(b->getUserData()));
    if (meet(query.step->boxes[i], query.step->boxes[k])) // boxes from centres and sizes are rounded
        query.pairs->emplace_back(i, k);
    return false;
}

template <class Manager> class Fcl : public Contestant
{
  public:
    explicit Fcl(std::string name) : name_(std::move(name)) {}
    std::string name() const override { return name_; }
    void start(const Step &step) override
    {
        moving_ = std::make_unique<Manager>();
        still_ = std::make_unique<Manager>();
        objects_.clear();
        std::vector<fcl::CollisionObjectd *> groups[2];
        for (uint32_t i = 0; i < step.boxes.size(); i++)
        {
            const Box &box = step.boxes[i];
            const auto shape = std::make_shared<fcl::Boxd>(size(box, 0), size(box, 1), size(box, 2));
            objects_.push_back(std::make_unique<fcl::CollisionObjectd>(shape));
            objects_.back()->setUserData(reinterpret_cast<void *>(static_cast<uintptr_t>(i)));
            place(i, box);
            groups[step.is_static[i]].push_back(objects_.back().get());
        }
        moving_->registerObjects(groups[0]);
        still_->registerObjects(groups[1]);
        moving_->setup();
        still_->setup();
    }
    void advance(const Step &step, Pairs &pairs) override
    {
        pairs.clear();
        changed_.clear();
        for (uint32_t i : step.changed)
        {
            place(i, step.boxes[i]);
            if (!step.is_static[i])
                changed_.push_back(objects_[i].get());
        }
        if (2 * changed_.size() > moving_->size())
            moving_->update();
        else
            moving_->update(changed_);
        Query query{&step, &pairs};
        moving_->collide(&query, add);
        if (!still_->empty())
            moving_->collide(still_.get(), &query, add);
    }

  private:
    std::string name_;
    std::unique_ptr<fcl::BroadPhaseCollisionManagerd> moving_, still_;
    std::vector<std::unique_ptr<fcl::CollisionObjectd>> objects_;
    std::vector<fcl::CollisionObjectd *> changed_;

    void place(uint32_t i, const Box &box)
    {
        objects_[i]->setTranslation(
            {0.5 * (box.low[0] + box.high[0]), 0.5 * (box.low[1] + box.high[1]), 0.5 * (box.low[2] + box.high[2])});
        objects_[i]->computeAABB();
    }
};

} // namespace

void add_fcl(Contestants &contestants)
{
    contestants.push_back(std::make_unique<Fcl<fcl::DynamicAABBTreeCollisionManagerd>>("FCL tree"));
    contestants.push_back(std::make_unique<Fcl<fcl::DynamicAABBTreeCollisionManager_Array<double>>>("FCL tree array"));
    contestants.push_back(std::make_unique<Fcl<fcl::SaPCollisionManagerd>>("FCL sweep"));
    contestants.push_back(std::make_unique<Fcl<fcl::SSaPCollisionManagerd>>("FCL simple sweep"));
    contestants.push_back(std::make_unique<Fcl<fcl::IntervalTreeCollisionManagerd>>("FCL interval tree"));
}

} // namespace boxes
