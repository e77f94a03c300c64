/* Two closed bodies as the sampled methods of the survey draw them: Rossignac's sections, Shinya's lists of depths and
 * Myszkowski's counts all ask at which depths a line of sight is inside of a body.
 *
 * The region is what the boxes of two bodies have in common, seen along an axis of the world. Triangles are cut off at
 * its sides and their corners put on a grid of 1/16 of a pixel, on the processor: OpenGL guarantees that many bits
 * below a pixel, so a driver draws exactly these triangles. Corners that were one stay one, so the drawn surface is
 * closed wherever the body's is, and each of its points is within `off` of where it belongs. A fragment computes its
 * depth from these corners in double, where the driver interpolates nothing.
 *
 * What follows for a ball within a body: move the surface from where it is to where it is drawn, in a straight line. If
 * the centre of a pixel, at some depth, is farther from the surface than that takes it, the surface never passes
 * through that point, so it is inside of the drawn body, too: the winding numbers are equal. See image_region_size. */
#ifndef ENGINE_IMAGE_SOLID_H
#define ENGINE_IMAGE_SOLID_H

#include "gpu/gpu.h"
#include "mesh/mesh.h"

enum
{
    IMAGE_GRID = 16,               /* positions per pixel */
    IMAGE_DEPTH_UNITS = 0x3fffffff /* depths of fragments are whole numbers from 0 to this */
};

/* Vertices of a mesh where its pose puts them. */
typedef struct image_placed
{
    const carom_mesh *mesh;
    const carom_vec3 *points;
} image_placed;

/* What is looked at, and how finely. */
typedef struct image_region
{
    int axis[3];              /* of the world: across, up, away */
    double low[3], length[3]; /* along these */
    int pixels[2];            /* across and up */
    int sections;             /* planes at which Rossignac's method looks; 1 for others */
    bool samples_depth;       /* only those planes are looked at */
} image_region;

/* How finely to look. */
typedef struct image_fineness
{
    double wanted; /* see image_region_size; world units; 0: 1/64 of the longest side of the region */
    int limit;     /* of pixels and sections */
    bool sections; /* depths are sampled, too: then along the shortest side, otherwise the longest */
} image_fineness;

/* False: the box is empty, or so thin that rounding decides what is in it. */
bool image_region_choose(const carom_aabb *box, const image_fineness *fineness, image_region *out);

/* ---- what is drawn ---- */

/* Four vectors of four floats. Pixels, and depths in units of the region's length: 0 where it begins, 1 where it ends.
 * A depth is the sum of two floats, and so is 1 / (twice the signed area). */
typedef struct image_facet
{
    float corner[3][4]; /* across, up, depth, rest of the depth */
    float inverse[2];
    float leaves; /* 1: the line of sight leaves the body here; 0: it enters it */
    float padding;
} image_facet;

typedef BASE_ARRAY(image_facet) image_facets;

/* Zero-initialise. */
typedef struct image_solid
{
    image_facets facets; /* those that enter first */
    uint32_t entering;
    image_facets leaving; /* while it is made */
    double reach[3];      /* largest |coordinate| of a corner before it was cut: pixels, pixels, depth */
} image_solid;

/* outward: the body is convex and a triangle enters or leaves as it does in the world, whatever the grid does to it;
 * those that are seen edge on are left out. Otherwise, as it does when drawn. CAROM_OUT_OF_MEMORY. */
carom_status image_solid_make(carom_context *context, const image_region *region, const image_placed *placed,
                              bool outward, image_solid *out);
void image_solid_free(carom_context *context, image_solid *solid);

/* If two drawn bodies have a ball of this diameter in common, then some pixel (and section) has its centre, at some
 * depth, where both drawn bodies are. World units. depth_step: how finely depths are compared, as a part of the
 * region's length. */
double image_region_size(const image_region *region, const image_solid solids[2], double depth_step);

/* ---- the twin of solid.frag.glsl ---- */

typedef struct image_fragment
{
    int x, y;
    uint32_t depth; /* 0 to IMAGE_DEPTH_UNITS; UINT32_MAX: not covered, but a driver may see that differently */
    bool leaves;
    bool unsure; /* the centre is on an edge: which of two triangles has it depends on the driver */
} image_fragment;

typedef void image_fragment_fn(const image_fragment *fragment, void *user);
/* Calls for each pixel that a facet covers; of those on edges as if all centres were moved a little. */
void image_solid_raster_twin(const image_region *region, const image_facet *facets, size_t count,
                             image_fragment_fn *see, void *user);

/* ---- on the GPU ---- */

/* Two bodies, and what draws them. Zero-initialise. Everything belongs to the device. */
typedef struct image_solids
{
    gpu_device *device;
    gpu_buffer buffers[2];
    gpu_texture textures[2];
    gpu_layout nothing;
    gpu_target target;
    gpu_query query;
    image_solid solids[2]; /* what was loaded */
} image_solids;

carom_status image_solids_create(gpu_device *device, image_solids *out);
void image_solids_destroy(image_solids *solids);
/* Frees the memory only: for a device that is closed. */
void image_solids_forget(carom_context *context, image_solids *solids);

/* The programs of a method that counts in the stencil: one that draws bodies, with these definitions for its fragments,
 * and one that covers the target. */
carom_status image_solids_programs(gpu_device *device, const char *definitions, gpu_program *draw, gpu_program *cover);

/* Makes and uploads both bodies. *fits: false if the driver has no room for so many triangles. */
carom_status image_solids_load(image_solids *solids, const image_region *region, const image_placed placed[2],
                               bool outward, bool *fits);

/* A target of at least this size, whose sides are powers of two, as positions need. */
carom_status image_solids_target(image_solids *solids, const gpu_target_def *wanted);
/* The largest side of one, at most this. */
int image_solids_limit(const gpu_device *device, int wanted);

/* Sections as tiles of the target; for others a single tile. */
typedef struct image_sections
{
    int first, count, per_row;
} image_sections;

carom_status image_solids_aim(image_solids *solids, const gpu_program *program, const image_region *region,
                              const image_sections *sections);

typedef enum image_side
{
    IMAGE_ENTERING,
    IMAGE_LEAVING
} image_side;

/* Draws where a body is entered, or left, once per section. */
typedef struct image_solid_draw
{
    const gpu_program *program;
    const gpu_state *state;
    const gpu_buffer *storage[2]; /* or null */
    int body;
    image_side side;
    int instances;
} image_solid_draw;

carom_status image_solids_draw(image_solids *solids, const image_solid_draw *def);
/* Covers the target with a fragment per pixel; *any (or null): did one pass all tests? */
carom_status image_solids_cover(image_solids *solids, const image_solid_draw *def, bool *any);

#endif
