/* What the tests of geometry images share: an image of a mesh, its charts and their seams. */
#ifndef TEST_GEOIMAGE_IMAGE_H
#define TEST_GEOIMAGE_IMAGE_H

#include "carom/geoimage.h"

#include "support/check.h"

static inline carom_geoimage *image_make(carom_context *context, const carom_mesh *mesh, uint32_t side)
{
    carom_geoimage_def def = carom_geoimage_def_default();
    def.width = def.height = side;
    carom_geoimage *image = NULL;
    carom_status status = carom_geoimage_create(context, mesh, &def, &image);
    if (status != CAROM_OK)
    {
        char message[256];
        carom_context_message(context, message, sizeof message);
        fail_msg("%s: %s", carom_status_name(status), message);
    }
    return image;
}

static inline carom_geoimage_chart image_chart(const carom_geoimage *image, uint32_t chart)
{
    carom_geoimage_chart out;
    assert_int_equal(carom_geoimage_get_chart(image, chart, &out), CAROM_OK);
    return out;
}

static inline uint32_t image_rim_point(const carom_geoimage_chart *chart, uint32_t rim)
{
    uint32_t across = chart->width - 1, up = chart->height - 1;
    if (rim <= across)
        return rim;
    if (rim <= across + up)
        return (rim - across) * chart->width + across;
    if (rim <= 2 * across + up)
        return up * chart->width + (2 * across + up - rim);
    return (2 * (across + up) - rim) * chart->width;
}

/* Points in one cycle are the same bits; returns how many rim points are on seams. */
static inline uint32_t image_check_seams(const carom_geoimage_chart *chart)
{
    uint32_t rim = 2 * (chart->width + chart->height - 2), on_seams = 0;
    for (uint32_t i = 0; i < rim; i++)
    {
        uint32_t steps = 0, at = chart->seam[i];
        assert_true(at < rim);
        on_seams += at != i;
        for (; at != i; at = chart->seam[at])
        {
            assert_memory_equal(&chart->points[image_rim_point(chart, i)], &chart->points[image_rim_point(chart, at)],
                                sizeof *chart->points);
            assert_true(++steps < rim);
        }
    }
    return on_seams;
}

#endif
