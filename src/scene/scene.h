/* scene: bodies that are added, moved, reshaped and removed, and the const frame that engines read. */
#ifndef SCENE_SCENE_H
#define SCENE_SCENE_H

#include "broad/broad.h"
#include "carom/scene.h"
#include "query/query.h"

typedef struct scene_hits scene_hits; /* memory for rays: scene/ray.c */
typedef struct scene_ask scene_ask;   /* memory for probes and points: scene/ask.c */

/* A tree over the boxes of the bodies; its slots are positions in the frame. */
typedef struct scene_boxes
{
    uint64_t version; /* of the scene whose boxes these are; 0: none */
    broad_box_tree tree;
    BASE_ARRAY(carom_aabb) boxes;
    BASE_ARRAY(uint32_t) indices; /* in the tree's order; not for empty boxes */
    size_t replaced;              /* boxes, since the tree was built */
} scene_boxes;

struct carom_scene
{
    carom_context *context;
    uint64_t identity; /* of frames: base_new_identity */
    uint64_t version;  /* grows with each change */
    base_id_pool ids;
    BASE_ARRAY(carom_frame_body) bodies; /* bodies[id.index - 1]; index 0: free */
    BASE_ARRAY(carom_frame_body) frame;
    bool frame_stale;
    scene_boxes boxes;
    scene_hits *hits;
    scene_ask *ask;
};

/* CAROM_OK if the frame shows the current state of its scene, belongs to a snapshot, or was made by the caller;
 * otherwise CAROM_STALE_FRAME. */
carom_status scene_check_fresh(carom_context *context, const carom_frame *frame);

void scene_hits_free(carom_context *context, scene_hits *hits);
void scene_ask_free(carom_context *context, scene_ask *ask);

/* Brings the tree up to date with the scene, of which this is the frame. */
carom_status scene_boxes_update(carom_scene *scene, const carom_frame *frame);
void scene_boxes_free(carom_context *context, scene_boxes *boxes);

/* A body's tree may have been refitted since the body got it. for_pairs: nor may it be one for rays. */
carom_status scene_check_trees(carom_context *context, const carom_frame *frame, bool for_pairs);

#endif
