/* scene: bodies that are added, moved, reshaped and removed, and the const frame that engines read. */
#ifndef SCENE_SCENE_H
#define SCENE_SCENE_H

#include "broad/broad.h"
#include "carom/scene.h"
#include "query/query.h"

typedef struct scene_hits scene_hits; /* memory for rays: scene/ray.c */

struct carom_scene
{
    carom_context *context;
    uint64_t identity; /* of frames: base_new_identity */
    uint64_t version;  /* grows with each change */
    base_id_pool ids;
    BASE_ARRAY(carom_frame_body) bodies; /* bodies[id.index - 1]; index 0: free */
    BASE_ARRAY(carom_frame_body) frame;
    bool frame_stale;
    scene_hits *hits;
};

/* CAROM_OK if the frame shows the current state of its scene, belongs to a snapshot, or was made by the caller;
 * otherwise CAROM_STALE_FRAME. */
carom_status scene_check_fresh(carom_context *context, const carom_frame *frame);

void scene_hits_free(carom_context *context, scene_hits *hits);

#endif
