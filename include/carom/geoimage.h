/* carom/geoimage.h: a surface as images of points (Gu, Gortler, Hoppe: Geometry images, 2002).
 *
 *   carom_geoimage_def def = carom_geoimage_def_default();
 *   def.width = def.height = 513;
 *   carom_geoimage *image;
 *   carom_status status = carom_geoimage_create(context, mesh, &def, &image);
 *
 * A chart is a grid of width x height points, row by row. Cell (i, j), with i < width - 1 and j < height - 1, has the
 * corners p00 = (i, j), p10 = (i + 1, j), p01 and p11, and two triangles, p00 p10 p11 and p00 p11 p01, with the numbers
 * 2 c and 2 c + 1, where c = j (width - 1) + i.
 *
 * carom_geoimage_create makes them from any mesh: each part that is connected through edges becomes a chart. It is cut
 * open until it is a disk, which is mapped to a rectangle one to one (checked exactly) and sampled. Both sides of a cut
 * get the same points, bit by bit. Edges with more than two triangles are cut open too, and so are non-orientable
 * surfaces; triangles without three different corners become charts of their own. The result does not depend on the
 * number of workers. docs/geometry-images.md has the details. */
#ifndef CAROM_GEOIMAGE_H
#define CAROM_GEOIMAGE_H

#include "carom/mesh.h"
#include "carom/report.h"

#ifdef __cplusplus
extern "C"
{
#endif

    /* Immutable; may be used by several threads at once. Keeps nothing of what it was made from. */
    typedef struct carom_geoimage carom_geoimage;

#define CAROM_GEOIMAGE_MAX_SIDE 16385u

    typedef struct carom_geoimage_def
    {
        uint32_t width, height; /* of the largest chart: 3 to CAROM_GEOIMAGE_MAX_SIDE, best 2^n + 1 */
        /* Charts with less area are smaller, each side halved as long as the area per cell permits (2^n + 1 becomes
         * 2^(n-1) + 1), but no smaller than their cuts need. If they would have more points together than 64 charts of
         * this size, all are halved until they do not, or are 3 x 3. True: all have the same size. CAROM_TOO_LARGE for
         * more than 2^29 points. */
        bool same_size;
        /* Cuts are extended to where the image would be stretched most, up to so many times, while that reduces the
         * stretch. More are made only where the map would fold over. */
        uint32_t extra_cuts;
        /* The map is solved again up to so many times, for less stretch, while that helps. 0: Floater's mean values.
         * In either case it is bent a little where sharp vertices would fall between samples. */
        uint32_t stretch_steps;
        bool list_triangles; /* for carom_geoimage_cell; otherwise it has none */
    } carom_geoimage_def;

    CAROM_API carom_geoimage_def carom_geoimage_def_default(void); /* 257 x 257, 4 extra cuts, 6 steps, lists */

    /* CAROM_BAD_DATA, with the chart in the message, if a chart can't be mapped without folds in doubles. */
    CAROM_API carom_status carom_geoimage_create(carom_context *context, const carom_mesh *mesh,
                                                 const carom_geoimage_def *def, carom_geoimage **out);

    /* One chart of points that are given, row by row, and copied: a deforming surface, or a patch that was evaluated.
     * At least 2 x 2. CAROM_NOT_FINITE and CAROM_OUT_OF_RANGE name the point. */
    CAROM_API carom_status carom_geoimage_create_grid(carom_context *context, uint32_t width, uint32_t height,
                                                      const carom_vec3 *points, carom_geoimage **out);

    CAROM_API void carom_geoimage_destroy(carom_geoimage *image); /* before its context; null is fine */

    /* Stretch is that of Sander, Snyder, Gortler and Hoppe (2001): how far apart the samples are, relative to an even
     * distribution; 1 is ideal. l2: root of the mean square over the surface's directions; max: the worst place and
     * direction. */
    typedef struct carom_geoimage_stretch
    {
        double l2, max;
    } carom_geoimage_stretch;

    /* No point of the mesh is farther from the image than to_image, and no point of the image farther from the mesh
     * than to_mesh: certified upper bounds, rounding included. They may be much larger than the distances where the
     * image is stretched, and where the mesh is flat. */
    typedef struct carom_geoimage_error
    {
        double to_image, to_mesh;
    } carom_geoimage_error;

    /* All charts together; of a grid that was given only the counts and bytes. */
    typedef struct carom_geoimage_info
    {
        uint32_t chart_count; /* 0 for a mesh without triangles */
        uint32_t triangle_count;
        uint64_t point_count; /* of all charts together */
        uint32_t genus;       /* sum over charts, before cutting, as the next */
        uint32_t boundary_count;
        uint32_t split_edge_count; /* edges of three or more triangles, and where sides of a surface change */
        uint32_t degenerate_count; /* triangles without three different corners: charts of their own */
        double cut_length;         /* along edges of the mesh, each counted once */
        carom_geoimage_stretch stretch;
        carom_geoimage_error error;
        size_t bytes; /* memory used */
        double cut_ms, flatten_ms, sample_ms, measure_ms;
    } carom_geoimage_info;

    CAROM_API carom_geoimage_info carom_geoimage_get_info(const carom_geoimage *image);

    typedef struct carom_geoimage_chart
    {
        uint32_t width, height;
        uint32_t triangle_count; /* of the mesh */
        uint32_t genus, boundary_count;
        uint32_t cut_edge_count, extra_cut_count;
        double cut_length;
        double area; /* of the mesh's triangles */
        carom_geoimage_stretch stretch;
        carom_geoimage_error error; /* of this chart and its triangles */
        const carom_vec3 *points;   /* width x height, row by row; borrowed, as the next two */
        const carom_vec3 *normals;  /* the mesh's, smoothed, of unit length; zero where there is none */
        /* The points on the rim, counterclockwise from (0, 0), 2 (width + height - 2) of them, that are at one place
         * because of a cut: each names the next of them, in a cycle, and itself if there is no other. */
        const uint32_t *seam;
    } carom_geoimage_chart;

    /* CAROM_OUT_OF_RANGE if there is no such chart. */
    CAROM_API carom_status carom_geoimage_get_chart(const carom_geoimage *image, uint32_t chart,
                                                    carom_geoimage_chart *out);

    /* The mesh's triangles that the map puts into a cell (of its triangles 2 cell and 2 cell + 1) or on its border:
     * ascending, borrowed. Every point of every triangle is mapped into a cell that lists the triangle, and onto a
     * point of this cell that is at most the chart's error away. Null, and 0, for numbers that are too large. */
    CAROM_API const uint32_t *carom_geoimage_cell(const carom_geoimage *image, uint32_t chart, uint32_t cell,
                                                  uint32_t *count);

    /* The surface of a chart: vertices are the points, in their order, and triangles those of the cells. The caller
     * gets a reference. Triangles may be degenerate where a chart is. */
    CAROM_API carom_status carom_geoimage_mesh(const carom_geoimage *image, uint32_t chart, carom_mesh **out);

    /* ---- where a surface meets itself ---- */

    typedef struct carom_geoimage_pair
    {
        uint32_t chart_a, triangle_a; /* the first of both, by chart and number */
        uint32_t chart_b, triangle_b;
        uint32_t meeting; /* as in carom_pair */
    } carom_geoimage_pair;

    typedef struct carom_geoimage_self_result
    {
        carom_context *context;
        carom_geoimage_pair *pairs; /* sorted; freed by carom_geoimage_self_free */
        size_t pair_count;
        uint64_t box_tests, triangle_tests, exact_fallbacks;
        double build_ms, search_ms; /* of the quadtrees of boxes, and of the rest */
    } carom_geoimage_self_result;

    /* All pairs of triangles of all charts that meet in more than what they have in common, decided exactly. Two
     * corners are common if they are the same point of a grid, or points on the rims of charts at equal positions, as
     * on both sides of a seam and at the pole of a patch. Triangles without common corners count if they share a point;
     * those with one or two common corners if they share a point that is neither this corner nor on the edge between
     * both; those with three if they have an area. Other points that coincide are not common: where a cloth touches
     * itself, it does. Boxes are built anew, so a deforming surface is an image from carom_geoimage_create_grid per
     * frame. The answer does not depend on the number of workers. */
    CAROM_API carom_status carom_geoimage_self(const carom_geoimage *image, carom_geoimage_self_result *result);
    CAROM_API void carom_geoimage_self_free(carom_geoimage_self_result *result); /* before the context; null is fine */

#ifdef __cplusplus
}
#endif

#endif
