// Bullet: its dynamic trees (two, so that static ones are apart) and its sweep along three axes.
#include "contest.hpp"

#include <BulletCollision/BroadphaseCollision/btAxisSweep3.h>
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>

namespace boxes
{
namespace
{

btVector3 vector(const std::array<float, 3> &v) { return {v[0], v[1], v[2]}; }

class Bullet : public Contestant
{
  public:
    explicit Bullet(bool sweep) : sweep_(sweep) {}
    std::string name() const override { return sweep_ ? "Bullet sweep" : "Bullet dbvt"; }
    void start(const Step &step) override
    {
        btVector3 low(1e9f, 1e9f, 1e9f), high(-1e9f, -1e9f, -1e9f);
        for (const Box &box : step.boxes)
            low.setMin(vector(box.low)), high.setMax(vector(box.high));
        const btVector3 room = 0.2f * (high - low) + btVector3(10, 10, 10); // for what moves
        if (sweep_)
            broadphase_ = std::make_unique<bt32BitAxisSweep3>(
                low - room, high + room, static_cast<unsigned>(step.boxes.size() + 2), nullptr, true);
        else
            broadphase_ = std::make_unique<btDbvtBroadphase>();
        proxies_.clear();
        for (uint32_t i = 0; i < step.boxes.size(); i++)
        {
            const bool still = step.is_static[i];
            proxies_.push_back(broadphase_->createProxy(
                vector(step.boxes[i].low), vector(step.boxes[i].high), 0,
                reinterpret_cast<void *>(static_cast<uintptr_t>(i)),
                still ? btBroadphaseProxy::StaticFilter : btBroadphaseProxy::DefaultFilter,
                still ? btBroadphaseProxy::AllFilter ^ btBroadphaseProxy::StaticFilter : btBroadphaseProxy::AllFilter,
                nullptr));
        }
    }
    void advance(const Step &step, Pairs &pairs) override
    {
        for (uint32_t i : step.changed)
            broadphase_->setAabb(proxies_[i], vector(step.boxes[i].low), vector(step.boxes[i].high), nullptr);
        broadphase_->calculateOverlappingPairs(nullptr);
        pairs.clear();
        btOverlappingPairCache *cache = broadphase_->getOverlappingPairCache();
        const btBroadphasePair *found = cache->getOverlappingPairArrayPtr();
        for (int i = 0; i < cache->getNumOverlappingPairs(); i++)
        {
            const auto a = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(found[i].m_pProxy0->m_clientObject));
            const auto b = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(found[i].m_pProxy1->m_clientObject));
            if (meet(step.boxes[a], step.boxes[b])) // its boxes are larger
                pairs.emplace_back(a, b);
        }
    }

  private:
    bool sweep_;
    std::unique_ptr<btBroadphaseInterface> broadphase_;
    std::vector<btBroadphaseProxy *> proxies_;
};

} // namespace

void add_bullet(Contestants &contestants)
{
    contestants.push_back(std::make_unique<Bullet>(false));
    contestants.push_back(std::make_unique<Bullet>(true));
}

} // namespace boxes
