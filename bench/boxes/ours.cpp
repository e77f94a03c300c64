// Carom: each broad phase, fed with the boxes that changed.
#include "bench/boxes/ours.h"

#include "contest.hpp"

#include <cstdio>
#include <stdexcept>

namespace boxes
{
namespace
{

class Ours : public Contestant
{
  public:
    Ours(std::string kind, bool sorted) : kind_(std::move(kind)), sorted_(sorted) {}
    ~Ours() override
    {
        if (self_)
            ours_destroy(self_);
    }
    std::string name() const override { return "ours " + kind_ + (sorted_ ? " sorted" : ""); }
    void start(const Step &step) override
    {
        if (self_)
            ours_destroy(self_);
        const std::vector<unsigned char> is_static(step.is_static.begin(), step.is_static.end());
        self_ = ours_create(kind_.c_str(), is_static.size(), is_static.data());
        if (!self_)
            throw std::runtime_error("no broad phase " + kind_);
    }
    void advance(const Step &step, Pairs &) override
    {
        found_ = ours_find(self_, reinterpret_cast<const double(*)[6]>(step.exact.data()), step.changed.data(),
                           step.changed.size(), &count_);
        if (sorted_ && !ours_sort(self_))
            throw std::runtime_error("no memory to sort");
    }
    void convert(Pairs &pairs) override
    {
        pairs.resize(count_);
        for (size_t i = 0; i < count_; i++)
            pairs[i] = {static_cast<uint32_t>(found_[i] >> 32), static_cast<uint32_t>(found_[i])};
    }
    std::string memory() const override
    {
        if (sorted_ || !self_)
            return "";
        char text[96];
        std::snprintf(text, sizeof text, ", at most %.1f bytes per box, and %.1f for the list of pairs",
                      ours_memory(self_), ours_list(self_));
        return text;
    }

  private:
    std::string kind_;
    bool sorted_;
    ours *self_ = nullptr;
    const uint64_t *found_ = nullptr;
    size_t count_ = 0;
};

} // namespace

void add_ours(Contestants &contestants, const std::vector<std::string> &kinds)
{
    for (const bool sorted : {false, true})
        for (const std::string &kind : kinds)
            contestants.push_back(std::make_unique<Ours>(kind, sorted));
}

} // namespace boxes
