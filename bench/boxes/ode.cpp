// ODE: its spaces, static boxes in one of their own.
#include "contest.hpp"

#include <ode/ode.h>

namespace boxes
{
namespace
{

class Ode : public Contestant
{
  public:
    enum class Kind
    {
        hash,
        sweep,
        quadtree
    };
    explicit Ode(Kind kind) : kind_(kind) {}
    ~Ode() override { clear(); }
    std::string name() const override
    {
        return kind_ == Kind::hash ? "ODE hash" : kind_ == Kind::sweep ? "ODE sweep" : "ODE quadtree";
    }
    void start(const Step &step) override
    {
        clear();
        moving_ = make(step);
        still_ = make(step);
        for (uint32_t i = 0; i < step.boxes.size(); i++)
        {
            const Box &box = step.boxes[i];
            const dGeomID geom =
                dCreateBox(step.is_static[i] ? still_ : moving_, size(box, 0), size(box, 1), size(box, 2));
            dGeomSetData(geom, reinterpret_cast<void *>(static_cast<uintptr_t>(i)));
            geoms_.push_back(geom);
        }
    }
    void advance(const Step &step, Pairs &pairs) override
    {
        pairs.clear();
        Query query{&step, &pairs};
        for (uint32_t i : step.changed)
        {
            const Box &box = step.boxes[i];
            dGeomSetPosition(geoms_[i], 0.5 * (box.low[0] + box.high[0]), 0.5 * (box.low[1] + box.high[1]),
                             0.5 * (box.low[2] + box.high[2]));
        }
        dSpaceCollide(moving_, &query, add);
        dSpaceCollide2(reinterpret_cast<dGeomID>(moving_), reinterpret_cast<dGeomID>(still_), &query, add);
    }

  private:
    struct Query
    {
        const Step *step;
        Pairs *pairs;
    };
    Kind kind_;
    dSpaceID moving_ = nullptr, still_ = nullptr;
    std::vector<dGeomID> geoms_;

    void clear()
    {
        if (moving_)
            dSpaceDestroy(moving_), dSpaceDestroy(still_);
        moving_ = still_ = nullptr;
        geoms_.clear();
    }
    dSpaceID make(const Step &step) const
    {
        if (kind_ == Kind::hash)
            return dHashSpaceCreate(nullptr);
        if (kind_ == Kind::sweep)
            return dSweepAndPruneSpaceCreate(nullptr, dSAP_AXES_XYZ);
        Box all = step.boxes[0];
        for (const Box &box : step.boxes)
            for (size_t axis = 0; axis < 3; axis++)
                all.low[axis] = std::min(all.low[axis], box.low[axis]),
                all.high[axis] = std::max(all.high[axis], box.high[axis]);
        dVector3 centre{}, extents{};
        for (size_t axis = 0; axis < 3; axis++)
            centre[axis] = 0.5 * (all.low[axis] + all.high[axis]),
            extents[axis] = 0.55 * (all.high[axis] - all.low[axis]);
        return dQuadTreeSpaceCreate(nullptr, centre, extents, 6);
    }
    static void add(void *data, dGeomID a, dGeomID b)
    {
        const Query &query = *static_cast<Query *>(data);
        if (dGeomIsSpace(a) || dGeomIsSpace(b))
            return dSpaceCollide2(a, b, data, add);
        const auto i = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(dGeomGetData(a)));
        const auto k = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(dGeomGetData(b)));
        if (meet(query.step->boxes[i], query.step->boxes[k])) // boxes from centres and sizes are rounded
            query.pairs->emplace_back(i, k);
    }
};

} // namespace

void add_ode(Contestants &contestants)
{
    dInitODE2(0);
    for (Ode::Kind kind : {Ode::Kind::hash, Ode::Kind::sweep, Ode::Kind::quadtree})
        contestants.push_back(std::make_unique<Ode>(kind));
}

} // namespace boxes
