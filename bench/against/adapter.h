/* adapter.h: what the driver asks of a revision. Plain C types only, so that revisions whose structs differ can be
 * loaded into one process. Every function except open requires an open adapter; one thread. */
#ifndef BENCH_AGAINST_ADAPTER_H
#define BENCH_AGAINST_ADAPTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum
{
    ADAPTER_POSE_SIZE = 12, /* rotation by rows, then the translation */
    ADAPTER_RAY_SIZE = 6,   /* origin, direction */
    ADAPTER_MAX_POSES = 64
};

typedef enum adapter_tree
{
    ADAPTER_FAST = 0,
    ADAPTER_TIGHT = 1,
    ADAPTER_RAYS = 2,
    ADAPTER_TREE_COUNT = 3
} adapter_tree;

typedef enum adapter_question
{
    ADAPTER_ANY_HIT = 0,
    ADAPTER_ALL_PAIRS = 1,
    ADAPTER_DISTANCE = 2,
    ADAPTER_QUESTION_COUNT = 3
} adapter_question;

typedef struct adapter_mesh
{
    const double *vertices;
    size_t vertex_count;
    const uint32_t *indices;
    size_t triangle_count;
} adapter_mesh;

typedef struct adapter
{
    const char *(*version)(void);
    bool (*open)(void);
    void (*close)(void);

    /* Takes the place of the model before. False: something failed. */
    bool (*set_model)(const adapter_mesh *mesh);
    bool (*build)(adapter_tree tree); /* takes the place of the tree before */
    double (*bytes_per_triangle)(adapter_tree tree);

    /* The model against itself: for each of `count` pairs the pose of a, then that of b. */
    void (*place)(adapter_tree tree, const double *poses, int count);
    /* The question at every pair of poses that was placed: hits, pairs or distances added up; NaN after a failure. */
    double (*ask)(adapter_question question);
    /* First hits, with the tree for rays: their t added up. */
    double (*cast)(const double *rays, int count);
} adapter;

/* The one name that an adapter exports. */
#define ADAPTER_ENTRY "adapter_get"
typedef const adapter *adapter_get_fn(void);

#endif
