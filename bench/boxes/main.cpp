// carom_bench_boxes: broad phases of Carom and others on moving boxes, in one run, pairs compared.
#include "bench/machine.h"
#include "contest.hpp"

extern "C"
{
#include "tool/chart.h"
}

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>
#include <stdexcept>

namespace
{

using namespace boxes;

struct Options
{
    std::vector<uint32_t> counts = {1000, 10000, 100000};
    std::vector<std::string> only, with, kinds = {"tree"};
    int steps = 40, rounds = 1;
    double slow = 1.0; // seconds for a step; who needs longer is left out
    std::string plot;  // file for curves of ours; empty: none
};

// Medians of ours by scene, kind and count, for the plot.
using Medians = std::map<std::string, std::map<std::string, std::map<uint32_t, double>>>;

struct Row
{
    Contestant *contestant;
    std::vector<double> ms;
    bool left_out = false, wrong = false;
};

bool wanted(const std::vector<std::string> &words, const std::string &name)
{
    return words.empty() ||
           std::any_of(words.begin(), words.end(),
                       [&name](const std::string &word) { return name.find(word) != std::string::npos; });
}

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values.empty() ? 0 : values[values.size() / 2];
}

void sort_pairs(Pairs &pairs)
{
    for (auto &[a, b] : pairs)
        if (a > b)
            std::swap(a, b);
    std::sort(pairs.begin(), pairs.end());
}

// One step of everyone, each with cold caches as the one before left them; the first three steps are not counted.
void run_step(std::vector<Row> &rows, const Step &step, int number, const Options &options)
{
    Pairs expected, pairs;
    bool have = false;
    for (Row &row : rows)
    {
        if (row.left_out)
            continue;
        const auto begin = std::chrono::steady_clock::now();
        row.contestant->advance(step, pairs);
        const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
        if (number >= 3)
            row.ms.push_back(ms);
        row.left_out = ms > 1e3 * options.slow;
        if (number % 8)
            continue;
        row.contestant->convert(pairs);
        sort_pairs(pairs);
        if (!have)
            expected = pairs, have = true;
        row.wrong = row.wrong || pairs != expected;
    }
}

int run_scene(Contestants &contestants, const std::string &name, uint32_t count, const Options &options,
              Medians &medians)
{
    Scene scene(name, count);
    std::vector<Row> rows;
    for (const auto &contestant : contestants)
        if (wanted(options.with, contestant->name()))
        {
            contestant->start(scene.step());
            rows.push_back({contestant.get(), {}});
        }
    for (int i = 0; i < options.steps; i++)
    {
        run_step(rows, scene.step(), i, options);
        scene.advance();
    }
    double best = 0;
    std::string fastest;
    int wrong = 0;
    for (const Row &row : rows)
    {
        const double ms = median(row.ms);
        const bool ours = row.contestant->name().rfind("ours", 0) == 0;
        if (!ours && !row.left_out && !row.wrong && ms > 0 && (best == 0 || ms < best))
            best = ms, fastest = row.contestant->name();
        wrong += row.wrong;
        if (ours && ms > 0)
            medians[name][row.contestant->name().substr(5)][count] = ms;
        std::printf("  %-18s %10.3f%s%s%s\n", row.contestant->name().c_str(), ms, row.contestant->memory().c_str(),
                    row.left_out ? " (left out)" : "", row.wrong ? " OTHER PAIRS" : "");
    }
    for (const Row &row : rows)
        if (row.contestant->name().rfind("ours", 0) == 0 && best > 0)
            std::printf("  %s: %.2f times the rate of %s\n", row.contestant->name().c_str(), best / median(row.ms),
                        fastest.c_str());
    std::fflush(stdout);
    return wrong;
}

void plot(const Options &options, const Medians &medians)
{
    std::vector<chart_curves> panels;
    std::vector<std::string> titles;
    for (const std::string &name : Scene::names())
        if (medians.count(name))
            titles.push_back(name);
    for (const std::string &title : titles)
    {
        chart_curves panel = {};
        panel.title = title.c_str(), panel.x_title = "boxes, ms per step", panel.logarithmic = true;
        panel.x = options.counts.data();
        panel.point_count = static_cast<uint32_t>(std::min<size_t>(options.counts.size(), CHART_MAX_POINTS));
        for (const std::string &kind : options.kinds)
        {
            const auto &kinds = medians.at(title);
            if (!kinds.count(kind) || panel.curve_count == CHART_MAX_CURVES)
                continue;
            panel.names[panel.curve_count] = kind.c_str();
            for (uint32_t i = 0; i < panel.point_count; i++)
                if (kinds.at(kind).count(options.counts[i]))
                    panel.y[panel.curve_count][i] = kinds.at(kind).at(options.counts[i]);
            panel.curve_count++;
        }
        panels.push_back(panel);
    }
    carom_context *context = nullptr;
    if (carom_context_create(nullptr, &context) != CAROM_OK ||
        chart_write_curves(context, panels.data(), static_cast<uint32_t>(panels.size()), options.plot.c_str()) !=
            CAROM_OK)
        throw std::runtime_error("the plot " + options.plot + " can't be written");
    carom_context_destroy(context);
}

// How the times of ours grow from each count to the next, next to n log n; within a round, as machines have moods.
void print_growth(const Options &options, const std::vector<Medians> &rounds)
{
    std::map<std::string, std::vector<double>> growth; // by what is said of it
    for (const Medians &medians : rounds)
        for (const auto &[scene, kinds] : medians)
            for (const auto &[kind, times] : kinds)
                for (size_t i = 1; i < options.counts.size(); i++)
                {
                    const uint32_t few = options.counts[i - 1], many = options.counts[i];
                    if (!times.count(few) || !times.count(many) || few < 2)
                        continue;
                    const double expected = many * std::log(many) / (few * std::log(few));
                    growth[scene + ", ours " + kind + ", " + std::to_string(many) + " boxes after " +
                           std::to_string(few)]
                        .push_back(times.at(many) / times.at(few) / expected);
                }
    for (const auto &[what, times] : growth)
        std::printf("%s: %.2f times n log n (%.2f to %.2f in %zu rounds)\n", what.c_str(), median(times),
                    *std::min_element(times.begin(), times.end()), *std::max_element(times.begin(), times.end()),
                    times.size());
}

void usage()
{
    std::puts("carom_bench_boxes [--only SCENE] [--with NAME] [--kind NAME] [--count N] [--steps N] [--rounds N]\n"
              "                  [--slow SECONDS] [--plot FILE]\n"
              "  --only SCENE   of this name; may be given several times, like --with, --kind and --count\n"
              "                 (sticks, long and thin on a floor, only if named)\n"
              "  --with NAME    only contestants whose name contains it\n"
              "  --kind NAME    a broad phase of Carom (default tree)\n"
              "  --count N      boxes (default 1000, 10000, 100000); of several, how times grow next to n log n\n"
              "  --steps N      default 40; the median of all but the first three counts\n"
              "  --rounds N     all of it so often (default 1); growth is the median of all rounds\n"
              "  --slow SECONDS who needs longer for a step is left out (default 1)\n"
              "  --plot FILE    PNG with the curves of ours over the counts");
}

bool read_options(int argc, char **argv, Options &options)
{
    bool counts = false, kinds = false;
    for (int i = 1; i < argc; i++)
    {
        const std::string word = argv[i];
        if (word == "--help" || i + 1 == argc)
            return false;
        const std::string value = argv[++i];
        if (word == "--only")
            options.only.push_back(value);
        else if (word == "--with")
            options.with.push_back(value);
        else if (word == "--kind")
            kinds ? (void)0 : options.kinds.clear(), kinds = true, options.kinds.push_back(value);
        else if (word == "--count")
            counts ? (void)0 : options.counts.clear(),
                counts = true, options.counts.push_back(static_cast<uint32_t>(std::stoul(value)));
        else if (word == "--steps")
            options.steps = std::stoi(value);
        else if (word == "--rounds")
            options.rounds = std::stoi(value);
        else if (word == "--slow")
            options.slow = std::stod(value);
        else if (word == "--plot")
            options.plot = value;
        else
            return false;
    }
    return true;
}

} // namespace

int main(int argc, char **argv)
{
    Options options;
    if (!read_options(argc, argv, options))
    {
        usage();
        return argc > 1 && std::strcmp(argv[1], "--help") == 0 ? 0 : 2;
    }
    std::vector<std::string> scenes = Scene::names();
    for (const std::string &name : Scene::more_names())
        if (!options.only.empty())
            scenes.push_back(name);
    Contestants contestants;
    add_ours(contestants, options.kinds);
    add_embree(contestants);
    add_cgal(contestants);
    add_bullet(contestants);
    add_fcl(contestants);
    add_ode(contestants);
    int wrong = 0;
    std::vector<Medians> rounds;
    for (int round = 0; round < options.rounds; round++)
    {
        rounds.emplace_back();
        for (uint32_t count : options.counts)
            for (const std::string &name : scenes)
                if (wanted(options.only, name))
                {
                    std::printf("%s, %u boxes: median ms per step\n", name.c_str(), count);
                    wrong += run_scene(contestants, name, count, options, rounds.back());
                }
    }
    print_growth(options, rounds);
    if (!options.plot.empty() && !rounds.empty())
        plot(options, rounds.back());
    return wrong ? 1 : 0;
}
