/* Certified images on a driver, texel by texel against their twin, for tiles and targets of all sizes. */
#include "engine/image/image_pass.h"
#include "support/gpu_test.h"

#include <stdlib.h>
#include <string.h>

typedef struct bench
{
    carom_context *context;
    gpu_device *device;
    image_pass pass;
} bench;

static int open_bench(void **state)
{
    static bench b;
    b = (bench){0};
    *state = &b;
    assert_int_equal(carom_context_create(NULL, &b.context), CAROM_OK);
    b.device = gpu_test_open(b.context);
    return b.device && image_pass_create(b.device, &b.pass) != CAROM_OK;
}

static int close_bench(void **state)
{
    bench *b = *state;
    if (b->device)
        image_pass_destroy(&b->pass);
    gpu_test_close(b->device);
    carom_context_destroy(b->context);
    return 0;
}

static void add_triangles(bench *b, check_random *random, const image_tiles *tiles, uint32_t tile, image_records *out)
{
    image_view view = {.side = (int)tiles->side, .error = {1e-9, 1e-9, 1e-9}};
    uint32_t count = 1 + (uint32_t)(check_next(random) % 12);
    assert_true(base_array_reserve(b->context, out, count));
    for (uint32_t i = 0; i < count; i++)
    {
        double reach = check_next(random) % 4 ? 0.3 * tiles->side : 3.0 * tiles->side;
        carom_vec3 corner[3], centre = check_random_point(random, 0.0, tiles->side);
        centre.z = check_uniform(random, -0.8, 0.8);
        for (int k = 0; k < 3; k++)
        {
            corner[k] = vec3_add(centre, check_random_point(random, -reach, reach));
            corner[k].z = centre.z + check_uniform(random, -0.1, 0.1);
        }
        image_record *record = &out->items[out->count];
        if (!image_prepare(&view, corner, record))
            continue;
        image_tile_at(tiles, tile, record->tile);
        record->body = (float)(check_next(random) % 2);
        out->count++;
    }
}

static void compare(bench *b, check_random *random, uint32_t side, uint32_t count)
{
    image_tiles tiles;
    image_records records = {0};
    static image_texel drawn[1024 * 1024], computed[1024 * 1024];
    static uint8_t meets[1024 * 1024];
    assert_int_equal(image_pass_layout(&b->pass, side, count, &tiles), CAROM_OK);
    count = count < tiles.capacity ? count : tiles.capacity;
    for (uint32_t i = 0; i < count; i++)
        add_triangles(b, random, &tiles, i, &records);
    memset(meets, 7, count);
    assert_int_equal(image_pass_run(&b->pass, &tiles, &records, count, meets), CAROM_OK);
    assert_int_equal(image_pass_depths(&b->pass, &tiles, drawn), CAROM_OK);
    size_t texels = (size_t)tiles.width * tiles.width;
    for (size_t i = 0; i < texels; i++)
        for (int k = 0; k < 4; k++)
            computed[i].depth[k] = IMAGE_NOTHING;
    image_draw_twin(records.items, records.count, computed, (int)tiles.width);
    size_t different = 0, filled = 0;
    for (size_t i = 0; i < texels; i++)
    {
        different += memcmp((const void *)&drawn[i], (const void *)&computed[i], sizeof drawn[i]) != 0;
        filled += computed[i].depth[1] > IMAGE_NOTHING || computed[i].depth[3] > IMAGE_NOTHING;
    }
    assert_int_equal(different, 0);
    assert_true(filled > 0);
    uint32_t hits = 0;
    for (uint32_t i = 0; i < count; i++)
    {
        float at[2];
        image_tile_at(&tiles, i, at);
        bool meet = image_meets_twin(computed, (int)tiles.width, (int[2]){(int)at[0], (int)at[1]}, (int)side);
        assert_int_equal(meets[i], meet);
        hits += meet;
    }
    printf("side %u, %u tiles in %u^2: %zu texels filled, %u tiles meet\n", side, count, tiles.width, filled, hits);
    base_array_free(b->context, &records);
}

static void test_tiles(void **state)
{
    bench *b = *state;
    if (!b->device)
        skip();
    check_random random = {5};
    static const uint32_t sides[] = {1, 2, 3, 7, 8, 16, 17, 32, 64, 100, 128, 1024};
    for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++)
        for (uint32_t count = 1; count <= 2000; count = count * 7 + 3)
            if ((uint64_t)sides[i] * sides[i] * count <= 1000000)
                compare(b, &random, sides[i], count);
}

/* Two small triangles over the last pixel of the last tile, and two in the first one that are one behind the other. */
static void test_last_pixel(void **state)
{
    bench *b = *state;
    static const uint32_t sides[] = {1, 16, 63, 64, 65, 128, 129, 200, 255, 256, 257, 341, 512, 1000, 1024};
    if (!b->device)
        skip();
    for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++)
    {
        image_view view = {.side = (int)sides[i], .error = {1e-9, 1e-9, 1e-9}};
        image_tiles tiles;
        image_records records = {0};
        uint8_t *meets = NULL;
        assert_int_equal(image_pass_layout(&b->pass, sides[i], SIZE_MAX, &tiles), CAROM_OK);
        assert_true(base_array_reserve(b->context, &records, 4) && (meets = malloc(tiles.capacity)) != NULL);
        for (uint32_t k = 0; k < 4; k++)
        {
            double at = sides[i] - 0.7, z = k < 2 ? 0.0 : 0.1 * k;
            carom_vec3 corner[3] = {{at, at, z}, {at + 0.4, at, z}, {at, at + 0.4, z}};
            assert_true(image_prepare(&view, corner, &records.items[k]));
            image_tile_at(&tiles, k < 2 ? tiles.capacity - 1 : 0, records.items[k].tile);
            records.items[k].body = (float)(k % 2), records.count++;
        }
        memset(meets, 7, tiles.capacity);
        assert_int_equal(image_pass_run(&b->pass, &tiles, &records, tiles.capacity, meets), CAROM_OK);
        for (uint32_t k = 0; k < tiles.capacity; k++)
            assert_int_equal(meets[k], k == tiles.capacity - 1);
        free(meets);
        base_array_free(b->context, &records);
    }
}

static void test_too_large(void **state)
{
    bench *b = *state;
    image_tiles tiles;
    if (!b->device)
        skip();
    assert_int_equal(image_pass_layout(&b->pass, 4096, 1, &tiles), CAROM_TOO_LARGE);
    assert_int_equal(image_pass_layout(&b->pass, 0, 1, &tiles), CAROM_TOO_LARGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tiles), cmocka_unit_test(test_last_pixel),
                                       cmocka_unit_test(test_too_large)};
    return cmocka_run_group_tests(tests, open_bench, close_bench);
}
