// contest.hpp: what every library in the bench has to answer, and on what.
//
// A contestant is one library in one configuration, loaded with two models. Body a stands at the origin, body b at the
// pose of the question. Contestants that can't answer a question say so; nothing is emulated for them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace bench
{

using Vec3 = std::array<double, 3>;
using Triangle = std::array<uint32_t, 3>;
using Pair = std::pair<uint32_t, uint32_t>;

struct Model
{
    std::string name;
    std::vector<Vec3> vertices;
    std::vector<Triangle> triangles;
    Vec3 centre{}; // of the bounding box
    double diagonal = 0;
    void measure();
};

// Row-major rotation, then translation: the same form and rounding as carom_pose.
struct Pose
{
    std::array<double, 9> rotation{1, 0, 0, 0, 1, 0, 0, 0, 1};
    Vec3 translation{};
    Vec3 apply(const Vec3 &point) const;
};

struct Ray
{
    Vec3 origin, direction; // direction of length 1
};

struct RayHit
{
    bool hit = false;
    double t = 0;
};

enum class Question
{
    any_hit,
    all_pairs,
    distance,
    rays
};

class Contestant
{
  public:
    virtual ~Contestant() = default;
    virtual std::string name() const = 0;
    virtual bool ours() const { return false; }
    virtual bool can(Question question) const = 0;
    // Does it get faster when poses follow one another closely? The others are asked cold.
    virtual bool coherent() const { return false; }

    // Builds whatever the library needs for the two models, which outlive the contestant. False: the library refuses
    // them, and why() says why.
    virtual bool load(const Model &a, const Model &b) = 0;
    virtual std::string why() const { return {}; }

    virtual bool any_hit(const Pose &) { return false; }
    // Returns the number of pairs. The list is owned by the contestant and valid until its next question.
    virtual const std::vector<Pair> &all_pairs(const Pose &) { return no_pairs; }
    virtual double distance(const Pose &) { return 0; }
    // Against model a alone.
    virtual RayHit ray(const Ray &) { return {}; }

  private:
    std::vector<Pair> no_pairs;
};

// One library's way to build the tree of one model.
class Builder
{
  public:
    virtual ~Builder() = default;
    virtual std::string name() const = 0;
    virtual bool ours() const { return false; }
    virtual bool load(const Model &model) = 0;
    virtual void prepare() {} // copies the caller's arrays, if the library requires that
    virtual void build() = 0; // timed
    virtual bool can_refit() const { return false; }
    virtual void move(const std::vector<Vec3> &) {} // new vertices, not timed where that can be separated
    virtual void refit() {}                         // timed
    virtual double bytes() const { return -1; }     // of the tree; negative: measured by the allocator
    virtual void drop() = 0;                        // what build made
};

using Contestants = std::vector<std::unique_ptr<Contestant>>;
using Builders = std::vector<std::unique_ptr<Builder>>;

// Each library adds itself.
void add_fcl(Contestants &contestants, Builders &builders);
void add_ode(Contestants &contestants, Builders &builders);
void add_bullet(Contestants &contestants, Builders &builders);
void add_embree(Contestants &contestants, Builders &builders);
void add_cgal(Contestants &contestants, Builders &builders);
void add_pqp(Contestants &contestants, Builders &builders);    // where its folder was named
void add_opcode(Contestants &contestants, Builders &builders); // likewise
void add_ours(Contestants &contestants, Builders &builders);

// Plain separating-axis test in double, for libraries that only propose pairs of boxes.
bool triangles_meet(const Vec3 a[3], const Vec3 b[3]);

double now(); // seconds

// Threads of the libraries that can share a build: ours and Embree. Set it before any of them is created.
void set_thread_count(unsigned count);
unsigned thread_count();

// Seconds since its construction: elapsed time or, if less, this thread's CPU time, so that other programs on the
// machine matter less.
class Timer
{
  public:
    Timer();
    double seconds() const;

  private:
    double processor_, clock_;
};

} // namespace bench
