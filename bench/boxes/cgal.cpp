// CGAL: box_self_intersection_d, which keeps nothing between steps; static boxes against moving ones apart.
#include "contest.hpp"

#include <CGAL/box_intersection_d.h>

namespace boxes
{
namespace
{

using CgalBox = CGAL::Box_intersection_d::Box_with_info_d<float, 3, uint32_t>;

class Cgal : public Contestant
{
  public:
    std::string name() const override { return "CGAL boxes"; }
    void start(const Step &) override {}
    void advance(const Step &step, Pairs &pairs) override
    {
        pairs.clear();
        moving_.clear();
        still_.clear();
        for (uint32_t i = 0; i < step.boxes.size(); i++)
        {
            float low[3], high[3];
            std::copy(step.boxes[i].low.begin(), step.boxes[i].low.end(), low);
            std::copy(step.boxes[i].high.begin(), step.boxes[i].high.end(), high);
            (step.is_static[i] ? still_ : moving_).emplace_back(low, high, i);
        }
        const auto add = [&pairs](const CgalBox &a, const CgalBox &b) { pairs.emplace_back(a.info(), b.info()); };
        CGAL::box_self_intersection_d(moving_.begin(), moving_.end(), add);
        CGAL::box_intersection_d(moving_.begin(), moving_.end(), still_.begin(), still_.end(), add);
    }

  private:
    std::vector<CgalBox> moving_, still_;
};

} // namespace

void add_cgal(Contestants &contestants) { contestants.push_back(std::make_unique<Cgal>()); }

} // namespace boxes
