/* Two published meshes in 300 poses: pair counts, a hash of the pair lists and distances that were computed elsewhere
 * with exact predicates. Skipped with a word where the data is absent. */
#include "carom/io.h"
#include "query/world.h"
#include "support/data.h"

/* The data's own hash: FNV-1a style over u32 little endian first * 4096 + second. */
static uint64_t hash_pairs(const carom_pair *pairs, uint64_t count)
{
    uint64_t hash = 0x14650fb0739d0383u;
    for (uint64_t i = 0; i < count; i++)
    {
        uint32_t word = pairs[i].triangle_a * 4096 + pairs[i].triangle_b;
        for (int byte = 0; byte < 4; byte++)
            hash = (hash ^ (word >> (8 * byte) & 0xff)) * 0x100000001b3u;
    }
    return hash;
}

typedef struct posed_truth
{
    carom_pose pose;
    uint64_t count, hash;
    double distance;
} posed_truth;

static bool parse_line(const char *line, posed_truth *out)
{
    double numbers[12];
    int used = 0;
    for (int i = 0; i < 12; i++)
    {
        int length;
        if (sscanf(line + used, "%lf%n", &numbers[i], &length) != 1)
            return false;
        used += length;
    }
    memcpy(out->pose.rotation, numbers, sizeof out->pose.rotation);
    out->pose.translation = (carom_vec3){numbers[9], numbers[10], numbers[11]};
    return sscanf(line + used, "%lu %lf %lx", &out->count, &out->distance, &out->hash) == 3;
}

static void check_pose(const world *w, const carom_placed *env, const carom_placed *rob, const posed_truth *truth)
{
    carom_report report;
    assert_int_equal(carom_collide(w->query, env, rob, NULL, &report), CAROM_OK);
    assert_int_equal(report.pair_count, truth->count);
    assert_int_equal(hash_pairs(report.pairs, report.pairs_listed), truth->hash);
    carom_collide_options any = {.mode = CAROM_COLLIDE_ANY};
    assert_int_equal(carom_collide(w->query, env, rob, &any, &report), CAROM_OK);
    assert_int_equal(report.pair_count, truth->count > 0);
    assert_int_equal(carom_distance(w->query, env, rob, NULL, &report), CAROM_OK);
    assert_true((report.distance == 0.0) == (truth->count > 0));
    check_near(report.distance, truth->distance, 1e-9 * truth->distance);
}

static void poses_give_the_published_answers(void **state)
{
    (void)state;
    char env_path[1024], rob_path[1024], pose_path[1024], line[1024];
    data_find("meshmesh/env_q.obj", env_path, sizeof env_path);
    data_find("meshmesh/rob_q.obj", rob_path, sizeof rob_path);
    data_find("meshmesh/poses.txt", pose_path, sizeof pose_path);
    world w = world_open();
    io_model env, rob;
    assert_false(carom_failed(io_read(w.context, env_path, NULL, &env)));
    assert_false(carom_failed(io_read(w.context, rob_path, NULL, &rob)));
    const carom_tree_preset presets[] = {CAROM_TREE_FAST, CAROM_TREE_TIGHT};
    for (int p = 0; p < 3; p++)
    {
        /* the last round is binary, with a builder that puts triangles into several leaves */
        carom_tree_def def = carom_tree_def_preset(presets[p % 2]);
        if (p == 2)
            def = (carom_tree_def){.volume = CAROM_VOLUME_KDOP14,
                                   .layout = CAROM_LAYOUT_BINARY,
                                   .builder = CAROM_BUILDER_BALANCED,
                                   .balance_penalty = 0.5};
        carom_tree *env_tree, *rob_tree;
        assert_int_equal(carom_tree_create(w.context, env.mesh, &def, &env_tree), CAROM_OK);
        assert_int_equal(carom_tree_create(w.context, rob.mesh, &def, &rob_tree), CAROM_OK);
        carom_placed a = {carom_shape_tree(env_tree), carom_pose_identity()},
                     b = {carom_shape_tree(rob_tree), carom_pose_identity()};
        FILE *file = fopen(pose_path, "r");
        int poses = 0;
        while (fgets(line, sizeof line, file))
        {
            posed_truth truth;
            if (line[0] == '#' || !parse_line(line, &truth))
                continue;
            b.pose = truth.pose;
            check_pose(&w, &a, &b, &truth);
            poses++;
        }
        fclose(file);
        assert_int_equal(poses, 300);
        carom_tree_destroy(env_tree);
        carom_tree_destroy(rob_tree);
    }
    io_model_free(&env);
    io_model_free(&rob);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(poses_give_the_published_answers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
