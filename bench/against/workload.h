/* workload.h: the queries for both revisions: a model, six placements of it relative to itself, rays. Made with this
 * tree's library, whatever is compared. */
#ifndef BENCH_AGAINST_WORKLOAD_H
#define BENCH_AGAINST_WORKLOAD_H

#include "bench/against/adapter.h"
#include "carom/carom.h"

enum
{
    WORKLOAD_MAX_MODELS = 64,
    WORKLOAD_PLACEMENT_COUNT = 6,
    WORKLOAD_POSE_COUNT = 20,
    WORKLOAD_RAY_COUNT = 400
};

/* "deep", "touch", "0.1%", "1%", "5%", "far": as in scenes/poses.h; far is half of the size beyond 5 %. */
extern const char *const workload_placement_names[WORKLOAD_PLACEMENT_COUNT];

typedef struct workload
{
    carom_mesh *mesh;
    double poses[WORKLOAD_PLACEMENT_COUNT][WORKLOAD_POSE_COUNT * 2 * ADAPTER_POSE_SIZE];
    double rays[WORKLOAD_RAY_COUNT * ADAPTER_RAY_SIZE];
} workload;

/* Names of what can be opened: the OBJ files of $CAROM_DATA/models, or generated shapes where there are none. */
typedef struct workload_names
{
    char names[WORKLOAD_MAX_MODELS][256]; /* a path, or a kind of scenes/generate.h */
    uint32_t count;
} workload_names;
void workload_find(workload_names *out);
const char *workload_short_name(const char *name); /* without folders; borrowed */

/* Close it even where this fails. */
carom_status workload_open(carom_context *context, const char *name, workload *out);
void workload_close(workload *workload);

#endif
