// carom_bench_peers: Carom against other collision detection libraries, in one process, on one thread.
#include "bench/machine.h"
#include "rounds.hpp"
#include "tables.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace
{

using namespace bench;

struct Options
{
    WorkloadOptions workloads;
    MeasureOptions measure;
    double seconds = 0; // stop taking up new workloads after this long; 0: never
    std::vector<std::string> questions;
    std::vector<std::string> contestants;
    std::string json = "build/bench/peers.json";
    std::string export_folder;
};

const char *const usage =
    "carom_bench_peers [options]\n"
    "  --quick               few models, few orientations, few repetitions\n"
    "  --only TEXT           models whose name contains TEXT, or one question (any-hit, all-pairs, distance, rays,\n"
    "                        triangles, build, sphere, capsule); may be given several times\n"
    "  --with TEXT           only contestants and builders whose name contains TEXT; may be given several times\n"
    "  --seconds N           take up no new model after N seconds\n"
    "  --orientations N      random orientations per pose class (20)\n"
    "  --repetitions N       questions per pose, of which the quickest counts (15)\n"
    "  --seed N              of the poses (1)\n"
    "  --threads N           of ours and of Embree (1); meant for --only build\n"
    "  --json FILE           where the results go (build/bench/peers.json)\n"
    "  --export FOLDER       also write models (OBJ) and poses there\n"
    "models come from $CAROM_DATA/models (default ../shared/data)\n";

bool is_question(const std::string &text)
{
    return text == "any-hit" || text == "all-pairs" || text == "distance" || text == "rays" || text == "build" ||
           text == "triangles" || text == "sphere" || text == "capsule";
}

Options parse(int argc, char **argv)
{
    Options options;
    const char *data = std::getenv("CAROM_DATA");
    options.workloads.data_folder = data ? data : "../shared/data";
    options.workloads.cache_folder = "build/bench";
    for (int i = 1; i < argc; i++)
    {
        const std::string option = argv[i];
        if (option == "--help")
        {
            std::fputs(usage, stdout);
            std::exit(0);
        }
        if (option == "--quick")
        {
            options.workloads.quick = true;
            options.workloads.orientations = 10;
            options.measure.repetitions = 5;
            options.measure.give_up_seconds = 1;
            options.measure.slow_seconds = 0.2;
            continue;
        }
        if (i + 1 == argc)
            throw std::runtime_error("unknown option, or its value is missing: " + option);
        const std::string value = argv[++i];
        if (option == "--only")
            (is_question(value) ? options.questions : options.workloads.only).push_back(value);
        else if (option == "--with")
            options.contestants.push_back(value);
        else if (option == "--seconds")
            options.seconds = std::stod(value);
        else if (option == "--orientations")
            options.workloads.orientations = static_cast<uint32_t>(std::stoul(value));
        else if (option == "--repetitions")
            options.measure.repetitions = std::stoi(value);
        else if (option == "--seed")
            options.workloads.seed = std::stoull(value);
        else if (option == "--threads")
            set_thread_count(static_cast<unsigned>(std::stoul(value)));
        else if (option == "--json")
            options.json = value;
        else if (option == "--export")
            options.export_folder = value;
        else
            throw std::runtime_error("unknown option " + option);
    }
    for (const std::string &question : options.questions)
        options.workloads.place = options.workloads.place || (question != "sphere" && question != "capsule");
    options.workloads.place = options.workloads.place || options.questions.empty();
    return options;
}

bool wanted(const std::vector<std::string> &filters, const std::string &name)
{
    if (filters.empty())
        return true;
    for (const std::string &filter : filters)
        if (name.find(filter) != std::string::npos)
            return true;
    return false;
}

template <class Entry>
void keep_wanted(const Options &options, std::vector<std::unique_ptr<Entry>> &all,
                 std::vector<std::unique_ptr<Entry>> &kept)
{
    for (std::unique_ptr<Entry> &entry : all)
        if (wanted(options.contestants, entry->name()))
            kept.push_back(std::move(entry));
}

// New contestants for each workload: most libraries don't release what they built.
void assemble(const Options &options, Contestants &contestants, Builders &builders)
{
    Contestants all;
    Builders all_builders;
    add_ours(all, all_builders);
    add_fcl(all, all_builders);
    add_ode(all, all_builders);
    add_bullet(all, all_builders);
    add_embree(all, all_builders);
    add_cgal(all, all_builders);
#ifdef CAROM_PEER_PQP
    add_pqp(all, all_builders);
#endif
#ifdef CAROM_PEER_OPCODE
    add_opcode(all, all_builders);
#endif
    keep_wanted(options, all, contestants);
    keep_wanted(options, all_builders, builders);
}

void export_model(const Model &model, const std::string &path)
{
    std::FILE *file = std::fopen(path.c_str(), "w");
    if (!file)
        throw std::runtime_error("cannot write " + path);
    for (const Vec3 &vertex : model.vertices)
        std::fprintf(file, "v %.17g %.17g %.17g\n", vertex[0], vertex[1], vertex[2]);
    for (const Triangle &triangle : model.triangles)
        std::fprintf(file, "f %u %u %u\n", triangle[0] + 1, triangle[1] + 1, triangle[2] + 1);
    std::fclose(file);
}

void export_workload(const Workload &workload, const std::string &folder)
{
    std::filesystem::create_directories(folder);
    export_model(*workload.a, folder + "/" + workload.name + ".a.obj");
    export_model(*workload.b, folder + "/" + workload.name + ".b.obj");
    std::FILE *file = std::fopen((folder + "/" + workload.name + ".poses").c_str(), "w");
    if (!file)
        throw std::runtime_error("cannot write poses to " + folder);
    for (const PoseClass &pose_class : workload.classes)
        for (const Pose &pose : pose_class.poses)
        {
            std::fprintf(file, "%s", pose_class.name.c_str());
            for (double value : pose.rotation)
                std::fprintf(file, " %.17g", value);
            std::fprintf(file, " %.17g %.17g %.17g\n", pose.translation[0], pose.translation[1], pose.translation[2]);
        }
    std::fclose(file);
}

void run_pairs(const Workload &workload, const Options &options, Contestants &contestants, Oracle &oracle,
               Results &results)
{
    for (const PoseClass &pose_class : workload.classes)
        for (Question question : {Question::any_hit, Question::all_pairs, Question::distance})
        {
            // Far apart only distance has work to do; where bodies overlap it has none; along a path no one lists
            // pairs.
            const bool overlap = pose_class.name == "deep" || pose_class.name == "touch";
            if ((question == Question::distance && overlap) ||
                (question != Question::distance && pose_class.name == "10%") ||
                (question == Question::all_pairs && pose_class.name == "path") ||
                !wanted(options.questions, question_name(question)))
                continue;
            results.cells.push_back(
                measure_pairs(workload, pose_class, question, contestants, oracle, options.measure));
            std::fprintf(stderr, ".");
        }
}

std::vector<std::string> wanted_of_rounds(const Options &options)
{
    std::vector<std::string> names;
    for (const std::string &name : round_questions())
        if (wanted(options.questions, name.substr(0, name.find(' '))))
            names.push_back(name);
    return names;
}

void run_workload(const std::string &name, const Options &options, Oracle &oracle, Results &results)
{
    std::fprintf(stderr, "%s ", name.c_str());
    const Workload workload = load_workload(name, options.workloads);
    if (!options.export_folder.empty())
        export_workload(workload, options.export_folder);
    Contestants assembled, contestants;
    Builders builders;
    assemble(options, assembled, builders);
    if (wanted(options.questions, "build"))
        results.builds.push_back(measure_builds(*workload.a, builders, options.measure));
    for (std::unique_ptr<Contestant> &contestant : assembled)
        if (contestant->load(*workload.a, *workload.b))
            contestants.push_back(std::move(contestant));
        else
            std::printf("%s left out of %s: %s\n", contestant->name().c_str(), name.c_str(), contestant->why().c_str());
    run_pairs(workload, options, contestants, oracle, results);
    if (wanted(options.questions, "rays"))
        for (bool coherent : {false, true})
            results.cells.push_back(measure_rays(workload, coherent, contestants, options.measure));
    const std::vector<std::string> of_rounds = wanted_of_rounds(options);
    if (!of_rounds.empty() && options.contestants.empty())
        for (Cell &cell : measure_rounds(*workload.a, of_rounds, options.workloads, options.measure))
            results.cells.push_back(std::move(cell));
    if (wanted(options.questions, "triangles"))
        results.triangles.push_back(measure_triangles(workload, oracle, options.measure.repetitions));
    std::fprintf(stderr, "\n");
}

Results run(const Options &options)
{
    Results results;
    char machine[MACHINE_TEXT_SIZE];
    machine_describe(machine);
    results.machine = machine;
    std::printf("%s\n", results.machine.c_str());
    std::fflush(stdout);
    Contestants contestants;
    Builders builders;
    assemble(options, contestants, builders);
    for (const std::unique_ptr<Contestant> &contestant : contestants)
    {
        results.contestants.push_back(contestant->name());
        if (contestant->ours())
            results.ours.push_back(contestant->name());
    }
    const double start = now();
    Oracle oracle(options.seconds > 0 ? 0.2 * options.seconds : 120);
    for (const std::string &name : workload_names(options.workloads))
    {
        if (options.seconds > 0 && now() - start > options.seconds)
        {
            std::printf("%s left out: the time is up\n", name.c_str());
            continue;
        }
        run_workload(name, options, oracle, results);
        results.seconds = now() - start;
        results.oracle_pairs = oracle.triangle_pairs_decided;
        results.oracle_differs = oracle.predicates_differ;
        if (!save_json(results, options.json))
            std::fprintf(stderr, "cannot write %s\n", options.json.c_str());
    }
    return results;
}

} // namespace

int main(int argc, char **argv)
{
    try
    {
        const Options options = parse(argc, argv);
        const Results results = run(options);
        for (const char *question : {"any-hit", "all-pairs", "distance", "rays"})
            print_question(results, question);
        for (const std::string &question : round_questions())
            print_question(results, question);
        print_builds(results);
        print_triangles(results);
        print_disagreements(results);
        if (!results.ours.empty())
            print_goals(results);
        std::printf("\n%.0f seconds; results in %s\n", results.seconds, options.json.c_str());
        return 0;
    }
    catch (const std::exception &error)
    {
        std::fprintf(stderr, "carom_bench_peers: %s\n", error.what());
        return 2;
    }
}
