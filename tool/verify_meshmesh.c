/* Two meshes in the file's folder, env_q.obj fixed and rob_q.obj posed; a line is a pose, the number of pairs, the
 * distance and a hash of the pair list. */
#include "tool/verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DISTANCE_TOLERANCE 1e-9

typedef struct pose_case
{
    carom_pose pose;
    uint64_t pairs, hash;
    double distance;
    unsigned line;
} pose_case;

typedef struct pose_models
{
    io_model model[2];
    carom_tree *tree[2];
    carom_placed fixed, posed;
} pose_models;

/* The file's hash: each pair as four bytes, fixed * 4096 + posed, in order. */
static uint64_t hash_pairs(const carom_report *report)
{
    uint64_t hash = 0x14650fb0739d0383u;
    for (uint64_t i = 0; i < report->pairs_listed; i++)
    {
        uint32_t code = report->pairs[i].triangle_a * 4096u + report->pairs[i].triangle_b;
        for (int byte = 0; byte < 4; byte++)
            hash = (hash ^ (code >> 8 * byte & 0xff)) * 0x100000001b3u;
    }
    return hash;
}

static bool parse_case(const char *line, pose_case *out)
{
    double number[12];
    char *end;
    const char *at = line;
    for (int i = 0; i < 12; i++, at = end)
    {
        number[i] = strtod(at, &end);
        if (end == at)
            return false;
    }
    memcpy(out->pose.rotation, number, sizeof out->pose.rotation);
    out->pose.translation = (carom_vec3){number[9], number[10], number[11]};
    out->pairs = strtoull(at, &end, 10);
    if (end == at)
        return false;
    at = end;
    out->distance = strtod(at, &end);
    if (end == at || !(out->distance >= 0))
        return false;
    at = end;
    out->hash = strtoull(at, &end, 16);
    return end != at && end[strspn(end, " \t\r")] == '\0';
}

/* What the method says; an engine gives the distance of bodies that are closer than a clearance. Not a number after a
 * failure. */
static double ask_distance(const verify_work *work, const pose_models *models)
{
    carom_report report;
    carom_collide_options options = carom_collide_options_default();
    options.clearance = 0x1p100;
    carom_status status = work->asker.engine
                              ? tool_ask_collide(&work->asker, &models->fixed, &models->posed, &options, &report)
                              : carom_distance(work->asker.query, &models->fixed, &models->posed, NULL, &report);
    return carom_failed(status) ? NAN : report.distance;
}

/* Within the tolerance; infinity, the distance from an empty model, is near itself alone. */
static bool is_near(double distance, double truth)
{
    return distance == truth || (isfinite(truth) && fabs(distance - truth) <= DISTANCE_TOLERANCE * truth);
}

static void verify_pose(verify_work *work, pose_models *models, const pose_case *truth)
{
    models->posed.pose = truth->pose;
    work->tally.cases++;
    carom_report report;
    carom_status status = tool_ask_collide(&work->asker, &models->fixed, &models->posed, NULL, &report);
    if (carom_failed(status))
    {
        verify_wrong(work, "line %u: %s", truth->line, carom_status_name(status));
        return;
    }
    uint64_t pairs = report.pair_count, hash = hash_pairs(&report);
    double distance = ask_distance(work, models);
    if (pairs != truth->pairs || hash != truth->hash || !is_near(distance, truth->distance))
        verify_wrong(work, "line %u: truth %llu pairs %016llx distance %.17g, answer %llu pairs %016llx distance %.17g",
                     truth->line, (unsigned long long)truth->pairs, (unsigned long long)truth->hash, truth->distance,
                     (unsigned long long)pairs, (unsigned long long)hash, distance);
}

/* The two models in the folder of the file that is verified, and their trees. */
static carom_status load_models(verify_work *work, pose_models *models)
{
    static const char *const names[2] = {"env_q.obj", "rob_q.obj"};
    const char *slash = strrchr(work->path, '/');
    size_t folder = slash ? (size_t)(slash + 1 - work->path) : 0;
    char paths[2][4096];
    for (int i = 0; i < 2; i++)
        snprintf(paths[i], sizeof paths[i], "%.*s%s", folder < 4000 ? (int)folder : 0, work->path, names[i]);
    carom_status status =
        tool_read_pair(work->context, (const char *const[2]){paths[0], paths[1]}, NULL, models->model);
    for (int i = 0; i < 2 && !carom_failed(status); i++)
        status = tool_ask_tree(&work->asker, models->model[i].mesh, &models->tree[i]);
    return status;
}

static int verify_poses(verify_work *work, pose_models *models, char *text)
{
    verify_lines lines = {text, 0};
    for (char *line; (line = verify_next_line(&lines));)
    {
        pose_case truth = {.line = lines.number};
        if (!parse_case(line, &truth))
            return tool_fail(work->command, "%s: line %u is not a pose, a count, a distance and a hash", work->path,
                             lines.number);
        verify_pose(work, models, &truth);
    }
    return TOOL_CLEAN;
}

int verify_meshmesh(verify_work *work)
{
    char *text = verify_load(work);
    if (!text)
        return TOOL_ERROR;
    pose_models models = {0};
    carom_status status = load_models(work, &models);
    models.fixed = (carom_placed){tool_shape(models.model[0].mesh, models.tree[0]), carom_pose_identity()};
    models.posed = (carom_placed){tool_shape(models.model[1].mesh, models.tree[1]), carom_pose_identity()};
    int code = carom_failed(status) ? tool_fail_status(work->command, work->context, status)
                                    : verify_poses(work, &models, text);
    for (int i = 0; i < 2; i++)
    {
        carom_tree_destroy(models.tree[i]);
        io_model_free(&models.model[i]);
    }
    free(text);
    return code;
}
