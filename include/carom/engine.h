/* carom/engine.h: the common interface of all collision detection methods: const frame in, report out. */
#ifndef CAROM_ENGINE_H
#define CAROM_ENGINE_H

#include "carom/scene.h"

#ifdef __cplusplus
extern "C"
{
#endif

    typedef enum carom_engine_class
    {
        CAROM_CLASS_EXACT = 0,        /* the same set as brute force */
        CAROM_CLASS_CONSERVATIVE = 1, /* a superset, certified by the exact narrow phase: the same set again */
        CAROM_CLASS_SAMPLED = 2       /* may miss pairs below a stated size */
    } carom_engine_class;

    typedef struct carom_engine_info
    {
        const char *name;
        const char *summary;
        carom_engine_class engine_class;
        bool shows_images; /* calls carom_engine_def.on_image */
    } carom_engine_info;

    /* The library's engines; null past the end. A context may have more: see carom/author.h. */
    CAROM_API const carom_engine_info *carom_engine_list(uint32_t index);

    typedef struct carom_engine carom_engine;

    /* One of the pictures that an image consists of. */
    typedef struct carom_engine_layer
    {
        const char *name;
        bool is_depth;       /* along the view's third axis, from its centre, world units; NaN: nothing is there.
                                Otherwise counts of the stencil */
        const float *values; /* side * side, row by row from the bottom */
    } carom_engine_layer;

    /* An image by which an engine judged two convex hulls: what it saw. Borrowed for the time of the call.
     *
     * Layers of "image": "a-near", "a-far", "b-near" and "b-far", the ends of depth intervals that hold all of a hull
     * over a whole pixel. Of "image-sampled" and "recode": "a-front", the depth of A's front, and "a-stencil": 1 where
     * A is, and 1 more for each side of B that is not nearer. If that leaves it open, also "b-front" and "b-stencil",
     * with exchanged roles. */
    typedef struct carom_engine_image
    {
        uint32_t node_a, node_b; /* of the bodies' trees of hulls, see carom/pieces.h */
        bool leaf_a, leaf_b;     /* the hull is that of a piece */
        bool meets;              /* the verdict: false, the hulls are apart, or too small to be seen */
        double sampled_size;     /* of this image, as in carom_counters; "image": 0 */
        uint32_t side;           /* in pixels */
        carom_vec3 axis[3];      /* of the view: to the right, up, away from the viewer; world */
        carom_vec3 centre;       /* a point p is at axis_i . (p - centre) */
        double low[2];           /* where the image begins along the first two axes; world units */
        double pixel[2];         /* the size of a pixel */
        uint32_t layer_count;
        const carom_engine_layer *layers;
    } carom_engine_image;

    typedef void carom_engine_image_fn(const carom_engine_image *image, void *user);

    typedef struct carom_engine_def
    {
        const char *engine;      /* by name; null: "tree" */
        const char *broad_phase; /* by name; null: "auto" */
        double cut_size; /* > 0: static meshes larger than this enter the broad phase as parts of about this size, so
                            that a small body near one part is not tested against the whole; world units */
        uint32_t grid_depth;    /* broad phase "topogrid": levels of its octree, up to 6; 0: automatic, the grid paper's
                                   rule, see carom_engine_choose_grid */
        uint32_t tasks_at_once; /* engine "epcd": the thesis's K; 0: 32 */
        double image_accuracy;  /* engines of class sampled: the sampled_size (carom_counters) that is wanted; world
                                   units; 0: 1/64 of the longest side of what two bodies' boxes have in common;
                                   "image-sampled", "recode": image_side pixels, whatever that finds */
        uint32_t image_side;    /* engines that draw images: pixels along a side of an image at most, up to 4,096;
                                   0: automatic. If that is too few for image_accuracy, the answer says so: its
                                   sampled_size is larger */
        const char *cache;      /* a folder for what engines prepare per mesh: those that draw convex pieces keep them
                                   there, see carom_pieces_create_cached; copied; null: none */
        bool image_always;      /* engine "image": draws images even where exact tests are measured to be cheaper;
                                   "scd0", "scd1", "scd2", "scd-triangles": draws all passes, where otherwise those of few
                                   edges are      computed on the processor */
        bool on_processor; /* engines "scd0", "scd1", "scd2", "scd-triangles": computes all passes on the processor;
                              no driver is needed; "stream" and "geoimage": as compute "processor" */
        bool as_printed;   /* engines "scd0", "scd1", "scd2": runs the thesis's programs (figures 3-8 and 3-9) and
                              the early ends of its search as they are printed, and counts what that misses or
                              gets wrong, see carom_engine_stats. Pairs that do not meet are not reported all the
                              same; but what is missed is, so the answer is of class sampled: sampled_size
                              (carom_counters) is the size of what the two bodies' boxes have in common */
        carom_engine_image_fn *on_image; /* engines "image", "image-sampled", "recode": gets every image of two hulls,
                                            on the thread of the worker that drew it; or null. Takes time: images are
                                            read back, and drawn one by one where they would be together */
        void *on_image_user;
        bool time_stages; /* engine "geoimage": waits for the device after each stage, so that every stage's seconds
                             are its own (carom_engine_stats); on the processor they always are */
        bool estimate_undecided; /* guess about pairs that a budget leaves undecided, see carom_pair_estimate */
        const char *compute; /* engines "stream" and "geoimage": what their kernels run on, "auto", "opencl", "opengl"
                                or "processor"; null: what CAROM_COMPUTE says. CAROM_UNAVAILABLE if it is not there */
    } carom_engine_def;

    CAROM_API carom_engine_def carom_engine_def_default(void);

    /* An engine belongs to one thread at a time and keeps what helps the next frame. A call from within its own run (of
     * an author's function, see carom/author.h) is refused as CAROM_BUSY; destroy then does nothing. */
    CAROM_API carom_status carom_engine_create(carom_context *context, const carom_engine_def *def, carom_engine **out);
    CAROM_API void carom_engine_destroy(carom_engine *engine);

    /* Reports all pairs of bodies in the frame that meet, contain one another (if the relation is requested, also those
     * that probably do, see carom_report), or are closer than the clearance of the pair: margin_a + margin_b +
     * options->clearance, an exact sum, where a rule of the pair (carom_scene_set_rule) may have a clearance in place
     * of the options'. options may be null: every pair. max_pairs and the budget apply to the whole frame. Pairs of
     * bodies are shared among the context's workers; the answer is bit-identical for any number of them. A pair cache
     * or on_pair is refused: an engine keeps its own cache, and a streamed pair would not say which bodies it belongs
     * to.
     *
     * A budget is dealt out breadth first, in rounds: each undecided pair gets a slice of work in proportion to its
     * urgency, the most urgent ones first, and each round four times as much. What a pair does not use goes to the
     * others. The urgency of a pair is p (1 + c) (1 + s), where
     *   p is the higher priority of the two bodies;
     *   c, from 0 to 1, says how close they are: how far their boxes overlap, as a part of the shorter one, along the
     *     axis where that is least;
     *   s, from 0 to 1, is the longest side of the smaller body's box, as a part of the longest of all bodies.
     * What is not decided then is in the report as CAROM_UNKNOWN, with a bound. The next run, if it asks the same and
     * the frame is one of the same scene, goes on from there: with all pairs if nothing has changed, otherwise with
     * those whose two bodies have not. So do their counters. Where everything is decided, nothing is kept.
     *
     * A budget of seconds covers the whole call, not only the examination of pairs; time for the report is set aside.
     * 0 and infinity are no limit; NaN is refused as CAROM_NOT_FINITE, a negative number as CAROM_INVALID_ARGUMENT.
     * - If finding the pairs and listing them would take longer than that alone, everything is unknown: see
     *   carom_scene_report.bodies_undecided. Whether it would is known from earlier frames of this engine. Before the
     *   first one, two microseconds per body are assumed, which is more than on most machines: until frames that have
     *   less had eight times as much together, none begins. Later, predictions are put to the test from time to time,
     *   and such a frame may end late: after 4, 16, 64 and more frames in a row that did not begin, if the fastest of
     *   the latest that did would have been in time, and otherwise after 2,048.
     * - Building a default tree, sorting and listing the pairs of triangles of one pair of bodies, and the beginning of
     *   a relation can't be cut short: they wait for a frame with time for them, and then come first. What would take
     *   more than three quarters of the largest budget of late is done in a frame that then ends late, once the frames
     *   it waited for had eight times its time. To avoid both, run a frame without a budget beforehand.
     * - What the machine does to the thread (interrupts, other programs) comes on top. */
    CAROM_API carom_status carom_engine_run(carom_engine *engine, const carom_frame *frame,
                                            const carom_collide_options *options, carom_scene_report *report);

    /* Which broad phase the last run used, and why: "auto" chooses one by what the bodies do. Both are empty if an
     * author's engine proposes the pairs itself, or the engine is null. */
    CAROM_API carom_broad_choice carom_engine_broad_phase(const carom_engine *engine);

    /* Continues the last run of this engine, if it ended in CAROM_UNKNOWN, from where its budget ran out, with a new
     * budget (null: no limit), as carom_engine_run would with this frame. The frame must be of the same scene and
     * version, otherwise CAROM_STALE_FRAME. The report covers everything since the start of that run. */
    CAROM_API carom_status carom_engine_resume(carom_engine *engine, const carom_frame *frame,
                                               const carom_budget *budget, carom_scene_report *report);

    /* Statistics of the thesis's methods (chapter 4: "sstcd", "spcd", "escd", "epcd"; chapter 2: "image",
     * "image-sampled"; chapter 3: "scd0", "scd1", "scd2", "scd-triangles"), of "recode", "cullide", "stream" and
     * "geoimage", summed since the engine was created; all zero for other engines. Those of chapter 4 depend on the
     * number of workers, and on timing where a hit cancels other tasks; those of "image" and chapter 3 on timing,
     * unless image_always is set. */
    typedef struct carom_engine_stats
    {
        uint64_t tasks;         /* nodes of the task tree: two boxes, or a box and all edges of a body */
        uint64_t edge_tests;    /* edge against triangle */
        uint32_t depth;         /* levels of the deepest task tree, or search of trees of hulls */
        double worker_seconds;  /* elapsed time of the parallel parts times the number of workers */
        double busy_seconds;    /* the part of it spent in tasks; the rest was idle or went into scheduling */
        uint64_t passes;        /* engines "image", "image-sampled", "recode": what was drawn at once, */
        uint64_t images;        /*   pairs of hulls drawn, */
        uint64_t images_apart;  /*   of these, those that their images showed to be apart, */
        uint64_t pixels;        /*   and pixels of all targets drawn to */
        uint64_t views_apart;   /* pairs of hulls found to be apart when their view was chosen: not drawn */
        double image_seconds;   /* what that took, preparation included: */
        double view_seconds;    /*   choosing views, placing hulls, decoding strips, */
        double upload_seconds;  /*   handing them to the driver, */
        double draw_seconds;    /*   the draw calls, which most drivers only note down, */
        double query_seconds;   /*   and waiting for the result */
        double box_seconds;     /* tests of boxes */
        double exact_seconds;   /* triangles of patches */
        uint64_t bodies_before; /* engine "cullide": bodies of all frames, */
        uint64_t bodies_after;  /* and those that were left when what can be seen to be apart was taken out */
        uint64_t draws;         /* draw calls of "cullide" */
        /* Chapter 3: a pass is a triangle or a box against many edges (of "scd-triangles": triangles). Their `passes`
         * are those that were drawn, with `pixels`, and the seconds of uploads, draw calls, queries and exact tests are
         * above, too. */
        uint64_t passes_computed; /* passes on the processor */
        uint64_t edge_box_tests;  /* edge against box; edge_tests: against triangle */
        uint64_t packed_textures; /* made for the edges that met a box */
        uint64_t stencil_reads;
        /* as_printed: what the printed code says, against the exact answer */
        uint64_t printed_searches;                                         /* of two bodies */
        uint64_t printed_missed;                                           /* bodies meet, but it finds no pair */
        uint64_t printed_wrong;                                            /* bodies do not meet, but it finds one */
        uint64_t printed_pairs, printed_pairs_missed, printed_pairs_wrong; /* of triangles, if all are asked for */
        /* Engine "geoimage": `tasks` are pairs of boxes, `passes` are dispatches of kernels. Its seconds are those of
         * uploads and of exact tests above, and */
        double mipmap_seconds;     /*   the boxes of all levels, */
        double traversal_seconds;  /*   tests of pairs of boxes, */
        double compaction_seconds; /*   count pyramids, and moving what is left, */
        double triangle_seconds;   /*   tests of pairs of triangles */
        uint64_t pairs_by_trees;   /* pairs of bodies left to the default trees */
    } carom_engine_stats;

    CAROM_API carom_engine_stats carom_engine_get_stats(const carom_engine *engine);

    /* ---- the grid paper's topological grid: broad phase "topogrid" ---- */

    typedef struct carom_grid_choice
    {
        uint32_t depth; /* 2^depth cells along each axis of a cube around all bodies */
        double
            cell_size; /* the side of a cell, world units: the cut_size with which parts of static bodies fit cells */
    } carom_grid_choice;

    /* The grid for a frame. depth: 1 to 6, or 0 for the paper's rule: as deep as cells are no smaller than the largest
     * body that moves, but 2 to 4, and more only if there are more than eight bodies per cell. All zero if there is
     * nothing to divide: no frame, no bodies, all on one point, or a depth above 6. */
    CAROM_API carom_grid_choice carom_engine_choose_grid(const carom_frame *frame, uint32_t depth);

    /* What the paper's way to locate objects, by the cells that the four body diagonals of their oriented boxes cross,
     * would have missed. Objects are bodies, or the parts that cut ones entered as. */
    typedef struct carom_grid_stats
    {
        uint32_t depth;
        double cell_size; /* world units */
        uint64_t objects;
        uint64_t cells, cells_missed;           /* cells that an object's box has points in, summed over objects */
        uint64_t pairs, pairs_missed;           /* pairs of objects whose projections overlap, with a cell in common */
        uint64_t body_pairs, body_pairs_missed; /* pairs of bodies that meet, and those of which no pair of objects with
                                                   a common cell is left */
    } carom_grid_stats;

    /* Inspects the grid of the engine's last run, which must have been on this frame and have succeeded; otherwise
     * CAROM_STALE_FRAME. CAROM_UNSUPPORTED: the broad phase is another one, or the depth is above 4. Nothing is kept;
     * the next run is not affected. */
    CAROM_API carom_status carom_engine_inspect_grid(carom_engine *engine, const carom_frame *frame,
                                                     carom_grid_stats *out);

#ifdef __cplusplus
}
#endif

#endif
