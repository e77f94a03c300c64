// Broad phases of several libraries on the same moving boxes. All coordinates are floats, so that libraries of single
// and double precision see the same boxes.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace boxes
{

// Large pages for large arrays, as the engine has them for its boxes: whoever reads a million boxes in an order of his
// own would measure page tables otherwise.
template <class T> struct LargePages
{
    using value_type = T;
    LargePages() = default;
    template <class U> LargePages(const LargePages<U> &) {}
    T *allocate(size_t count)
    {
        const size_t page = size_t{1} << 21, size = (count * sizeof(T) + page - 1) / page * page;
        void *memory = std::aligned_alloc(page, size);
        if (!memory)
            throw std::bad_alloc();
#ifdef __linux__
        madvise(memory, size, MADV_HUGEPAGE); // a wish
#endif
        return static_cast<T *>(memory);
    }
    void deallocate(T *memory, size_t) { std::free(memory); }
    template <class U> bool operator==(const LargePages<U> &) const { return true; }
    template <class U> bool operator!=(const LargePages<U> &) const { return false; }
};

struct Box
{
    std::array<float, 3> low, high;
};

// Boxes at one moment, and those that differ from the moment before.
struct Step
{
    std::vector<Box, LargePages<Box>> boxes;
    std::vector<std::array<double, 6>, LargePages<std::array<double, 6>>>
        exact; // the same for those who take doubles: low, high
    std::vector<bool> is_static;
    std::vector<uint32_t> changed;
};

using Pairs = std::vector<std::pair<uint32_t, uint32_t>>;

inline bool meet(const Box &a, const Box &b)
{
    for (size_t axis = 0; axis < 3; axis++)
        if (a.low[axis] > b.high[axis] || b.low[axis] > a.high[axis])
            return false;
    return true;
}

// For those who take a centre and a size: a little larger, as the box around the centre must not lose anything.
inline double size(const Box &box, size_t axis)
{
    const double exact = static_cast<double>(box.high[axis]) - box.low[axis];
    return exact + 1e-6 * (exact + std::abs(box.low[axis]));
}

class Contestant
{
  public:
    virtual ~Contestant() = default;
    virtual std::string name() const = 0;
    virtual void start(const Step &step) = 0;
    // Takes the changed boxes over and lists the pairs, in any order; each once. Two static ones are no pair.
    virtual void advance(const Step &step, Pairs &pairs) = 0;
    // Not timed: for those whose list has another form.
    virtual void convert(Pairs &) {}
    // Bytes per box at the peak, and those of the longest list of pairs; empty: not counted.
    virtual std::string memory() const { return ""; }
};

using Contestants = std::vector<std::unique_ptr<Contestant>>;
void add_ours(Contestants &contestants, const std::vector<std::string> &kinds);
void add_bullet(Contestants &contestants);
void add_cgal(Contestants &contestants);
void add_embree(Contestants &contestants);
void add_fcl(Contestants &contestants);
void add_ode(Contestants &contestants);

// A scene: how boxes begin and move.
class Scene
{
  public:
    Scene(const std::string &name, uint32_t count);
    const Step &step() const { return step_; }
    void advance();
    static const std::vector<std::string> &names();
    static const std::vector<std::string> &more_names(); // of scenes that run only if they are asked for

  private:
    std::string name_;
    uint64_t state_ = 88172645463325252ull;
    double side_;
    Step step_;
    std::vector<std::array<float, 3>> velocity_;

    double uniform();
    double normal();
    void place(uint32_t i);
    void copy(uint32_t i);
    bool moves(uint32_t i) const;
};

} // namespace boxes
