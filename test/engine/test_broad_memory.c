/* How much memory broad phase `tree` takes: per box, and over many calls. */
#include "broad/broad.h"
#include "support/check.h"
#include "support/failing.h"

enum
{
    SIDE = 20, /* of the cube that has one box per unit of volume, about */
    COUNT = 1000,
    MANY = 3000
};

typedef struct field
{
    failing memory;
    carom_context *context;
    check_random random;
    uint32_t count, changed_count;
    carom_aabb boxes[MANY];
    broad_traits traits[MANY];
    uint32_t changed[MANY];
    broad_pairs pairs, truth;
    void *tree;
} field;

static void move_box(field *f, uint32_t i, double side, double size)
{
    carom_vec3 low = check_random_point(&f->random, 0.0, side);
    f->boxes[i] = (carom_aabb){low, {low.x + size, low.y + size, low.z + size}};
}

static field *open_field(uint32_t count, uint32_t static_of_hundred)
{
    field *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->random.state = 5, f->count = count;
    for (uint32_t i = 0; i < count; i++)
        f->traits[i] = (broad_traits){.owner = i, .is_static = i % 100 < static_of_hundred, .filter = {1, 1, 0}};
    assert_int_equal(failing_context(&f->memory, &f->context), CAROM_OK);
    return f;
}

static void close_field(field *f)
{
    broad_tree.destroy(f->tree);
    base_array_free(f->context, &f->pairs);
    base_array_free(f->context, &f->truth);
    carom_context_destroy(f->context);
    assert_int_equal(f->memory.bytes_out, 0);
    free(f);
}

static broad_input input_of(const field *f)
{
    return (broad_input){.boxes = f->boxes,
                         .traits = f->traits,
                         .slot_count = f->count,
                         .changed = f->changed,
                         .changed_count = f->changed_count,
                         .same_traits = true,
                         .distinct_owners = true};
}

static void find(field *f)
{
    uint64_t tested = 0;
    broad_input input = input_of(f);
    assert_int_equal(broad_tree.find_pairs(f->tree, &input, &f->pairs, &tested), CAROM_OK);
}

/* The last call's pairs are as many as brute force finds. */
static void check_pairs(field *f)
{
    void *brute;
    uint64_t tested = 0;
    broad_input input = input_of(f);
    input.changed_count = 0;
    assert_int_equal(broad_brute.create(f->context, &brute), CAROM_OK);
    assert_int_equal(broad_brute.find_pairs(brute, &input, &f->truth, &tested), CAROM_OK);
    broad_brute.destroy(brute);
    assert_true(f->truth.count > 10);
    assert_int_equal(f->pairs.count, f->truth.count);
}

/* Boxes of `moving` per cent in motion, of those that are not static; the list of pairs is the caller's and has room.
 */
static void check_bytes(uint32_t static_of_hundred, uint32_t moving)
{
    field *f = open_field(COUNT, static_of_hundred);
    for (uint32_t i = 0; i < COUNT; i++)
        move_box(f, i, SIDE, 1.5);
    assert_true(base_array_reserve(f->context, &f->pairs, 64 * (size_t)COUNT));
    uint64_t before = f->memory.bytes_out;
    f->memory.max_bytes_out = before;
    assert_int_equal(broad_tree.create(f->context, &f->tree), CAROM_OK);
    find(f);
    for (int call = 0; call < 100; call++)
    {
        f->changed_count = 0;
        for (uint32_t i = 0; i < COUNT; i++)
            if (!f->traits[i].is_static && i / 10 % 100 < moving)
                f->changed[f->changed_count++] = i, move_box(f, i, SIDE, 1.5);
        find(f);
    }
    double bytes = (double)(f->memory.max_bytes_out - before) / COUNT;
    printf("    %u %% static, %u %% of the others in motion: %.1f bytes per box\n", static_of_hundred, moving, bytes);
    assert_true(bytes > 40.0 && bytes < 100.0);
    check_pairs(f);
    close_field(f);
}

static void few_bytes_per_box(void **state)
{
    (void)state;
    check_bytes(0, 100);
    check_bytes(0, 10);
    check_bytes(50, 100);
    check_bytes(99, 100);
}

/* Still boxes that are moved one at a time: the tree begins a block of lanes in each call, and may not keep them all.
 */
static void one_still_box_per_call(void **state)
{
    (void)state;
    field *f = open_field(MANY, 90);
    for (uint32_t i = 0; i < MANY; i++)
        move_box(f, i, 100.0, 6.0);
    assert_int_equal(broad_tree.create(f->context, &f->tree), CAROM_OK);
    find(f);
    uint64_t before = f->memory.max_bytes_out;
    for (uint32_t call = 0; call < 600; call++)
    {
        uint32_t slot = f->changed[0] = (uint32_t)(check_next(&f->random) % (MANY / 100)) * 100 + 1;
        assert_true(f->traits[slot].is_static);
        move_box(f, slot, 100.0, 6.0);
        f->changed_count = 1;
        find(f);
    }
    printf("    %llu bytes at first, %llu at most\n", (unsigned long long)before,
           (unsigned long long)f->memory.max_bytes_out);
    assert_true(f->memory.max_bytes_out < 3 * before);
    check_pairs(f);
    close_field(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_bytes_per_box),
        cmocka_unit_test(one_still_box_per_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
