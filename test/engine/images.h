/* What tests of carom/image.h share: an image that a driver draws, and one that the processor computes. */
#ifndef TEST_ENGINE_IMAGES_H
#define TEST_ENGINE_IMAGES_H

#include "engine/image/image.h"
#include "query/world.h"

typedef struct images
{
    world w;
    carom_image *drawn;    /* null: there is no driver */
    carom_image *computed; /* on the processor */
} images;

/* For cmocka_run_group_tests. */
static inline int images_open(void **state)
{
    static images b;
    b = (images){.w = world_open()};
    *state = &b;
    if (carom_image_create(b.w.context, NULL, &b.drawn) != CAROM_OK)
    {
        char message[256];
        carom_context_message(b.w.context, message, sizeof message);
        printf("without a driver: %s\n", message);
    }
    return carom_image_create(b.w.context, &(carom_image_def){.on_processor = true}, &b.computed) != CAROM_OK;
}

static inline int images_close(void **state)
{
    images *b = *state;
    carom_image_destroy(b->drawn), carom_image_destroy(b->computed);
    world_close(&b->w);
    return 0;
}

static inline carom_image *images_best(const images *b) { return b->drawn ? b->drawn : b->computed; }

#endif
