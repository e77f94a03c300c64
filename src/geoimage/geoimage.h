/* geoimage: geometry images of meshes. The stages, in their order: glue.c joins triangles to surfaces, share.c says how
 * large their images are, cut.c cuts a chart to a disk, border.c lays its border around a rectangle, map.c and
 * flatten.c map the inside, sample.c takes samples, measure.c says how good they are, snap.c makes them better;
 * public.c is the whole flow. patch.c evaluates B-spline and NURBS patches instead. */
#ifndef GEOIMAGE_GEOIMAGE_H
#define GEOIMAGE_GEOIMAGE_H

#include "carom/geoimage.h"
#include "mesh/mesh.h"

#define GEOIMAGE_NONE UINT32_MAX

typedef BASE_ARRAY(uint32_t) geoimage_numbers;

/* ---- refusals ---- */

/* Why a mesh can't be mapped. It is no error until the caller of the library is told so: another cut may do, and engine
 * `geoimage` has its trees. */
typedef struct geoimage_refusal
{
    char text[BASE_MESSAGE_SIZE];
} geoimage_refusal;

/* Writes the text and returns the status, one of the two of geoimage_is_refusal; no log gets it. out: may be null. */
carom_status geoimage_refuse(geoimage_refusal *out, carom_status status, const char *format, ...) BASE_PRINTF(3, 4);
static inline bool geoimage_is_refusal(carom_status status)
{
    return status == CAROM_BAD_DATA || status == CAROM_TOO_LARGE;
}

/* ---- half-edges: side k of triangle t, from its corner k to the next, is half-edge 3 t + k ---- */

static inline uint32_t geoimage_next(uint32_t half) { return half % 3 == 2 ? half - 2 : half + 1; }
static inline uint32_t geoimage_previous(uint32_t half) { return half % 3 == 0 ? half + 2 : half - 1; }

/* ---- the surface ---- */

/* The triangles of a mesh, oriented alike where they are glued together. */
typedef struct geoimage_surface
{
    carom_context *context;
    const carom_mesh *mesh;
    uint32_t *corner;      /* where each half-edge starts: merged vertices; triangles may be turned */
    uint32_t *twin;        /* the half-edge that it is glued to, GEOIMAGE_NONE at a border */
    uint32_t *mate;        /* at a border: the one across, which it is cut off from because the surface has one side */
    uint32_t *triangles;   /* of all charts, one after the other */
    uint32_t *chart_first; /* chart_count + 1 */
    uint32_t *local;       /* per triangle: the how manyth of its chart */
    bool *turned;          /* per triangle: corners 1 and 2 are exchanged */
    uint32_t chart_count, split_edge_count, degenerate_count;
} geoimage_surface;

/* Zero-initialised out; free in either case. */
carom_status geoimage_glue(carom_context *context, const carom_mesh *mesh, geoimage_surface *out);
void geoimage_surface_free(geoimage_surface *surface);

/* ---- sizes ---- */

typedef struct geoimage_size
{
    uint32_t width, height; /* points */
} geoimage_size;

/* The size of each chart's image. CAROM_TOO_LARGE: together they are. */
carom_status geoimage_share(const geoimage_surface *surface, const carom_geoimage_def *def, geoimage_size *sizes);

/* ---- a chart ---- */

typedef struct geoimage_point
{
    double x, y;
} geoimage_point;

typedef struct geoimage_vertex
{
    carom_vec3 position, normal;
    geoimage_point at; /* in the rectangle; x from 0 to width - 1, y from 0 to height - 1 */
    uint32_t origin;   /* a vertex of the mesh, merged, or a number for one that was inserted */
    bool on_border;
} geoimage_vertex;

/* A chart, in the end a disk that is mapped to a rectangle. */
typedef struct geoimage_disk
{
    carom_context *context;
    const char *name; /* of the mesh */
    uint32_t chart;
    geoimage_refusal *refusal; /* where to say why it can't be mapped: borrowed; null: nowhere */
    double unit;               /* a power of two: positions are those of the mesh times this */
    double scale;              /* a power of two; positions times this are about 1 apart */
    /* per half-edge; mates are those that a cut has separated */
    geoimage_numbers corner, twin, mate;
    geoimage_numbers source;   /* per triangle: the triangle of the chart that it is a part of */
    const uint32_t *triangles; /* of the chart, as numbers of the mesh: borrowed from the surface */
    uint32_t source_count;     /* how many these are */
    uint32_t next_origin;      /* for vertices that are inserted: not one of the mesh */
    BASE_ARRAY(geoimage_vertex) vertex;
} geoimage_disk;

static inline uint32_t geoimage_triangle_count(const geoimage_disk *disk) { return (uint32_t)disk->source.count; }
static inline uint32_t geoimage_vertex_count(const geoimage_disk *disk) { return (uint32_t)disk->vertex.count; }
static inline uint32_t geoimage_start(const geoimage_disk *disk, uint32_t half) { return disk->corner.items[half]; }
static inline uint32_t geoimage_end(const geoimage_disk *disk, uint32_t half)
{
    return disk->corner.items[geoimage_next(half)];
}

static inline uint32_t geoimage_mesh_triangle(const geoimage_disk *disk, uint32_t triangle)
{
    return disk->triangles[disk->source.items[triangle]];
}

/* By which positions are multiplied, so that products of four lengths of a tiny mesh are not lost: a power of two, not
 * less than 1, so that no coordinate is. */
double geoimage_unit(const carom_mesh *mesh);

/* For all of the following, out is zero-initialised, and to be freed in either case. */
carom_status geoimage_disk_create(const geoimage_surface *surface, uint32_t chart, geoimage_disk *out);
carom_status geoimage_disk_copy(const geoimage_disk *disk, geoimage_disk *out);
void geoimage_disk_free(geoimage_disk *disk);

/* Gives each fan of glued triangles a vertex of its own: to be called whenever some were cut apart. */
carom_status geoimage_number_vertices(geoimage_disk *disk);
void geoimage_cut_apart(geoimage_disk *disk, uint32_t half);
/* Inserts a vertex into an edge, at a fraction of the way along the half-edge. The part of the way after it becomes a
 * new half-edge, which is returned; GEOIMAGE_NONE: out of memory. moved: two half-edges, the number of one of the same
 * triangle before and after, because that has changed. */
uint32_t geoimage_split_edge(geoimage_disk *disk, uint32_t half, double fraction, uint32_t moved[2]);
carom_status geoimage_out_of_memory(const geoimage_disk *disk);
/* The half-edge that follows on the border. */
uint32_t geoimage_border_next(const geoimage_disk *disk, uint32_t half);
double geoimage_length(const geoimage_disk *disk, uint32_t half); /* scaled */

/* ---- cutting ---- */

typedef struct geoimage_topology
{
    uint32_t genus, boundary_count;
} geoimage_topology;

/* Cuts the chart to a disk. */
carom_status geoimage_cut(geoimage_disk *disk, geoimage_topology *topology);

/* Extends the cut from the border to a vertex inside: where the score of a triangle around it (of the chart; 0: not
 * there) times the distance from the border is largest. False in *extended if there is none. */
carom_status geoimage_extend_cut(geoimage_disk *disk, const double *score, bool *extended);

/* ---- the border ---- */

/* A part of the border from one end or branch of the cuts to the next. */
typedef struct geoimage_path
{
    uint32_t first, count; /* half-edges of the border */
    uint32_t steps;        /* cells along it */
    uint32_t start;        /* rim point where it begins */
    uint32_t partner;      /* the path on the other side of the cut, GEOIMAGE_NONE: the mesh's own boundary */
    bool reversed;         /* the partner runs the other way, as it does except in surfaces with one side */
    double length;
} geoimage_path;

typedef struct geoimage_rim_point
{
    carom_vec3 position, normal;
    uint32_t next; /* at the same place: a cycle */
} geoimage_rim_point;

typedef struct geoimage_border
{
    uint32_t width, height; /* points of the grid */
    geoimage_numbers half;  /* along the border */
    BASE_ARRAY(double)
    along; /* per half-edge: where it starts, from 0 to 1 along its path, in the end around the rim */
    BASE_ARRAY(geoimage_path) path;
    BASE_ARRAY(geoimage_rim_point) rim; /* 2 (width + height - 2), counterclockwise from (0, 0) */
} geoimage_border;

/* Finds the paths of a disk. */
carom_status geoimage_border_create(const geoimage_disk *disk, geoimage_border *out);
/* Can so small a grid have all paths? */
bool geoimage_border_fits(const geoimage_border *border, uint32_t width, uint32_t height);
/* Lays the border around the rectangle, with vertices of its own at the four corners; sets `at` of its vertices and
 * `on_border`, and the rim points. */
carom_status geoimage_border_place(geoimage_border *border, geoimage_disk *disk, uint32_t width, uint32_t height);
void geoimage_border_free(carom_context *context, geoimage_border *border);
/* A rim point as the number of a grid point. */
uint32_t geoimage_rim_index(uint32_t rim, uint32_t width, uint32_t height);

/* ---- mapping the inside ---- */

/* Splits edges that would make triangles collapse, and sets `at` of all inner vertices. Then folded says how many
 * triangles are not oriented counterclockwise, exactly. */
carom_status geoimage_flatten(geoimage_disk *disk, uint32_t stretch_steps, uint64_t *folded);
int geoimage_orientation(const geoimage_disk *disk, uint32_t triangle); /* exact */

/* The stretch of one triangle, times disk->scale; infinite if it is folded. */
carom_geoimage_stretch geoimage_triangle_stretch(const geoimage_disk *disk, uint32_t triangle);
double geoimage_triangle_area(const geoimage_disk *disk, uint32_t triangle); /* in space, scaled */

/* All triangles together. */
typedef struct geoimage_stretch_sum
{
    double area, square; /* sums of areas in space, and of squares of the stretch times area; scaled */
    double max;          /* scaled */
} geoimage_stretch_sum;
geoimage_stretch_sum geoimage_sum_stretch(const geoimage_disk *disk);

/* A chart that is mapped. */
typedef struct geoimage_map
{
    geoimage_disk disk; /* the first triangles are those of the chart, perhaps smaller, the others parts of them */
    geoimage_border border;
    uint64_t folded;
    geoimage_stretch_sum stretch;
    uint32_t cut_edge_count, extra_cut_count;
    double cut_length; /* scaled */
} geoimage_map;

typedef struct geoimage_map_def
{
    uint32_t width, height; /* wanted; doubled up to the next two where the cuts need more */
    uint32_t max_width, max_height;
    uint32_t extra_cuts, stretch_steps;
    bool may_fold; /* no cuts are made to remove folds: a map that has some will do */
} geoimage_map_def;

/* Maps a disk that is cut already; its cut is extended where that helps. Out is zero-initialised. CAROM_BAD_DATA and
 * CAROM_TOO_LARGE are refusals. */
carom_status geoimage_map_create(geoimage_disk *cut, const geoimage_map_def *def, geoimage_map *out);
void geoimage_map_free(geoimage_map *map);

/* A sparse system with symmetric pattern: for each unknown i, sum over its neighbours of weight (x_i - x_neighbour) is
 * 0 where neighbours include known values. */
typedef struct geoimage_system
{
    carom_context *context;
    uint32_t count;
    size_t *first;              /* count + 1: where its neighbours begin */
    uint32_t *neighbour;        /* unknowns only */
    uint32_t *mirror;           /* the entry for the other direction */
    double *weight;             /* of the neighbours, positive */
    double *diagonal;           /* the sum of all weights, those of known values included */
    geoimage_point *value;      /* in: sum of the weighted known values; out: the solution */
    const carom_vec3 *position; /* in space, to order them by */
} geoimage_system;

/* Finds out once where the factors have entries, then solves for several sets of weights. */
typedef struct geoimage_solver geoimage_solver;
geoimage_solver *geoimage_solver_create(const geoimage_system *system); /* null: out of memory */
void geoimage_solver_run(geoimage_solver *solver);
void geoimage_solver_free(geoimage_solver *solver);
/* The order of elimination. */
bool geoimage_order(const geoimage_system *system, uint32_t *order);

/* ---- samples ---- */

typedef struct geoimage_grid
{
    carom_context *context;
    uint32_t width, height;
    carom_vec3 *points, *normals; /* points in units of the disk; those of callers are in the mesh's */
    double sample_error;          /* upper bound: of the inner points */
    uint32_t *cell_first;         /* (width - 1)(height - 1) + 1; null: no lists */
    geoimage_numbers cell_triangles;
} geoimage_grid;

/* Sets the inner points, and returns an upper bound of how far they are from where they should be. The rim is set
 * already. */
double geoimage_sample(const geoimage_disk *disk, geoimage_grid *grid);
/* Upper bounds of the distance between the disk and the grid, in units of the disk. */
carom_geoimage_error geoimage_error(const geoimage_disk *disk, const geoimage_grid *grid);
/* The square of the distance of a vertex from the triangles of the grid where it is mapped to, in units of the disk. */
double geoimage_vertex_distance(const geoimage_disk *disk, const geoimage_grid *grid, uint32_t vertex);
/* Bends the map so that sharp vertices get more samples and are mapped to points of the grid, and samples again, as
 * long as that reduces the error. No triangle folds. */
carom_status geoimage_snap(geoimage_disk *disk, geoimage_grid *grid, carom_geoimage_error *error);
/* False: out of memory. */
bool geoimage_list_cells(const geoimage_disk *disk, geoimage_grid *grid);
/* The normals of a grid that was given. */
void geoimage_grid_normals(geoimage_grid *grid);

/* ---- quadtrees of boxes ---- */

enum
{
    GEOIMAGE_MAX_CELLS = 1 << 14, /* along a side */
    GEOIMAGE_LEVELS = 15,
    GEOIMAGE_POINT = 4, /* floats per point: x, y, z, 0 */
    GEOIMAGE_NODE = 8   /* floats per node: the smallest x, y, z, then 0; the largest x, y, z, then 0 */
};

/* A coordinate outside every normalised frame: an empty box is from this to its negative. */
#define GEOIMAGE_OUTSIDE 4.0f

/* Boxes over a grid of cells, a mipmap: node (x, y) of level 0 is the box of cell (x, y); that of a higher level has up
 * to four children, (2 x, 2 y), (2 x + 1, 2 y), (2 x, 2 y + 1), (2 x + 1, 2 y + 1) of the level below, as far as these
 * exist. The last level is one node. Each level is stored row by row, level 0 first. */
typedef struct geoimage_levels
{
    uint32_t columns, rows; /* cells */
    uint32_t count;
    uint32_t first[GEOIMAGE_LEVELS + 1]; /* node where each level begins; after the last, how many there are */
} geoimage_levels;

/* columns, rows: 1 to GEOIMAGE_MAX_CELLS. */
geoimage_levels geoimage_levels_of(uint32_t columns, uint32_t rows);
static inline uint32_t geoimage_level_side(uint32_t cells, uint32_t level)
{
    return (cells + (1u << level) - 1) >> level;
}
static inline uint32_t geoimage_node_index(const geoimage_levels *levels, uint32_t level, uint32_t x, uint32_t y)
{
    return levels->first[level] + y * geoimage_level_side(levels->columns, level) + x;
}
static inline uint32_t geoimage_node_count(const geoimage_levels *levels) { return levels->first[levels->count]; }

/* Points in a normalised frame, in float, rounded to nearest; less than 2^-126 becomes 0. All of that preserves the
 * order of coordinates: boxes that have a point in common still do. */
void geoimage_normalise(carom_context *context, const math_frame *frame, const carom_vec3 *points, size_t count,
                        float *out);
/* All levels from the points of the grid, (columns + 1) x (rows + 1). nodes: 32-byte aligned. */
void geoimage_build_levels(carom_context *context, const geoimage_levels *levels, const float *points, float *nodes);
/* The levels above level 0, which is filled already. */
void geoimage_build_parents(carom_context *context, const geoimage_levels *levels, float *nodes);

/* A surface that deforms: points and boxes for each frame. */
typedef struct geoimage_quadtree
{
    carom_context *context;
    geoimage_levels levels;
    math_frame frame; /* of points and nodes */
    float *points, *nodes;
} geoimage_quadtree;

/* A grid of width x height points, as large as geoimage_check_sides permits. Out is zero-initialised. */
carom_status geoimage_quadtree_create(carom_context *context, uint32_t width, uint32_t height, geoimage_quadtree *out);
/* Sets everything from points in the frame that fits `bounds`, which has all of them. */
void geoimage_quadtree_build(geoimage_quadtree *tree, const carom_vec3 *points, const carom_aabb *bounds);
void geoimage_quadtree_free(geoimage_quadtree *tree);

/* ---- atlases ---- */

enum
{
    GEOIMAGE_CELL_TRIANGLES = 4 /* of a cell at most */
};

/* The triangles of any mesh as a square of cells, a power of two along a side: neighbours there are, as a rule,
 * neighbours on the surface. Every triangle is listed once. */
typedef struct geoimage_atlas
{
    carom_context *context;
    uint32_t side;        /* cells */
    uint32_t *cell_first; /* side^2 + 1, row by row: where the list of each begins */
    uint32_t *triangles;
    uint32_t triangle_count;
    geoimage_refusal refusal;
} geoimage_atlas;

/* CAROM_TOO_LARGE: it would take too long, or a chart has too many cuts; a refusal. Free it in either case. */
carom_status geoimage_atlas_create(carom_context *context, const carom_mesh *mesh, geoimage_atlas *out);
void geoimage_atlas_free(geoimage_atlas *atlas);

/* CAROM_OUT_OF_RANGE if a grid can't have this size. */
carom_status geoimage_check_sides(carom_context *context, uint32_t width, uint32_t height);

/* An image of one grid of a size that was checked, whose points and normals fill sets. */
typedef struct geoimage_source
{
    uint32_t width, height;
    void (*fill)(geoimage_grid *grid, const void *user);
    const void *user;
} geoimage_source;
carom_context *geoimage_context(const carom_geoimage *image);
carom_status geoimage_create_filled(carom_context *context, const geoimage_source *source, carom_geoimage **out);

#endif
