// Embree 3: rtcCollide of boxes as user geometry, refitted or built again in each step, static ones in a scene of their
// own. One thread.
#include "contest.hpp"

#include <embree3/rtcore.h>

namespace boxes
{
namespace
{

RTCDevice device()
{
    static RTCDevice shared = rtcNewDevice("threads=1,user_threads=1,set_affinity=0");
    return shared;
}

class Embree : public Contestant
{
  public:
    explicit Embree(bool refit) : refit_(refit) {}
    ~Embree() override { clear(); }
    std::string name() const override { return refit_ ? "Embree refit" : "Embree low"; }
    void start(const Step &step) override
    {
        clear();
        step_ = &step;
        for (uint32_t i = 0; i < step.boxes.size(); i++)
            ids_[step.is_static[i]].push_back(i);
        for (int still = 0; still < 2; still++)
            if (!ids_[still].empty())
                make(still);
    }
    void advance(const Step &step, Pairs &pairs) override
    {
        pairs.clear();
        step_ = &step;
        pairs_ = &pairs;
        if (!scenes_[0])
            return;
        rtcCommitGeometry(geometries_[0]);
        rtcCommitScene(scenes_[0]);
        other_ = 0;
        rtcCollide(scenes_[0], scenes_[0], add, this);
        other_ = 1;
        if (scenes_[1])
            rtcCollide(scenes_[0], scenes_[1], add, this);
    }

  private:
    bool refit_;
    const Step *step_ = nullptr;
    Pairs *pairs_ = nullptr;
    int other_ = 0;
    std::vector<uint32_t> ids_[2];
    RTCScene scenes_[2] = {nullptr, nullptr};
    RTCGeometry geometries_[2] = {nullptr, nullptr};
    struct Side
    {
        Embree *self;
        int still;
    } sides_[2] = {{this, 0}, {this, 1}};

    void clear()
    {
        for (int still = 0; still < 2; still++)
        {
            if (scenes_[still])
                rtcReleaseScene(scenes_[still]);
            scenes_[still] = nullptr;
            ids_[still].clear();
        }
    }
    void make(int still)
    {
        scenes_[still] = rtcNewScene(device());
        rtcSetSceneBuildQuality(scenes_[still], RTC_BUILD_QUALITY_LOW);
        rtcSetSceneFlags(scenes_[still], RTC_SCENE_FLAG_DYNAMIC);
        RTCGeometry geometry = rtcNewGeometry(device(), RTC_GEOMETRY_TYPE_USER);
        rtcSetGeometryBuildQuality(geometry, refit_ && !still ? RTC_BUILD_QUALITY_REFIT : RTC_BUILD_QUALITY_LOW);
        rtcSetGeometryUserPrimitiveCount(geometry, static_cast<unsigned>(ids_[still].size()));
        rtcSetGeometryUserData(geometry, &sides_[still]);
        rtcSetGeometryBoundsFunction(geometry, bounds, nullptr);
        rtcSetGeometryIntersectFunction(geometry, [](const RTCIntersectFunctionNArguments *) {});
        rtcSetGeometryOccludedFunction(geometry, [](const RTCOccludedFunctionNArguments *) {});
        rtcCommitGeometry(geometry);
        rtcAttachGeometryByID(scenes_[still], geometry, 0);
        rtcReleaseGeometry(geometry);
        rtcCommitScene(scenes_[still]);
        geometries_[still] = rtcGetGeometry(scenes_[still], 0);
    }
    static void bounds(const RTCBoundsFunctionArguments *arguments)
    {
        const Side &side = *static_cast<const Side *>(arguments->geometryUserPtr);
        const Box &box = side.self->step_->boxes[side.self->ids_[side.still][arguments->primID]];
        *arguments->bounds_o = {box.low[0], box.low[1], box.low[2], 0, box.high[0], box.high[1], box.high[2], 0};
    }
    static void add(void *data, RTCCollision *found, unsigned count)
    {
        const Embree &self = *static_cast<const Embree *>(data);
        for (unsigned i = 0; i < count; i++)
        {
            if (self.other_ == 0 && found[i].primID0 >= found[i].primID1)
                continue;
            const uint32_t a = self.ids_[0][found[i].primID0], b = self.ids_[self.other_][found[i].primID1];
            if (meet(self.step_->boxes[a], self.step_->boxes[b])) // its boxes may be larger
                self.pairs_->emplace_back(a, b);
        }
    }
};

} // namespace

void add_embree(Contestants &contestants)
{
    contestants.push_back(std::make_unique<Embree>(false));
    contestants.push_back(std::make_unique<Embree>(true));
}

} // namespace boxes
