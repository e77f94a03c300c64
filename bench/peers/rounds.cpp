// Spheres and capsules against a mesh: placed by FCL's distance, timed in turns. Where answers differ, exact
// predicates on every triangle decide.
#include "rounds.hpp"

#include "exact.h"
#include "fcl_model.hpp"

#include <algorithm>
#include <carom/carom.h>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <stdexcept>

namespace bench
{
namespace
{

// A ball where the length is 0. The axis is z, through the middle.
struct Round
{
    double radius = 0, length = 0;
};

// One library in one configuration. The mesh stands at the origin.
class RoundContestant
{
  public:
    virtual ~RoundContestant() = default;
    virtual std::string name() const = 0;
    virtual bool can(Question question) const = 0;
    virtual void set(const Round &round) = 0;
    virtual bool any_hit(const Pose &) = 0;
    virtual const std::vector<uint32_t> &all(const Pose &) = 0;
    virtual double distance(const Pose &) = 0;
};

template <class Volume> class FclRound : public RoundContestant
{
  public:
    FclRound(std::string label, bool collides, bool measures, const Model &model)
        : label_(std::move(label)), collides_(collides), measures_(measures), model_(make_fcl_model<Volume>(model))
    {
    }
    std::string name() const override { return label_; }
    bool can(Question question) const override { return question == Question::distance ? measures_ : collides_; }
    void set(const Round &round) override
    {
        if (round.length > 0)
            shape_ = std::make_unique<fcl::Capsuled>(round.radius, round.length);
        else
            shape_ = std::make_unique<fcl::Sphered>(round.radius);
    }
    bool any_hit(const Pose &pose) override
    {
        fcl::CollisionRequestd request(1, false);
        fcl::CollisionResultd result;
        fcl::collide(model_.get(), fcl::Transform3d::Identity(), shape_.get(), to_fcl(pose), request, result);
        return result.isCollision();
    }
    const std::vector<uint32_t> &all(const Pose &pose) override
    {
        fcl::CollisionRequestd request(static_cast<size_t>(1) << 30, false);
        fcl::CollisionResultd result;
        fcl::collide(model_.get(), fcl::Transform3d::Identity(), shape_.get(), to_fcl(pose), request, result);
        triangles_.clear();
        for (size_t i = 0; i < result.numContacts(); i++)
            triangles_.push_back(static_cast<uint32_t>(result.getContact(i).b1));
        return triangles_;
    }
    double distance(const Pose &pose) override
    {
        fcl::DistanceRequestd request(false);
        fcl::DistanceResultd result;
        fcl::distance(model_.get(), fcl::Transform3d::Identity(), shape_.get(), to_fcl(pose), request, result);
        return result.min_distance;
    }

  private:
    std::string label_;
    bool collides_, measures_;
    std::shared_ptr<fcl::BVHModel<Volume>> model_;
    std::unique_ptr<fcl::CollisionGeometryd> shape_;
    std::vector<uint32_t> triangles_;
};

class OurRound : public RoundContestant
{
  public:
    OurRound(std::string label, carom_tree_preset preset, const Model &model) : label_(std::move(label))
    {
        require(carom_context_create(nullptr, &context_));
        require(carom_query_create(context_, &query_));
        carom_mesh_def def = carom_mesh_def_default();
        def.vertices_f64 = reinterpret_cast<const double *>(model.vertices.data());
        def.vertex_count = model.vertices.size();
        def.indices_u32 = model.triangles.data()->data();
        def.triangle_count = model.triangles.size();
        require(carom_mesh_create(context_, &def, &mesh_));
        const carom_tree_def tree_def = carom_tree_def_preset(preset);
        require(carom_tree_create(context_, mesh_, &tree_def, &tree_));
        a_ = {carom_shape_tree(tree_), carom_pose_identity()};
    }
    OurRound(const OurRound &) = delete;
    OurRound &operator=(const OurRound &) = delete;
    ~OurRound() override
    {
        carom_tree_destroy(tree_);
        carom_mesh_destroy(mesh_);
        carom_query_destroy(query_);
        carom_context_destroy(context_);
    }
    std::string name() const override { return label_; }
    bool can(Question) const override { return true; }
    void set(const Round &round) override
    {
        b_.shape = round.length > 0
                       ? carom_shape_capsule({0, 0, -0.5 * round.length}, {0, 0, 0.5 * round.length}, round.radius)
                       : carom_shape_sphere(round.radius);
    }
    bool any_hit(const Pose &pose) override
    {
        carom_collide_options options = carom_collide_options_default();
        options.mode = CAROM_COLLIDE_ANY;
        return collide(pose, &options).pair_count > 0;
    }
    const std::vector<uint32_t> &all(const Pose &pose) override
    {
        const carom_report report = collide(pose, nullptr);
        triangles_.clear();
        for (uint64_t i = 0; i < report.pairs_listed; i++)
            triangles_.push_back(report.pairs[i].triangle_a);
        return triangles_;
    }
    double distance(const Pose &pose) override
    {
        carom_report report;
        place(pose);
        require(carom_distance(query_, &a_, &b_, nullptr, &report));
        return report.distance;
    }

  private:
    std::string label_;
    carom_context *context_ = nullptr;
    carom_query *query_ = nullptr;
    carom_mesh *mesh_ = nullptr;
    carom_tree *tree_ = nullptr;
    carom_placed a_{}, b_{};
    std::vector<uint32_t> triangles_;

    void require(carom_status status) const
    {
        if (status != CAROM_OK)
            throw std::runtime_error(std::string("carom: ") + carom_status_name(status));
    }
    void place(const Pose &pose)
    {
        std::copy(pose.rotation.begin(), pose.rotation.end(), b_.pose.rotation);
        b_.pose.translation = {pose.translation[0], pose.translation[1], pose.translation[2]};
    }
    carom_report collide(const Pose &pose, const carom_collide_options *options)
    {
        carom_report report;
        place(pose);
        require(carom_collide(query_, &a_, &b_, options, &report));
        return report;
    }
};

using RoundContestants = std::vector<std::unique_ptr<RoundContestant>>;

RoundContestants assemble(const Model &model)
{
    RoundContestants all;
    all.push_back(std::make_unique<OurRound>("ours fast", CAROM_TREE_FAST, model));
    all.push_back(std::make_unique<OurRound>("ours tight", CAROM_TREE_TIGHT, model));
    all.push_back(std::make_unique<FclRound<fcl::OBBd>>("FCL OBB", true, false, model));
    all.push_back(std::make_unique<FclRound<fcl::OBBRSSd>>("FCL OBBRSS", true, true, model));
    all.push_back(std::make_unique<FclRound<fcl::RSSd>>("FCL RSS", false, true, model));
    return all;
}

// ---- where it stands ----

double mean_edge(const Model &model)
{
    double sum = 0;
    for (const Triangle &triangle : model.triangles)
        for (size_t i = 0; i < 3; i++)
        {
            const Vec3 &p = model.vertices[triangle[i]], &q = model.vertices[triangle[(i + 1) % 3]];
            sum += std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
        }
    return sum / (3 * static_cast<double>(model.triangles.size()));
}

// From a random side towards a random point of the surface, until the gap is what it should be, by FCL's distance.
std::vector<PoseClass> place(const Model &model, const Round &round, RoundContestant &fcl,
                             const WorkloadOptions &options)
{
    std::vector<PoseClass> classes = {{"10%", {}}, {"1%", {}}, {"0.1%", {}}, {"touch", {}}, {"deep", {}}};
    Random random(options.seed * 1000003 + model.triangles.size());
    while (classes[0].poses.size() < options.orientations)
    {
        Pose pose = random.orientation();
        const Vec3 side = random.direction();
        const Triangle &triangle = model.triangles[random.bits() % model.triangles.size()];
        const Vec3 &target = model.vertices[triangle[0]];
        double offset = 1.5 * model.diagonal + round.radius + round.length;
        const auto stand = [&](double where)
        {
            for (size_t k = 0; k < 3; k++)
                pose.translation[k] = target[k] + where * side[k];
            return pose;
        };
        std::vector<double> reached;
        for (double gap : {0.1, 0.01, 0.001, 1e-7})
            for (int step = 0; step < 200; step++)
            {
                const double excess = std::max(fcl.distance(stand(offset)), 0.0) - gap * model.diagonal;
                if (excess <= 1e-3 * gap * model.diagonal)
                {
                    reached.push_back(offset);
                    break;
                }
                offset -= excess;
            }
        if (reached.size() < 4)
            continue;
        for (size_t i = 0; i < 3; i++)
            classes[i].poses.push_back(stand(reached[i]));
        classes[3].poses.push_back(stand(reached[3] - std::min(0.002 * model.diagonal, 0.1 * round.radius)));
        classes[4].poses.push_back(stand(reached[3] - 0.8 * round.radius));
    }
    return classes;
}

// ---- answers ----

struct Answer
{
    double number = 0; // hit, count or distance
    std::vector<uint32_t> triangles;
};

double ask(RoundContestant &contestant, Question question, const Pose &pose)
{
    if (question == Question::any_hit)
        return contestant.any_hit(pose) ? 1 : 0;
    if (question == Question::all_pairs)
        return static_cast<double>(contestant.all(pose).size());
    return contestant.distance(pose);
}

Answer answer_of(RoundContestant &contestant, Question question, const Pose &pose)
{
    Answer answer{ask(contestant, question, pose), {}};
    if (question == Question::all_pairs)
    {
        answer.triangles = contestant.all(pose);
        std::sort(answer.triangles.begin(), answer.triangles.end());
    }
    return answer;
}

// By exact arithmetic on every triangle.
Answer truth_of(const Model &model, const Round &round, Question question, const Pose &pose)
{
    const Vec3 low = pose.apply({0, 0, -0.5 * round.length}), high = pose.apply({0, 0, 0.5 * round.length});
    const double ends[6] = {low[0], low[1], low[2], high[0], high[1], high[2]};
    Answer truth{std::numeric_limits<double>::infinity(), {}};
    for (uint32_t i = 0; i < model.triangles.size(); i++)
    {
        Vec3 corner[3];
        for (size_t c = 0; c < 3; c++)
            corner[c] = model.vertices[model.triangles[i][c]];
        if (question == Question::distance)
            truth.number = std::min(truth.number, exact_round_distance(ends, round.radius, corner[0].data()));
        else if (exact_round_meets(ends, round.radius, corner[0].data()))
            truth.triangles.push_back(i);
    }
    if (question != Question::distance)
        truth.number =
            static_cast<double>(question == Question::any_hit ? !truth.triangles.empty() : truth.triangles.size());
    if (question == Question::any_hit)
        truth.triangles.clear();
    return truth;
}

bool same(const Answer &a, const Answer &b, Question question)
{
    constexpr double tolerance = 1e-6;
    if (question == Question::distance)
        return std::fabs(a.number - b.number) <= tolerance * std::max(std::fabs(a.number), std::fabs(b.number));
    return a.number == b.number && a.triangles == b.triangles;
}

void compare(const Model &model, const Round &round, Question question, const PoseClass &pose_class,
             const std::vector<RoundContestant *> &contestants, Cell &cell)
{
    for (size_t i = 0; i < pose_class.poses.size(); i++)
    {
        const Pose &pose = pose_class.poses[i];
        std::vector<Answer> answers;
        for (RoundContestant *contestant : contestants)
            answers.push_back(answer_of(*contestant, question, pose));
        if (std::all_of(answers.begin(), answers.end(),
                        [&](const Answer &answer) { return same(answer, answers[0], question); }))
            continue;
        cell.disagreements++;
        const Answer truth = truth_of(model, round, question, pose);
        for (size_t k = 0; k < contestants.size(); k++)
        {
            if (same(answers[k], truth, question))
                continue;
            cell.timings[contestants[k]->name()].wrong++;
            char text[200];
            std::snprintf(text, sizeof text, "pose %zu: %s says %.9g, the truth is %.9g", i,
                          contestants[k]->name().c_str(), answers[k].number, truth.number);
            cell.remarks.push_back(text);
        }
    }
}

// Passes over all poses, the contestants in turn; the fastest pass counts. A pass is repeated until it can be timed.
void time_passes(Question question, const PoseClass &pose_class, const std::vector<RoundContestant *> &contestants,
                 const MeasureOptions &options, Cell &cell)
{
    constexpr double long_enough = 2e-4;
    std::vector<int> rounds(contestants.size(), 1);
    for (int repetition = 0; repetition < options.repetitions; repetition++)
        for (size_t k = 0; k < contestants.size(); k++)
        {
            Timing &timing = cell.timings[contestants[k]->name()];
            if (repetition > 2 && timing.mean_us * static_cast<double>(cell.poses) > 1e6 * options.slow_seconds)
                continue;
            double work = 0;
            for (const Pose &pose : pose_class.poses) // warm
                work += ask(*contestants[k], question, pose);
            const Timer timer;
            for (int round = 0; round < rounds[k]; round++)
                for (const Pose &pose : pose_class.poses)
                    ask(*contestants[k], question, pose);
            const double seconds = timer.seconds();
            const double mean = 1e6 * seconds / (rounds[k] * static_cast<double>(cell.poses));
            timing.mean_us = repetition == 0 ? mean : std::min(timing.mean_us, mean);
            timing.median_us = timing.mean_us;
            timing.asked = cell.poses, timing.complete = true, timing.work = work;
            if (seconds < long_enough)
                rounds[k] = static_cast<int>(std::ceil(rounds[k] * long_enough / std::max(seconds, 1e-7)));
        }
}

struct Size
{
    const char *name;
    double radius;
};

constexpr Question questions_asked[] = {Question::any_hit, Question::all_pairs, Question::distance};

std::string name_of(bool capsule, Question question)
{
    return std::string(capsule ? "capsule " : "sphere ") + question_name(question);
}

} // namespace

std::vector<std::string> round_questions()
{
    std::vector<std::string> names;
    for (bool capsule : {false, true})
        for (Question question : questions_asked)
            names.push_back(name_of(capsule, question));
    return names;
}

std::vector<Cell> measure_rounds(const Model &model, const std::vector<std::string> &questions,
                                 const WorkloadOptions &workloads, const MeasureOptions &options)
{
    std::vector<Cell> cells;
    RoundContestants contestants = assemble(model);
    const Size sizes[] = {
        {"small", 0.3 * mean_edge(model)}, {"feature", 0.03 * model.diagonal}, {"half", 0.25 * model.diagonal}};
    for (bool capsule : {false, true})
        for (const Size &size : sizes)
        {
            const Round round{size.radius, capsule ? 3 * size.radius : 0};
            for (const auto &contestant : contestants)
                contestant->set(round);
            for (const PoseClass &pose_class : place(model, round, *contestants.back(), workloads))
                for (Question question : questions_asked)
                {
                    // Far apart only distance has work to do; where bodies overlap it has none.
                    const bool overlap = pose_class.name == "deep" || pose_class.name == "touch";
                    const std::string name = name_of(capsule, question);
                    if (std::find(questions.begin(), questions.end(), name) == questions.end() ||
                        (question == Question::distance && overlap) ||
                        (question != Question::distance && pose_class.name == "10%"))
                        continue;
                    Cell cell;
                    cell.workload = model.name;
                    cell.pose_class = std::string(size.name) + " " + pose_class.name;
                    cell.question = name;
                    cell.poses = pose_class.poses.size();
                    std::vector<RoundContestant *> able;
                    for (const auto &contestant : contestants)
                        if (contestant->can(question))
                            able.push_back(contestant.get());
                    time_passes(question, pose_class, able, options, cell);
                    compare(model, round, question, pose_class, able, cell);
                    cells.push_back(std::move(cell));
                    std::fprintf(stderr, ".");
                }
        }
    return cells;
}

} // namespace bench
