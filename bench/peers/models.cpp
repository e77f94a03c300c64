// The table of model pairs, and how each is generated or read.
#include "models.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

extern "C"
{
#include "carom/io.h"
#include "scenes/generate.h"
}

namespace bench
{
namespace
{

const char *const files[] = {"stanford-bunny", "rocker-arm", "fandisk", "spot", "cow", "teapot", "suzanne"};

struct Generated
{
    const char *name, *kind;
    uint32_t triangles;
    bool quick; // part of the quick bench
};
const Generated generated[] = {
    {"torus-5k", "torus", 5000, true},       {"torus-50k", "torus", 50000, false},
    {"torus-500k", "torus", 500000, false},  {"knot-5k", "torus-knot", 5000, false},
    {"knot-50k", "torus-knot", 50000, true}, {"knot-500k", "torus-knot", 500000, false},
    {"blob-5k", "blob", 5000, false},        {"blob-50k", "blob", 50000, true},
    {"blob-500k", "blob", 500000, false},
};

// The slanted pipes and the hand that passes through them.
const char *const pipes_name = "pipes";
constexpr uint32_t pipes_triangles = 170000, hand_triangles = 404;
constexpr double hand_share = 0.04; // of the network's size

class Context
{
  public:
    Context()
    {
        if (carom_context_create(nullptr, &context_) != CAROM_OK)
            throw std::runtime_error("no context");
    }
    ~Context() { carom_context_destroy(context_); }
    Context(const Context &) = delete;
    Context &operator=(const Context &) = delete;
    carom_context *get() const { return context_; }
    void require(carom_status status) const
    {
        if (!carom_failed(status))
            return;
        char message[256];
        carom_context_message(context_, message, sizeof message);
        throw std::runtime_error(std::string(carom_status_name(status)) + ": " + message);
    }

  private:
    carom_context *context_ = nullptr;
};

std::shared_ptr<Model> copy_mesh(const carom_mesh *mesh, const std::string &name)
{
    auto model = std::make_shared<Model>();
    const carom_mesh_info info = carom_mesh_get_info(mesh);
    model->name = name;
    for (uint32_t i = 0; i < info.vertex_count; i++)
    {
        const carom_vec3 &vertex = carom_mesh_vertices(mesh)[i];
        model->vertices.push_back({vertex.x, vertex.y, vertex.z});
    }
    for (uint32_t i = 0; i < info.triangle_count; i++)
    {
        const uint32_t *index = carom_mesh_indices(mesh) + 3 * static_cast<size_t>(i);
        model->triangles.push_back({index[0], index[1], index[2]});
    }
    model->measure();
    return model;
}

std::shared_ptr<Model> generate(const char *kind, uint32_t triangles, double size, const std::string &name)
{
    const Context context;
    generate_kind found;
    if (!generate_find(kind, &found))
        throw std::runtime_error(std::string("no generator called ") + kind);
    generate_def def = generate_def_default(found);
    def.triangles = triangles;
    def.size = size;
    carom_mesh *mesh = nullptr;
    context.require(generate_mesh(context.get(), &def, &mesh));
    std::shared_ptr<Model> model = copy_mesh(mesh, name);
    carom_mesh_destroy(mesh);
    return model;
}

std::string model_path(const std::string &data_folder, const std::string &name)
{
    return data_folder + "/models/" + name + ".obj";
}

std::shared_ptr<Model> read_model(const std::string &path, const std::string &name)
{
    const Context context;
    io_model model;
    context.require(io_read(context.get(), path.c_str(), nullptr, &model));
    std::shared_ptr<Model> result = copy_mesh(model.mesh, name);
    io_model_free(&model);
    return result;
}

} // namespace

std::vector<std::string> model_pair_names(const std::string &data_folder, bool quick)
{
    std::vector<std::string> names;
    for (const Generated &entry : generated)
        if (entry.quick || !quick)
            names.push_back(entry.name);
    for (const char *name : files)
    {
        if (quick && name != files[0])
            continue;
        if (std::filesystem::exists(model_path(data_folder, name)))
            names.push_back(name);
        else
            std::printf("%s left out: no %s\n", name, model_path(data_folder, name).c_str());
    }
    names.push_back(pipes_name);
    return names;
}

void load_model_pair(const std::string &name, const std::string &data_folder, Workload &workload)
{
    if (name == pipes_name)
    {
        workload.a = generate("pipe-network", pipes_triangles, 1, name);
        workload.b = generate("hand", hand_triangles, hand_share, "hand");
        workload.inside = true;
        return;
    }
    for (const Generated &entry : generated)
        if (name == entry.name)
            workload.a = generate(entry.kind, entry.triangles, 1, name);
    if (!workload.a)
        workload.a = read_model(model_path(data_folder, name), name);
    workload.b = workload.a;
}

} // namespace bench
