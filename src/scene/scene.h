/* scene: bodies that come, move, change and go, and the const frame that engines read. */
#ifndef SCENE_SCENE_H
#define SCENE_SCENE_H

#include "broad/broad.h"
#include "carom/scene.h"
#include "query/query.h"

typedef struct scene_hits scene_hits; /* what rays need: scene/ray.c */

struct carom_scene
{
    carom_context *context;
    uint64_t serial;  /* unique within the context */
    uint64_t version; /* grows with each change */
    base_id_pool ids;
    BASE_ARRAY(carom_frame_body) bodies; /* bodies[id.index - 1]; index 0: free */
    BASE_ARRAY(carom_frame_body) frame;
    bool frame_stale;
    scene_hits *hits;
};

/* Is the frame what its scene is now, or a snapshot's, or made by the caller? CAROM_STALE_FRAME otherwise. */
carom_status scene_check_fresh(carom_context *context, const carom_frame *frame);

void scene_hits_free(carom_context *context, scene_hits *hits);

#endif
