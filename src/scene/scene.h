/* scene: bodies that come, move and go, and the const frame that engines read. */
#ifndef SCENE_SCENE_H
#define SCENE_SCENE_H

#include "carom/scene.h"
#include "query/query.h"

typedef struct scene_body
{
    carom_body_id id;
    carom_placed placed;
    carom_filter filter;
    carom_aabb bounds; /* world */
    char *name;        /* own copy, or null */
    uint64_t user;
    bool owns_tree; /* one of scene->trees, counted there */
} scene_body;

/* A tree that the scene built, for as long as a body uses it. */
typedef struct scene_tree
{
    uint64_t mesh_serial;
    carom_tree *tree;
    uint32_t users;
} scene_tree;

struct carom_scene
{
    carom_context *context;
    base_id_pool ids;
    BASE_ARRAY(scene_body) bodies; /* bodies[id.index - 1] */
    BASE_ARRAY(scene_tree) trees;
    BASE_ARRAY(carom_frame_body) frame;
    bool frame_stale;
};

/* May these two be compared? */
static inline bool scene_filter_allows(const carom_filter *a, const carom_filter *b)
{
    return (a->category & b->mask) && (b->category & a->mask) && (a->group != b->group || a->group == 0);
}

#endif
