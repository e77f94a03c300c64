// The tables on stdout, the project's goals next to the results, and the same figures as JSON.
#include "tables.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

namespace bench
{
namespace
{

bool is_ours(const Results &results, const std::string &name)
{
    return std::find(results.ours.begin(), results.ours.end(), name) != results.ours.end();
}

const Timing *find_timing(const Cell &cell, const std::string &name)
{
    const auto found = cell.timings.find(name);
    return found == cell.timings.end() || found->second.asked == 0 ? nullptr : &found->second;
}

// The fastest peer of a cell that answered every pose; null if none did.
const std::pair<const std::string, Timing> *best_peer(const Results &results, const Cell &cell)
{
    const std::pair<const std::string, Timing> *best = nullptr;
    for (const auto &entry : cell.timings)
        if (!is_ours(results, entry.first) && entry.second.complete &&
            (!best || entry.second.mean_us < best->second.mean_us))
            best = &entry;
    return best;
}

// Geometric mean and lowest of a column of ratios.
struct Ratios
{
    double log_sum = 0, lowest = INFINITY;
    size_t count = 0;
    std::string lowest_where;
    void add(double ratio, const std::string &where)
    {
        log_sum += std::log(ratio);
        count++;
        if (ratio < lowest)
        {
            lowest = ratio;
            lowest_where = where;
        }
    }
    double mean() const { return count ? std::exp(log_sum / static_cast<double>(count)) : NAN; }
};

// The fastest peer's time over that of one of ours, over all cells of a question; an empty pose class stands for all
// but the path, which has its own goals.
Ratios against_best(const Results &results, const std::string &question, const std::string &name,
                    const std::string &pose_class)
{
    Ratios ratios;
    for (const Cell &cell : results.cells)
    {
        if (cell.question != question ||
            (pose_class.empty() ? cell.pose_class == "path" : cell.pose_class != pose_class))
            continue;
        const Timing *timing = find_timing(cell, name);
        const auto *best = best_peer(results, cell);
        if (timing && best)
            ratios.add(best->second.mean_us / timing->mean_us, cell.workload + " " + cell.pose_class);
    }
    return ratios;
}

// How much the pair cache gains over the same poses asked cold.
Ratios against_cold(const Results &results, const std::string &question, const std::string &cold)
{
    Ratios ratios;
    for (const Cell &cell : results.cells)
    {
        const Timing *with = find_timing(cell, cold + " cached"), *without = find_timing(cell, cold);
        if (cell.question == question && with && without)
            ratios.add(without->mean_us / with->mean_us, cell.workload);
    }
    return ratios;
}

void print_ratios(const std::string &label, const Ratios &ratios)
{
    if (ratios.count)
        std::printf("  %-30s geometric mean %6.2f   lowest %6.2f (%s)   over %zu\n", label.c_str(), ratios.mean(),
                    ratios.lowest, ratios.lowest_where.c_str(), ratios.count);
}

std::vector<std::string> columns_of(const Results &results, const std::string &question)
{
    std::vector<std::string> columns;
    for (const std::string &name : results.contestants)
        if (std::any_of(results.cells.begin(), results.cells.end(),
                        [&](const Cell &cell) { return cell.question == question && find_timing(cell, name); }))
            columns.push_back(name);
    return columns;
}

int column_width(const std::string &name) { return std::max(10, static_cast<int>(name.size())); }

void print_cell(const Results &results, const Cell &cell, const std::vector<std::string> &columns)
{
    std::printf("%-15s %-13s", cell.workload.c_str(), cell.pose_class.c_str());
    for (const std::string &name : columns)
    {
        const Timing *timing = find_timing(cell, name);
        char text[32] = "-";
        if (timing)
            std::snprintf(text, sizeof text, "%.4g%s", timing->mean_us, timing->complete ? "" : "*");
        std::printf(" %*s", column_width(name), text);
    }
    const auto *best = best_peer(results, cell);
    for (const std::string &name : results.ours)
    {
        const Timing *timing = find_timing(cell, name);
        if (timing && best)
            std::printf("  %6.2f", best->second.mean_us / timing->mean_us);
    }
    std::printf("  %s\n", best ? best->first.c_str() : "-");
}

void print_means(const Results &results, const std::string &question)
{
    std::vector<std::string> classes;
    for (const Cell &cell : results.cells)
        if (cell.question == question && std::find(classes.begin(), classes.end(), cell.pose_class) == classes.end())
            classes.push_back(cell.pose_class);
    for (const std::string &name : results.ours)
    {
        print_ratios(name + ", all but path", against_best(results, question, name, ""));
        for (const std::string &pose_class : classes)
            print_ratios(name + ", " + pose_class, against_best(results, question, name, pose_class));
        print_ratios(name + ", cached against cold", against_cold(results, question, name));
    }
}

double find_build(const BuildTable &table, const std::string &name, double BuildRow::*field)
{
    for (const BuildRow &row : table.rows)
        if (row.builder == name)
            return row.*field;
    return -1;
}

// Ours over the peer's, where both have it.
Ratios build_ratios(const Results &results, const char *ours, const char *peer, double BuildRow::*field)
{
    Ratios ratios;
    for (const BuildTable &table : results.builds)
    {
        const double mine = find_build(table, ours, field), theirs = find_build(table, peer, field);
        if (mine > 0 && theirs > 0)
            ratios.add(theirs / mine, table.model);
    }
    return ratios;
}

// Ratios are the peer's time over ours throughout: larger is better. lowest_goal 0: the goal is for the mean alone;
// the lowest is shown, but decides nothing.
void print_goal(const char *what, const Ratios &ratios, double mean_goal, double lowest_goal)
{
    if (!ratios.count)
        return;
    const bool reached = ratios.mean() >= mean_goal && ratios.lowest >= lowest_goal;
    char of_lowest[32] = "no goal: the mean decides";
    if (lowest_goal > 0)
        std::snprintf(of_lowest, sizeof of_lowest, "goal %4.2f", lowest_goal);
    std::printf("  %-52s %6.2f (goal %4.2f)   lowest %6.2f (%s, %s)  %s\n", what, ratios.mean(), mean_goal,
                ratios.lowest, of_lowest, ratios.lowest_where.c_str(), reached ? "reached" : "MISSED");
}

std::string quoted(const std::string &text)
{
    std::string result = "\"";
    for (char c : text)
        result += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    return result + "\"";
}

void save_cell(std::FILE *file, const Results &results, const Cell &cell)
{
    std::fprintf(file, "    {\"workload\": %s, \"poses\": %s, \"question\": %s, \"pose_count\": %zu, ",
                 quoted(cell.workload).c_str(), quoted(cell.pose_class).c_str(), quoted(cell.question).c_str(),
                 cell.poses);
    std::fprintf(file, "\"disagreements\": %zu, \"unsettled\": %zu, \"times\": {", cell.disagreements, cell.unsettled);
    const char *separator = "";
    for (const auto &entry : cell.timings)
    {
        const Timing &timing = entry.second;
        std::fprintf(file,
                     "%s%s: {\"mean_us\": %.6g, \"median_us\": %.6g, \"asked\": %zu, \"wrong\": %zu, \"sum\": %.9g}",
                     separator, quoted(entry.first).c_str(), timing.mean_us, timing.median_us, timing.asked,
                     timing.wrong, timing.work);
        separator = ", ";
    }
    std::fprintf(file, "}");
    if (const auto *best = best_peer(results, cell))
        std::fprintf(file, ", \"best_peer\": %s", quoted(best->first).c_str());
    std::fprintf(file, ", \"remarks\": [");
    for (size_t i = 0; i < cell.remarks.size(); i++)
        std::fprintf(file, "%s%s", i ? ", " : "", quoted(cell.remarks[i]).c_str());
    std::fprintf(file, "]}");
}

} // namespace

void print_question(const Results &results, const std::string &question)
{
    const std::vector<std::string> columns = columns_of(results, question);
    if (columns.empty())
        return;
    std::printf(
        "\n%s, microseconds per question (mean over poses of the lowest time; * gave up before the last pose),\n"
        "then the fastest peer's time over each of ours\n%-15s %-13s",
        question.c_str(), "model", "poses");
    for (const std::string &name : columns)
        std::printf(" %*s", column_width(name), name.c_str());
    std::printf("\n");
    for (const Cell &cell : results.cells)
        if (cell.question == question)
            print_cell(results, cell, columns);
    print_means(results, question);
}

void print_builds(const Results &results)
{
    if (results.builds.empty())
        return;
    std::printf(
        "\nbuild and refit in milliseconds, bytes per triangle (of the tree; FCL's with its copy of the mesh)\n");
    for (const BuildTable &table : results.builds)
    {
        std::printf("%s, %zu triangles\n", table.model.c_str(), table.triangles);
        for (const BuildRow &row : table.rows)
        {
            char refit[32] = "-";
            if (row.refit_ms >= 0)
                std::snprintf(refit, sizeof refit, "%.3f", row.refit_ms);
            std::printf("  %-20s build %10.3f   refit %10s   bytes %8.1f\n", row.builder.c_str(), row.build_ms, refit,
                        row.bytes_per_triangle);
        }
    }
}

void print_goals(const Results &results)
{
    std::printf("\ngoals: geometric mean and lowest of the fastest peer's time over ours\n");
    const struct
    {
        const char *question;
        double mean, lowest;
    } goals[] = {{"any-hit", 5, 2}, {"all-pairs", 6, 3}, {"distance", 7, 4}};
    for (const auto &goal : goals)
    {
        const std::string tight = std::string(goal.question) + ", tight", fast = std::string(goal.question) + ", fast";
        print_goal(tight.c_str(), against_best(results, goal.question, "ours tight", ""), goal.mean, goal.lowest);
        print_goal(fast.c_str(), against_best(results, goal.question, "ours fast", ""), 0.8 * goal.mean,
                   0.8 * goal.lowest);
    }
    for (const char *question : {"sphere any-hit", "sphere all-pairs", "sphere distance", "capsule any-hit",
                                 "capsule all-pairs", "capsule distance"})
        print_goal(question, against_best(results, question, "ours fast", ""), 5, 2);
    print_goal("any-hit along a path, cached against cold", against_cold(results, "any-hit", "ours tight"), 2, 0);
    print_goal("distance along a path, cached against cold", against_cold(results, "distance", "ours tight"), 3, 0);
    print_goal("rays at least 0.7x Embree's rate", against_best(results, "rays", "ours rays", ""), 0.7, 0);
    double BuildRow::*const build = &BuildRow::build_ms;
    double BuildRow::*const refit = &BuildRow::refit_ms;
    print_goal("build fast against Embree medium", build_ratios(results, "ours fast", "Embree medium", build), 0.5, 0);
    print_goal("build tight against Embree medium", build_ratios(results, "ours tight", "Embree medium", build),
               1.0 / 6, 0);
    print_goal("build AABB sah against Embree medium", build_ratios(results, "ours rays", "Embree medium", build), 1,
               0);
    print_goal("build AABB morton against Embree low", build_ratios(results, "ours rays morton", "Embree low", build),
               1 / 1.5, 0);
    print_goal("refit AABB against Embree", build_ratios(results, "ours rays", "Embree dynamic", refit), 2, 0);
}

void print_triangles(const Results &results)
{
    if (results.triangles.empty())
        return;
    std::printf(
        "\nthe triangle test alone, on pairs whose boxes overlap at first touch: nanoseconds per pair (wrong)\n");
    for (const TriangleTable &table : results.triangles)
    {
        std::printf("%-16s %6zu pairs, %5zu meet:", table.workload.c_str(), table.pairs, table.meeting);
        for (const TriangleRow &row : table.rows)
            std::printf("  %s %.0f (%zu)", row.name.c_str(), row.nanoseconds, row.wrong);
        std::printf("\n");
    }
}

void print_disagreements(const Results &results)
{
    size_t poses = 0, disagreements = 0, unsettled = 0;
    std::map<std::string, std::pair<size_t, size_t>> wrong; // by contestant: wrong, asked
    for (const Cell &cell : results.cells)
    {
        if (cell.question == "rays")
            continue;
        poses += cell.poses;
        disagreements += cell.disagreements;
        unsettled += cell.unsettled;
        for (const auto &entry : cell.timings)
        {
            wrong[entry.first].first += entry.second.wrong;
            wrong[entry.first].second += entry.second.asked;
        }
    }
    std::printf("\nanswers: %zu questions, %zu with disagreement, %zu of these not settled; the oracle decided %zu "
                "triangle pairs and CGAL's exact predicates differ on %zu\n",
                poses, disagreements, unsettled, results.oracle_pairs, results.oracle_differs);
    for (const std::string &name : results.contestants)
        if (wrong.count(name))
            std::printf("  %-20s wrong in %zu of %zu\n", name.c_str(), wrong[name].first, wrong[name].second);
    for (const Cell &cell : results.cells)
        for (size_t i = 0; i < cell.remarks.size() && i < 3; i++)
            std::printf("  %s %s %s, %s%s\n", cell.workload.c_str(), cell.pose_class.c_str(), cell.question.c_str(),
                        cell.remarks[i].c_str(), i == 2 && cell.remarks.size() > 3 ? " ..." : "");
    size_t rays = 0, ray_differences = 0;
    for (const Cell &cell : results.cells)
        if (cell.question == "rays")
        {
            rays += cell.poses * cell.timings.size();
            ray_differences += cell.disagreements;
        }
    if (rays)
        std::printf("  rays: %zu of %zu answers differ from the first contestant's (single precision at edges)\n",
                    ray_differences, rays);
}

bool save_json(const Results &results, const std::string &path)
{
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    const std::string unfinished = path + ".part";
    std::FILE *file = std::fopen(unfinished.c_str(), "w");
    if (!file)
        return false;
    std::fprintf(file, "{\n  \"machine\": %s,\n  \"seconds\": %.1f,\n  \"cells\": [\n", quoted(results.machine).c_str(),
                 results.seconds);
    for (size_t i = 0; i < results.cells.size(); i++)
    {
        save_cell(file, results, results.cells[i]);
        std::fprintf(file, "%s\n", i + 1 < results.cells.size() ? "," : "");
    }
    std::fprintf(file, "  ],\n  \"builds\": [\n");
    for (size_t i = 0; i < results.builds.size(); i++)
    {
        const BuildTable &table = results.builds[i];
        std::fprintf(file, "    {\"model\": %s, \"triangles\": %zu, \"rows\": [", quoted(table.model).c_str(),
                     table.triangles);
        for (size_t k = 0; k < table.rows.size(); k++)
            std::fprintf(file,
                         "%s{\"builder\": %s, \"build_ms\": %.6g, \"refit_ms\": %.6g, \"bytes_per_triangle\": %.6g}",
                         k ? ", " : "", quoted(table.rows[k].builder).c_str(), table.rows[k].build_ms,
                         table.rows[k].refit_ms, table.rows[k].bytes_per_triangle);
        std::fprintf(file, "]}%s\n", i + 1 < results.builds.size() ? "," : "");
    }
    std::fprintf(file, "  ],\n  \"triangles\": [\n");
    for (size_t i = 0; i < results.triangles.size(); i++)
    {
        const TriangleTable &table = results.triangles[i];
        std::fprintf(file, "    {\"workload\": %s, \"pairs\": %zu, \"meeting\": %zu, \"rows\": [",
                     quoted(table.workload).c_str(), table.pairs, table.meeting);
        for (size_t k = 0; k < table.rows.size(); k++)
            std::fprintf(file, "%s{\"test\": %s, \"ns\": %.4g, \"wrong\": %zu}", k ? ", " : "",
                         quoted(table.rows[k].name).c_str(), table.rows[k].nanoseconds, table.rows[k].wrong);
        std::fprintf(file, "]}%s\n", i + 1 < results.triangles.size() ? "," : "");
    }
    std::fprintf(file, "  ]\n}\n");
    const bool good = std::fclose(file) == 0;
    if (good)
        std::filesystem::rename(unfinished, path);
    return good;
}

} // namespace bench
