/* The experiment of the thesis's chapter 2: scenes, engines, and their times. */
#include "tool/image_bench.h"

#include "tool/tool.h"

#include <math.h>

const char *const IMAGE_BENCH_NAMES[IMAGE_BENCH_METHODS] = {"OBB tree", "IBCD", "certified, always",
                                                            "certified or trees", "RECODE"};
const char *const IMAGE_BENCH_SCENE_NAMES[IMAGE_BENCH_SCENES] = {"ibcd-1", "ibcd-2"};
const uint32_t IMAGE_BENCH_TRIANGLES[IMAGE_BENCH_SCENES][IMAGE_BENCH_SIZES] = {{13000, 26000, 52000, 104000, 208000},
                                                                               {2000, 4000, 8000, 16000, 32000}};

static uint32_t count_triangles(const scenes_scene *scene)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < scene->body_count; i++)
        sum += carom_mesh_get_info(scene->bodies[i].shape.mesh).triangle_count;
    return sum;
}

static carom_status open_row(image_bench_row *row)
{
    static const char *const engines[IMAGE_BENCH_METHODS] = {"tree", "image-sampled", "image", "image", "recode"};
    uint32_t wanted = IMAGE_BENCH_TRIANGLES[row->scene][row->size];
    carom_status status = scene_twins_open(row->context, IMAGE_BENCH_SCENE_NAMES[row->scene], wanted, &row->twins);
    if (!carom_failed(status))
        row->triangles = count_triangles(row->twins.source);
    for (int i = 0; i < IMAGE_BENCH_METHODS && !carom_failed(status); i++)
    {
        carom_engine_def def = carom_engine_def_default();
        def.engine = engines[i], def.image_side = row->options->side, def.image_always = i == IMAGE_BENCH_CERTIFIED;
        if (image_bench_has(row->options, i))
            status = carom_engine_create(row->context, &def, &row->runs[i].engine);
    }
    return status;
}

void image_bench_close(image_bench_row *row)
{
    for (int i = 0; i < IMAGE_BENCH_METHODS; i++)
        carom_engine_destroy(row->runs[i].engine), row->runs[i].engine = NULL;
    scene_twins_close(&row->twins);
}

/* ---- measuring ---- */

static bool same_bodies(const carom_body_pair *a, const carom_body_pair *b)
{
    return a->body_a.index == b->body_a.index && a->body_b.index == b->body_b.index;
}

/* Both lists are sorted. */
static uint64_t count_missed(const carom_scene_report *truth, const carom_scene_report *report, bool *wrong)
{
    uint64_t found = 0;
    for (uint64_t i = 0; i < truth->body_pair_count && found < report->body_pair_count; i++)
        found += same_bodies(&truth->body_pairs[i], &report->body_pairs[found]);
    *wrong |= found < report->body_pair_count;
    return truth->body_pair_count - found;
}

static void compare(image_bench_row *row, const carom_scene_report *truth, const carom_scene_report *report, int method)
{
    image_bench_run *run = &row->runs[method];
    run->sampled_size = fmax(run->sampled_size, report->counters.sampled_size);
    run->missed += count_missed(truth, report, &row->differ);
    if (method == IMAGE_BENCH_CERTIFIED || method == IMAGE_BENCH_CHOICE)
        row->differ |= report->hash != truth->hash;
}

static carom_status run_once(image_bench_row *row, const carom_frame *frame, int method, uint32_t step,
                             carom_scene_report *report)
{
    carom_collide_options options = carom_collide_options_default();
    options.mode = row->options->all ? CAROM_COLLIDE_ALL : CAROM_COLLIDE_ANY;
    image_bench_run *run = &row->runs[method];
    double start = tool_clock_ms(true), processor = tool_clock_ms(false);
    carom_status status = carom_engine_run(run->engine, frame, &options, report);
    double elapsed = tool_clock_ms(true) - start, used = tool_clock_ms(false) - processor;
    double taken = row->options->elapsed ? elapsed : used;
    run->processor_ms += used, run->elapsed_ms += elapsed, run->count++;
    uint64_t images = carom_engine_get_stats(run->engine).images;
    if (taken < run->ms[step])
        run->ms[step] = taken, run->step_images[step] = (double)(images - run->images_before);
    run->images_before = images;
    return status;
}

/* Every method in turn, so that other load on the machine affects all alike. */
static carom_status run_step(image_bench_row *row, uint32_t step, bool first)
{
    carom_frame frames[TWIN_COUNT];
    carom_scene_report truth, report;
    carom_status status = scene_twins_move(&row->twins, image_bench_moment(row->options, step), frames);
    if (!carom_failed(status))
        status = run_once(row, &frames[TWIN_OBB], IMAGE_BENCH_TREE, step, &truth);
    if (!carom_failed(status) && first)
        row->meeting += truth.body_pair_count;
    for (int i = 0; i < IMAGE_BENCH_METHODS && !carom_failed(status); i++)
        if (i != IMAGE_BENCH_TREE && row->runs[i].engine)
        {
            status = run_once(row, &frames[TWIN_DEFAULT], i, step, &report);
            if (!carom_failed(status) && first)
                compare(row, &truth, &report, i);
        }
    return status;
}

/* Trees, pieces, programs of the driver and its first targets belong to the preparation. */
static carom_status warm_up(image_bench_row *row)
{
    carom_status status = CAROM_OK;
    for (uint32_t step = 0; step < 2 && !carom_failed(status); step++)
        status = run_step(row, step * (row->options->steps / 2), false);
    for (int i = 0; i < IMAGE_BENCH_METHODS; i++)
    {
        image_bench_run *run = &row->runs[i];
        for (uint32_t step = 0; step < IMAGE_BENCH_MAX_STEPS; step++)
            run->ms[step] = INFINITY;
        run->processor_ms = run->elapsed_ms = 0, run->count = 0;
        if (!carom_failed(status))
            run->before = carom_engine_get_stats(run->engine);
    }
    return status;
}

static void sum_up_stats(image_bench_run *run)
{
    carom_engine_stats now = carom_engine_get_stats(run->engine), *before = &run->before, *out = &run->seconds;
    double count = (double)run->count;
    run->images = (double)(now.images - before->images) / count;
    run->images_apart = (double)(now.images_apart - before->images_apart) / count;
    run->views_apart = (double)(now.views_apart - before->views_apart) / count;
    run->passes = (double)(now.passes - before->passes) / count;
    run->pixels = (double)(now.pixels - before->pixels) / count;
    out->view_seconds = (now.view_seconds - before->view_seconds) / count;
    out->upload_seconds = (now.upload_seconds - before->upload_seconds) / count;
    out->draw_seconds = (now.draw_seconds - before->draw_seconds) / count;
    out->query_seconds = (now.query_seconds - before->query_seconds) / count;
    out->box_seconds = (now.box_seconds - before->box_seconds) / count;
    out->exact_seconds = (now.exact_seconds - before->exact_seconds) / count;
    run->processor_ms /= count, run->elapsed_ms /= count;
    /* engines read the clock: their share of it, of what a step takes */
    double share = (now.image_seconds - before->image_seconds) / (1e-3 * run->elapsed_ms * count);
    run->image_us = run->images > 0.0 ? 1e3 * run->mean_ms * share / run->images : 0.0;
}

/* eta_i = (t_i - mean) / mean (2-12). */
static void sum_up(image_bench_run *run, uint32_t steps)
{
    double squares = 0.0, products = 0.0, image_squares = 0.0, mean_images = 0.0;
    for (uint32_t step = 0; step < steps; step++)
        run->mean_ms += run->ms[step] / steps, mean_images += run->step_images[step] / steps;
    for (uint32_t step = 0; step < steps; step++)
    {
        double eta = (run->ms[step] - run->mean_ms) / run->mean_ms, images = run->step_images[step] - mean_images;
        squares += eta * eta, run->mean_off += fabs(eta) / steps;
        products += eta * images, image_squares += images * images;
    }
    run->spread = sqrt(squares / steps);
    run->correlation = products / sqrt(squares * image_squares);
    sum_up_stats(run);
}

carom_status image_bench_measure(image_bench_row *row)
{
    char what[64], number[32];
    uint32_t steps = row->options->steps;
    carom_status status = open_row(row);
    if (!carom_failed(status))
        status = warm_up(row);
    snprintf(what, sizeof what, "scene %d, %s triangles", row->scene + 1, tool_thousands(row->triangles, number));
    for (uint32_t repeat = 0; repeat < row->options->repeats; repeat++)
        for (uint32_t step = 0; step < steps && !carom_failed(status); step++)
        {
            tool_watch(&(carom_progress){"measuring", what, repeat * steps + step, row->options->repeats * steps},
                       NULL);
            status = run_step(row, step, repeat == 0);
        }
    for (int i = 0; i < IMAGE_BENCH_METHODS && !carom_failed(status); i++)
        if (row->runs[i].engine)
            sum_up(&row->runs[i], steps);
    return status;
}
