// Times contestants and compares their answers. They take turns, pass by pass, so that a change of the machine's speed
// affects all of them; the lowest time per pose counts. Where answers differ, the oracle decides.
#include "measure.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <malloc.h>

namespace bench
{
namespace
{

constexpr double distance_tolerance = 1e-6; // relative
constexpr int slow_repetitions = 3;

// A contestant's answer at each pose, and its lowest time.
struct Record
{
    Contestant *contestant = nullptr;
    std::vector<double> seconds;          // per pose; the lowest so far
    std::vector<double> number;           // hit 0 or 1, count of pairs, or distance
    std::vector<std::vector<Pair>> pairs; // all_pairs: sorted
    size_t answered = 0;
    bool slow = false;
};

double clock_cost()
{
    double lowest = 1;
    for (int i = 0; i < 1000; i++)
    {
        const Timer timer;
        lowest = std::min(lowest, timer.seconds());
    }
    return lowest;
}

// Asks once; the time includes what the library needs to hand over its answer.
double ask(Record &record, const Pose &pose, Question question, double &seconds)
{
    const Timer timer;
    double number = 0;
    if (question == Question::any_hit)
        number = record.contestant->any_hit(pose) ? 1 : 0;
    else if (question == Question::all_pairs)
        number = static_cast<double>(record.contestant->all_pairs(pose).size());
    else
        number = record.contestant->distance(pose);
    seconds = timer.seconds();
    return number;
}

void first_pass(Record &record, const PoseClass &pose_class, Question question, const MeasureOptions &options)
{
    const double begin = now();
    for (const Pose &pose : pose_class.poses)
    {
        if (now() - begin > options.give_up_seconds)
            break;
        double seconds;
        record.number.push_back(ask(record, pose, question, seconds));
        record.seconds.push_back(seconds);
        record.answered++;
        if (question == Question::all_pairs)
        {
            std::vector<Pair> pairs = record.contestant->all_pairs(pose);
            std::sort(pairs.begin(), pairs.end());
            record.pairs.push_back(std::move(pairs));
        }
    }
    record.slow = record.answered < pose_class.poses.size() || now() - begin > options.slow_seconds;
}

// First untimed: others' passes have emptied the caches and taught the branch predictors their ways, and who answers in
// a tenth of a microsecond would be measured by that. A pair cache is left as another pass leaves it.
void warm_up(Record &record, const PoseClass &pose_class, Question question)
{
    const double max_seconds = 1e-3;
    double spent = 0, seconds;
    for (double each : record.seconds)
        spent += each;
    if (spent < max_seconds)
        for (const Pose &pose : pose_class.poses)
            ask(record, pose, question, seconds);
    else if (record.seconds.back() < max_seconds)
        ask(record, pose_class.poses.back(), question, seconds);
}

void next_pass(Record &record, const PoseClass &pose_class, Question question)
{
    warm_up(record, pose_class, question);
    for (size_t i = 0; i < pose_class.poses.size(); i++)
    {
        double seconds;
        ask(record, pose_class.poses[i], question, seconds);
        record.seconds[i] = std::min(record.seconds[i], seconds);
    }
}

bool same_number(double a, double b, Question question)
{
    if (question != Question::distance)
        return a == b;
    return std::fabs(a - b) <= distance_tolerance * std::max(std::fabs(a), std::fabs(b));
}

// Do all contestants that answered pose i agree?
bool all_agree(const std::vector<Record> &records, size_t i, Question question)
{
    const Record *first = nullptr;
    for (const Record &record : records)
    {
        if (i >= record.answered)
            continue;
        if (first && !same_number(first->number[i], record.number[i], question))
            return false;
        if (first && question == Question::all_pairs && first->pairs[i] != record.pairs[i])
            return false;
        first = first ? first : &record;
    }
    return true;
}

struct Truth
{
    bool known = false;
    double number = 0;
    std::vector<Pair> pairs;
};

Truth settle(const Workload &workload, std::vector<Record> &records, size_t i, const Pose &pose, Question question,
             Oracle &oracle)
{
    Truth truth;
    if (!oracle.has_time())
        return truth;
    truth.known = true;
    if (question == Question::distance)
    {
        double lowest = std::numeric_limits<double>::infinity(), highest = 0;
        for (const Record &record : records)
            if (i < record.answered)
            {
                lowest = std::min(lowest, record.number[i]);
                highest = std::max(highest, record.number[i]);
            }
        // Looking no further than the smallest claim is quick; nothing there means that the claim was wrong.
        truth.number =
            oracle.distance(*workload.a, *workload.b, pose, std::max(lowest, 0.0) * (1 + distance_tolerance));
        if (std::isinf(truth.number))
            truth.number = oracle.distance(*workload.a, *workload.b, pose, highest * (1 + distance_tolerance));
        return truth;
    }
    truth.pairs = oracle.all_pairs(*workload.a, *workload.b, pose);
    truth.number =
        question == Question::any_hit ? (truth.pairs.empty() ? 0 : 1) : static_cast<double>(truth.pairs.size());
    return truth;
}

std::string describe(const Record &record, size_t i, const Truth &truth, Question question)
{
    char text[200];
    if (question == Question::all_pairs)
    {
        std::vector<Pair> missed, invented;
        const std::vector<Pair> &said = record.pairs[i];
        std::set_difference(truth.pairs.begin(), truth.pairs.end(), said.begin(), said.end(),
                            std::back_inserter(missed));
        std::set_difference(said.begin(), said.end(), truth.pairs.begin(), truth.pairs.end(),
                            std::back_inserter(invented));
        std::snprintf(text, sizeof text, "pose %zu: %s missed %zu and invented %zu of %zu pairs", i,
                      record.contestant->name().c_str(), missed.size(), invented.size(), truth.pairs.size());
    }
    else
        std::snprintf(text, sizeof text, "pose %zu: %s says %.9g, the truth is %.9g", i,
                      record.contestant->name().c_str(), record.number[i], truth.number);
    return text;
}

void compare(const Workload &workload, const PoseClass &pose_class, Question question, std::vector<Record> &records,
             Oracle &oracle, Cell &cell)
{
    for (size_t i = 0; i < pose_class.poses.size(); i++)
    {
        if (all_agree(records, i, question))
            continue;
        cell.disagreements++;
        const Truth truth = settle(workload, records, i, pose_class.poses[i], question, oracle);
        if (!truth.known)
        {
            cell.unsettled++;
            continue;
        }
        for (const Record &record : records)
        {
            const bool right =
                i >= record.answered || (same_number(record.number[i], truth.number, question) &&
                                         (question != Question::all_pairs || record.pairs[i] == truth.pairs));
            if (right)
                continue;
            cell.timings[record.contestant->name()].wrong++;
            cell.remarks.push_back(describe(record, i, truth, question));
        }
    }
}

void summarise(const Record &record, size_t poses, double cost, Timing &timing)
{
    timing.asked = record.answered;
    timing.complete = record.answered == poses;
    std::vector<double> seconds = record.seconds;
    if (seconds.empty())
        return;
    double sum = 0;
    for (double &value : seconds)
    {
        value = std::max(value - cost, 1e-9);
        sum += value;
    }
    std::sort(seconds.begin(), seconds.end());
    timing.mean_us = 1e6 * sum / static_cast<double>(seconds.size());
    timing.median_us = 1e6 * seconds[seconds.size() / 2];
    for (double number : record.number)
        timing.work += number;
}

std::vector<Record> participants(Contestants &contestants, Question question, bool coherent)
{
    std::vector<Record> records;
    for (const std::unique_ptr<Contestant> &contestant : contestants)
        if (contestant->can(question) && (coherent || !contestant->coherent()))
        {
            Record record;
            record.contestant = contestant.get();
            records.push_back(record);
        }
    return records;
}

std::vector<Ray> make_rays(const Model &model, bool coherent)
{
    std::vector<Ray> rays;
    Random random(11);
    const double radius = 0.7 * model.diagonal;
    const size_t side = 100;
    for (size_t i = 0; i < side * side; i++)
    {
        Vec3 origin, target = model.centre;
        if (coherent)
        {
            // A camera with a square picture of the whole model.
            origin = {model.centre[0] + 2 * radius, model.centre[1], model.centre[2]};
            const double step = 1.2 * radius / static_cast<double>(side);
            target[1] += step * (static_cast<double>(i % side) - 0.5 * static_cast<double>(side) + 0.123);
            target[2] += step * (static_cast<double>(i / side) - 0.5 * static_cast<double>(side) + 0.321);
        }
        else
        {
            const Vec3 direction = random.direction(), aim = random.direction();
            const double spread = 0.3 * model.diagonal * random.unit();
            for (size_t axis = 0; axis < 3; axis++)
            {
                origin[axis] = model.centre[axis] + radius * direction[axis];
                target[axis] += spread * aim[axis];
            }
        }
        Ray ray{origin, {}};
        double size = 0;
        for (size_t axis = 0; axis < 3; axis++)
            size += (target[axis] - origin[axis]) * (target[axis] - origin[axis]);
        for (size_t axis = 0; axis < 3; axis++)
            ray.direction[axis] = (target[axis] - origin[axis]) / std::sqrt(size);
        rays.push_back(ray);
    }
    return rays;
}

double heap_bytes()
{
    const struct mallinfo2 info = mallinfo2();
    return static_cast<double>(info.uordblks) + static_cast<double>(info.hblkhd);
}

// The model breathing a little, so that a refit has to change every box.
std::vector<Vec3> breathe(const Model &model, int step)
{
    std::vector<Vec3> moved = model.vertices;
    for (Vec3 &vertex : moved)
        for (size_t axis = 0; axis < 3; axis++)
            vertex[axis] = model.centre[axis] +
                           (1 + 0.002 * step * static_cast<double>(axis + 1)) * (vertex[axis] - model.centre[axis]);
    return moved;
}

void time_refits(const Model &model, Builder &builder, int repetitions, BuildRow &row)
{
    for (int i = 0; i < repetitions; i++)
    {
        builder.move(breathe(model, 1 + i % 2));
        const Timer timer;
        builder.refit();
        const double ms = 1e3 * timer.seconds();
        row.refit_ms = row.refit_ms < 0 ? ms : std::min(row.refit_ms, ms);
    }
}

} // namespace

const char *question_name(Question question)
{
    switch (question)
    {
    case Question::any_hit: return "any-hit";
    case Question::all_pairs: return "all-pairs";
    case Question::distance: return "distance";
    case Question::rays: return "rays";
    }
    return "";
}

Cell measure_pairs(const Workload &workload, const PoseClass &pose_class, Question question, Contestants &contestants,
                   Oracle &oracle, const MeasureOptions &options)
{
    Cell cell;
    cell.workload = workload.name;
    cell.pose_class = pose_class.name;
    cell.question = question_name(question);
    cell.poses = pose_class.poses.size();
    const double cost = clock_cost();
    std::vector<Record> records = participants(contestants, question, pose_class.name == "path");
    for (Record &record : records)
        first_pass(record, pose_class, question, options);
    for (int repetition = 1; repetition < options.repetitions; repetition++)
        for (Record &record : records)
            if (!record.slow || (repetition < slow_repetitions && record.answered == cell.poses))
                next_pass(record, pose_class, question);
    for (const Record &record : records)
        summarise(record, cell.poses, cost, cell.timings[record.contestant->name()]);
    compare(workload, pose_class, question, records, oracle, cell);
    return cell;
}

Cell measure_rays(const Workload &workload, bool coherent, Contestants &contestants, const MeasureOptions &options)
{
    Cell cell;
    cell.workload = workload.name;
    cell.pose_class = coherent ? "coherent" : "incoherent";
    cell.question = question_name(Question::rays);
    const std::vector<Ray> rays = make_rays(*workload.a, coherent);
    cell.poses = rays.size();
    std::vector<Record> records = participants(contestants, Question::rays, false);
    std::vector<std::vector<RayHit>> hits(records.size());
    for (int repetition = 0; repetition < std::min(options.repetitions, 5); repetition++)
        for (size_t k = 0; k < records.size(); k++)
        {
            Timing &timing = cell.timings[records[k].contestant->name()];
            if (repetition > 2 && timing.mean_us * static_cast<double>(rays.size()) > 1e6 * options.slow_seconds)
                continue;
            hits[k].resize(rays.size());
            const Timer timer;
            for (size_t i = 0; i < rays.size(); i++)
                hits[k][i] = records[k].contestant->ray(rays[i]);
            const double mean = 1e6 * timer.seconds() / static_cast<double>(rays.size());
            timing.mean_us = repetition == 0 ? mean : std::min(timing.mean_us, mean);
            timing.median_us = timing.mean_us;
            timing.complete = true;
            timing.asked = rays.size();
        }
    // Single precision moves hits near edges: differences are counted against the first contestant, not settled.
    for (size_t k = 0; k < records.size(); k++)
        for (size_t i = 0; i < rays.size(); i++)
        {
            const RayHit &said = hits[k][i], &first = hits[0][i];
            cell.timings[records[k].contestant->name()].work += said.hit ? 1 : 0;
            if (said.hit != first.hit || std::fabs(said.t - first.t) * said.hit > 1e-4 * workload.a->diagonal)
                cell.disagreements++;
        }
    cell.unsettled = cell.disagreements;
    return cell;
}

BuildTable measure_builds(const Model &model, Builders &builders, const MeasureOptions &options)
{
    BuildTable table{model.name, model.triangles.size(), {}};
    std::vector<Builder *> loaded;
    for (const std::unique_ptr<Builder> &builder : builders)
    {
        if (!builder->load(model))
            continue;
        BuildRow row;
        row.builder = builder->name();
        row.ours = builder->ours();
        table.rows.push_back(row);
        loaded.push_back(builder.get());
    }
    const int repetitions =
        std::max(7, std::min(options.repetitions, static_cast<int>(500000 / model.triangles.size())));
    for (int repetition = 0; repetition < repetitions; repetition++)
        for (size_t k = 0; k < table.rows.size(); k++)
        {
            Builder &builder = *loaded[k];
            BuildRow &row = table.rows[k];
            if (repetition > 2 && row.build_ms > 1e3 * options.slow_seconds)
                continue;
            builder.prepare();
            const double before = heap_bytes();
            const Timer timer;
            builder.build();
            const double ms = 1e3 * timer.seconds();
            row.build_ms = row.build_ms < 0 ? ms : std::min(row.build_ms, ms);
            const double bytes = builder.bytes() >= 0 ? builder.bytes() : heap_bytes() - before;
            row.bytes_per_triangle = bytes / static_cast<double>(model.triangles.size());
            if (builder.can_refit())
                time_refits(model, builder, repetition == 0 ? 3 : 1, row);
            builder.drop();
        }
    return table;
}

} // namespace bench
