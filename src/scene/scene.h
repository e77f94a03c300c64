/* scene: bodies that are added, moved, reshaped and removed, and the const frame that engines read. */
#ifndef SCENE_SCENE_H
#define SCENE_SCENE_H

#include "broad/broad.h"
#include "carom/scene.h"
#include "query/query.h"

typedef struct scene_hits scene_hits; /* memory for rays: scene/ray.c */
typedef struct scene_ask scene_ask;   /* memory for probes and points: scene/ask.c */

typedef BASE_ARRAY(carom_frame_rule) scene_rule_list;

/* Rules for pairs of bodies: scene/rules.c. */
typedef struct scene_rules
{
    scene_rule_list items;     /* sorted by the bodies' indices, and none of them obsolete, unless: */
    bool stale;                /* something has changed since the last frame */
    base_map map;              /* broad_pack of two indices: where in items */
    BASE_ARRAY(uint8_t) ruled; /* by index - 1: some rule names the body */
    uint64_t version;          /* of the scene when a rule last changed; 0: there was none */
    scene_rule_list sorted;    /* while they are sorted, as the two below */
    BASE_ARRAY(base_key_value) order, space;
} scene_rules;

/* A tree over the boxes of the bodies; its slots are positions in the frame. */
typedef struct scene_boxes
{
    uint64_t version; /* of the scene whose boxes these are; 0: none */
    broad_box_tree tree;
    BASE_ARRAY(carom_aabb) boxes;
    BASE_ARRAY(uint32_t) indices; /* in the tree's order; not for empty boxes */
    size_t replaced;              /* boxes, since the tree was built */
    BASE_ARRAY(uint32_t) changed; /* positions of bodies that frames have shown to be different since, unless: */
    bool unsure;                  /* any may be different */
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
    BASE_ARRAY(uint32_t) positions; /* in the frame, by index - 1 */
    BASE_ARRAY(uint32_t) changed;   /* indices of bodies that differ from those of the frame, unless: */
    bool rearranged;                /* bodies came or went since, or many changed */
    uint32_t tree_count;            /* bodies with a tree of their own */
    scene_rules rules;
    scene_boxes boxes;
    scene_hits *hits;
    scene_ask *ask;
};

/* CAROM_OK if the frame shows the current state of its scene, belongs to a snapshot, or was made by the caller;
 * otherwise CAROM_STALE_FRAME. */
carom_status scene_check_fresh(carom_context *context, const carom_frame *frame);

/* Records a change of the scene; returns the version of what changed. */
uint64_t scene_next_version(carom_scene *scene);
carom_status scene_check_id(const carom_scene *scene, carom_body_id id, const char *call);
/* Is this a length or a weight: 0 .. 2^100? */
carom_status scene_check_amount(carom_context *context, double value, const char *what);

/* The body with this index is gone. */
void scene_rules_forget(carom_scene *scene, uint32_t index);
/* Does a rule say never to compare these bodies, which are alive? */
bool scene_rule_forbids(const carom_scene *scene, carom_body_id a, carom_body_id b);
/* Puts the rules in order, for a frame. */
carom_status scene_rules_refresh(carom_scene *scene);
void scene_rules_free(carom_context *context, scene_rules *rules);

void scene_hits_free(carom_context *context, scene_hits *hits);
void scene_ask_free(carom_context *context, scene_ask *ask);

/* Brings the tree up to date with the scene, of which this is the frame. */
carom_status scene_boxes_update(carom_scene *scene, const carom_frame *frame);
void scene_boxes_free(carom_context *context, scene_boxes *boxes);

/* The frame has changed at these positions; null: anywhere. */
void scene_boxes_note(carom_scene *scene, const uint32_t *positions, size_t count);

/* A body's tree may have been refitted since the body got it. for_pairs: nor may it be one for rays. */
carom_status scene_check_trees(const carom_scene *scene, const carom_frame *frame, bool for_pairs);

#endif
