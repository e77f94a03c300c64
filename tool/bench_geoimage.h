/* What the files of carom bench geoimage share. */
#ifndef TOOL_BENCH_GEOIMAGE_H
#define TOOL_BENCH_GEOIMAGE_H

#include "tool/geoimage_bench.h"
#include "tool/tool.h"

/* The paper's claim: the search on its graphics card, against the same on its processor, in the mean. */
#define BENCH_GEOIMAGE_PUBLISHED_GAIN 0.13
/* And of its tests of boxes and triangles by themselves, at most, mostly on the lower levels of the hierarchy. */
#define BENCH_GEOIMAGE_PUBLISHED_TESTS 2.0
/* Boxes are to be rebuilt so many times as fast as a tree is built, and as one is refitted. */
#define BENCH_GEOIMAGE_BUILD_GOAL 10.0
#define BENCH_GEOIMAGE_REFIT_GOAL 1.0

void bench_geoimage_print(const geoimage_bench *bench);
int bench_geoimage_print_json(const tool_command *command, const geoimage_bench *bench);
/* Figure 5: times over the distance. */
int bench_geoimage_plot(const tool_command *command, const geoimage_bench *bench, const char *path);

#endif
