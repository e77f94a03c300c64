/* Bodies as proxies in slots, over hundreds of frames in which bodies come, go, move, jump, change their shape and
 * their settings: what changed is listed, slots are used again, and every broad phase finds every pair of boxes. */
#include "engine/engine.h"
#include "query/world.h"
#include "support/failing.h"

enum
{
    FRAMES = 300,
    MAX_BODIES = 40,
    MESHES = 6
};

/* ---- a scene that changes at random ---- */

typedef struct play
{
    carom_scene *scene;
    carom_mesh *meshes[MESHES];
    carom_body_id ids[MAX_BODIES];
    uint32_t count;
    check_random random;
} play;

static carom_shape random_shape(play *p)
{
    uint64_t pick = check_next(&p->random) % 12;
    if (pick < MESHES)
        return carom_shape_mesh(p->meshes[pick]);
    if (pick == 6)
        return carom_shape_sphere(check_uniform(&p->random, 0.0, 1.0));
    if (pick == 7)
        return carom_shape_capsule((carom_vec3){0, 0, 0}, (carom_vec3){0, 1, 0}, 0.3);
    if (pick == 8 && check_next(&p->random) % 8 == 0)
        return carom_shape_sphere(1e12); /* huge */
    return carom_shape_mesh(p->meshes[pick % 2]);
}

static carom_pose random_place(play *p)
{
    double reach = check_next(&p->random) % 16 == 0 ? 1e9 : 6.0; /* now and then far away */
    return world_random_pose(&p->random, reach);
}

static carom_filter random_filter(play *p)
{
    carom_filter filter = {1, UINT64_MAX, 0};
    if (check_next(&p->random) % 4 == 0)
        filter = (carom_filter){1 + check_next(&p->random) % 3, check_next(&p->random) % 4,
                                (uint32_t)(check_next(&p->random) % 3)};
    return filter;
}

static double random_margin(play *p) { return check_next(&p->random) % 3 ? 0.0 : check_uniform(&p->random, 0.0, 0.5); }

static carom_status add_body(play *p)
{
    carom_body_def def = carom_body_def_default();
    def.placed = (carom_placed){random_shape(p), random_place(p)};
    def.filter = random_filter(p);
    def.is_static = check_next(&p->random) % 3 == 0;
    def.margin = random_margin(p);
    carom_body_id id;
    carom_status status = carom_scene_add(p->scene, &def, &id);
    if (status == CAROM_OK)
        p->ids[p->count++] = id;
    return status;
}

/* One change. */
static carom_status change(play *p)
{
    if (p->count < 4 || (p->count < MAX_BODIES && check_next(&p->random) % 6 == 0))
        return add_body(p);
    uint32_t at = (uint32_t)(check_next(&p->random) % p->count);
    carom_body_id id = p->ids[at];
    carom_pose pose;
    carom_shape shape;
    carom_filter filter;
    switch (check_next(&p->random) % 12)
    {
    case 0: p->ids[at] = p->ids[--p->count]; return carom_scene_remove(p->scene, id);
    case 1: shape = random_shape(p); return carom_scene_reshape(p->scene, id, &shape);
    case 2: filter = random_filter(p); return carom_scene_set_filter(p->scene, id, &filter);
    case 3: return carom_scene_set_static(p->scene, id, check_next(&p->random) % 2);
    case 4: return carom_scene_set_margin(p->scene, id, random_margin(p));
    case 5: return carom_scene_set_priority(p->scene, id, check_uniform(&p->random, 0.0, 4.0));
    default: pose = random_place(p); return carom_scene_move(p->scene, id, &pose);
    }
}

static void change_some(play *p)
{
    uint64_t changes = check_next(&p->random) % 12;
    if (check_next(&p->random) % 25 == 0)
        changes = 60;
    while (changes-- > 0)
        assert_int_equal(change(p), CAROM_OK);
}

static play open_play(carom_context *context, uint64_t seed)
{
    play p = {.random = {.state = seed}};
    world w = {.context = context};
    assert_int_equal(carom_scene_create(context, &p.scene), CAROM_OK);
    p.meshes[0] = world_box(&w, -0.5, -0.5, -0.5, 0.5, 0.5, 0.5);
    p.meshes[1] = world_shape(&w, GENERATE_TORUS, 60);
    generate_def terrain = generate_def_default(GENERATE_TERRAIN);
    terrain.triangles = 200, terrain.size = 14.0;
    assert_int_equal(generate_mesh(context, &terrain, &p.meshes[2]), CAROM_OK);
    p.meshes[3] = world_mesh(&w, NULL, 0, NULL, 0);
    const double corners[9] = {0, 0, 0, 2, 0, 0, 0, 2, 0};
    p.meshes[4] = world_mesh(&w, corners, 3, NULL, 1);
    p.meshes[5] = world_box(&w, -4, -4, -4, 4, 4, 4);
    return p;
}

static void close_play(play *p)
{
    carom_scene_destroy(p->scene);
    for (int i = 0; i < MESHES; i++)
        carom_mesh_destroy(p->meshes[i]);
}

/* ---- a broad phase that believes the list of changes ---- */

typedef struct model
{
    carom_aabb *boxes;
    broad_traits *traits;
    uint32_t count;
} model;

static void model_apply(model *m, const engine_proxies *proxies)
{
    uint32_t slots = (uint32_t)proxies->boxes.count;
    if (slots > m->count)
    {
        m->boxes = realloc(m->boxes, slots * sizeof *m->boxes);
        m->traits = realloc(m->traits, slots * sizeof *m->traits);
        for (uint32_t i = m->count; i < slots; i++)
            m->boxes[i] = aabb_empty(), m->traits[i] = (broad_traits){0};
        m->count = slots;
    }
    uint8_t *seen = calloc(slots + 1, 1);
    for (size_t i = 0; i < proxies->changed.count; i++)
    {
        uint32_t slot = proxies->changed.items[i];
        assert_true(slot < slots && !seen[slot]); /* each once */
        seen[slot] = 1;
        m->boxes[slot] = proxies->boxes.items[slot];
        m->traits[slot] = proxies->traits.items[slot];
    }
    free(seen);
}

static bool same_box(const carom_aabb *a, const carom_aabb *b)
{
    return (broad_is_empty(a) && broad_is_empty(b)) || (vec3_equal(a->min, b->min) && vec3_equal(a->max, b->max));
}

static bool same_traits(const broad_traits *a, const broad_traits *b)
{
    return a->owner == b->owner && a->is_static == b->is_static && a->filter.category == b->filter.category &&
           a->filter.mask == b->filter.mask && a->filter.group == b->filter.group;
}

static void check_model(const model *m, const engine_proxies *proxies)
{
    for (uint32_t i = 0; i < proxies->boxes.count; i++)
    {
        if (!same_box(&m->boxes[i], &proxies->boxes.items[i]))
            fail_msg("the box of slot %u changed and was not listed", i);
        if (!broad_is_empty(&m->boxes[i]) && !same_traits(&m->traits[i], &proxies->traits.items[i]))
            fail_msg("the traits of slot %u changed and were not listed", i);
    }
}

/* Every body of the frame has its slots, their boxes hold it grown by its margin, and no other slot has a box. */
static void check_slots(const engine_proxies *proxies, const carom_frame *frame)
{
    uint32_t *boxes_of = calloc(frame->body_count + 1, sizeof *boxes_of);
    carom_aabb *around = calloc(frame->body_count + 1, sizeof *around);
    for (uint32_t i = 0; i < frame->body_count; i++)
        around[i] = aabb_empty();
    for (uint32_t slot = 0; slot < proxies->boxes.count; slot++)
    {
        const carom_aabb *box = &proxies->boxes.items[slot];
        if (broad_is_empty(box))
            continue;
        uint32_t position = proxies->bodies.items[proxies->traits.items[slot].owner].position;
        assert_true(position < frame->body_count);
        const carom_frame_body *body = &frame->bodies[position];
        if (frame->scene != 0)
            assert_int_equal(body->id.index, proxies->traits.items[slot].owner);
        assert_int_equal(body->is_static, proxies->traits.items[slot].is_static);
        boxes_of[position]++;
        around[position] = aabb_add_point(aabb_add_point(around[position], box->min), box->max);
    }
    for (uint32_t i = 0; i < frame->body_count; i++)
    {
        const carom_frame_body *body = &frame->bodies[i];
        if (broad_is_empty(&body->bounds))
        {
            assert_int_equal(boxes_of[i], 0);
            continue;
        }
        assert_true(boxes_of[i] >= 1);
        if (!(proxies->cut_size > 0.0))
        {
            assert_int_equal(boxes_of[i], 1);
            assert_true(around[i].min.x <= body->bounds.min.x - body->margin &&
                        around[i].max.z >= body->bounds.max.z + body->margin);
        }
        else if (query_is_mesh(&body->placed)) /* parts may be tighter than the box of the whole */
        {
            mesh_placed mesh = query_placed_mesh(&body->placed, NULL);
            for (uint32_t t = 0; t < mesh.mesh->triangle_count; t++)
            {
                carom_vec3 p = tree_world_triangle(&mesh, t).corner[t % 3];
                assert_true(p.x >= around[i].min.x && p.y >= around[i].min.y && p.z >= around[i].min.z &&
                            p.x <= around[i].max.x && p.y <= around[i].max.y && p.z <= around[i].max.z);
            }
        }
    }
    free(boxes_of);
    free(around);
}

/* ---- broad phases over the slots ---- */

typedef struct phases
{
    const broad_kind *kind[16];
    void *state[16];
    uint32_t count;
    broad_pairs pairs;
} phases;

static phases open_phases(carom_context *context)
{
    phases p = {0};
    for (; broad_find(p.count); p.count++)
    {
        p.kind[p.count] = broad_find(p.count);
        assert_int_equal(p.kind[p.count]->create(context, &p.state[p.count]), CAROM_OK);
    }
    return p;
}

static void close_phases(carom_context *context, phases *p)
{
    for (uint32_t i = 0; i < p->count; i++)
        p->kind[i]->destroy(p->state[i]);
    base_array_free(context, &p->pairs);
}

static bool near_along(double a_min, double a_max, double b_min, double b_max, double margin)
{
    return a_min <= b_max + margin && b_min <= a_max + margin;
}

static bool must_pair(const engine_proxies *proxies, uint32_t i, uint32_t k, double margin)
{
    const carom_aabb *a = &proxies->boxes.items[i], *b = &proxies->boxes.items[k];
    const broad_traits *s = &proxies->traits.items[i], *t = &proxies->traits.items[k];
    bool allowed = s->owner != t->owner && !(s->is_static && t->is_static) && (s->filter.category & t->filter.mask) &&
                   (t->filter.category & s->filter.mask) &&
                   (s->filter.group == 0 || s->filter.group != t->filter.group);
    return allowed && near_along(a->min.x, a->max.x, b->min.x, b->max.x, margin) &&
           near_along(a->min.y, a->max.y, b->min.y, b->max.y, margin) &&
           near_along(a->min.z, a->max.z, b->min.z, b->max.z, margin) && !broad_is_empty(a) && !broad_is_empty(b);
}

static void check_phases(carom_context *context, phases *p, const engine_proxies *proxies, double margin)
{
    broad_input input = {.boxes = proxies->boxes.items,
                         .traits = proxies->traits.items,
                         .slot_count = (uint32_t)proxies->boxes.count,
                         .changed = proxies->changed.items,
                         .changed_count = (uint32_t)proxies->changed.count,
                         .margin = margin};
    for (uint32_t k = 0; k < p->count; k++)
    {
        uint64_t tested = 0;
        assert_int_equal(p->kind[k]->find_pairs(p->state[k], &input, &p->pairs, &tested), CAROM_OK);
        uint64_t *space = calloc(p->pairs.count + 1, sizeof *space);
        base_sort_u64(p->pairs.items, space, p->pairs.count);
        free(space);
        size_t at = 0;
        for (uint32_t i = 0; i < input.slot_count; i++)
            for (uint32_t j = i + 1; j < input.slot_count; j++)
            {
                bool listed = at < p->pairs.count && p->pairs.items[at] == ((uint64_t)i << 32 | j);
                bool wanted = must_pair(proxies, i, j, margin);
                if (wanted && !listed)
                    fail_msg("%s misses slots %u and %u", p->kind[k]->info.name, i, j);
                if (listed && !broad_may_pair(&input.traits[i], &input.traits[j]))
                    fail_msg("%s pairs slots %u and %u", p->kind[k]->info.name, i, j);
                at += listed;
            }
        assert_int_equal(at, p->pairs.count);
    }
    (void)context;
}

/* ---- tests ---- */

static const double CUTS[3] = {0.0, 2.0, 0.01};

static void changes_are_listed(void **state)
{
    (void)state;
    world w = world_open();
    for (int c = 0; c < 3; c++)
    {
        play p = open_play(w.context, 100 + (uint64_t)c);
        engine_proxies proxies = {.context = w.context, .cut_size = CUTS[c], .first_free = ENGINE_NO_SLOT};
        model m = {0};
        phases all = open_phases(w.context);
        for (int i = 0; i < FRAMES; i++)
        {
            change_some(&p);
            carom_frame frame;
            assert_int_equal(carom_scene_frame(p.scene, &frame), CAROM_OK);
            assert_int_equal(engine_proxies_update(&proxies, &frame), CAROM_OK);
            model_apply(&m, &proxies);
            check_model(&m, &proxies);
            check_slots(&proxies, &frame);
            if (c == 2 && i % 10 != 0)
                continue; /* many parts: the changes wait until the broad phases see them */
            check_phases(w.context, &all, &proxies, i % 3 ? 0.0 : 0.25);
            engine_proxies_forget_changes(&proxies);
            /* nothing changed: nothing is listed, and the pairs are the same, or those of another margin */
            assert_int_equal(engine_proxies_update(&proxies, &frame), CAROM_OK);
            assert_int_equal(proxies.changed.count, 0);
            if (c < 2)
                check_phases(w.context, &all, &proxies, i % 5 ? 0.0 : 0.5);
        }
        if (c == 0) /* slots are used again */
            assert_true(proxies.boxes.count <= MAX_BODIES);
        free(m.boxes);
        free(m.traits);
        close_phases(w.context, &all);
        engine_proxies_free(&proxies);
        close_play(&p);
    }
    world_close(&w);
}

/* A body that stays is not listed when others move. */
static void only_changes_are_listed(void **state)
{
    (void)state;
    world w = world_open();
    play p = open_play(w.context, 5);
    for (int i = 0; i < 30; i++)
        assert_int_equal(add_body(&p), CAROM_OK);
    engine_proxies proxies = {.context = w.context, .first_free = ENGINE_NO_SLOT};
    carom_frame frame;
    assert_int_equal(carom_scene_frame(p.scene, &frame), CAROM_OK);
    assert_int_equal(engine_proxies_update(&proxies, &frame), CAROM_OK);
    assert_int_equal(proxies.changed.count, 30);
    engine_proxies_forget_changes(&proxies);
    carom_pose pose = carom_pose_translation(1, 2, 3);
    assert_int_equal(carom_scene_move(p.scene, p.ids[7], &pose), CAROM_OK);
    assert_int_equal(carom_scene_remove(p.scene, p.ids[11]), CAROM_OK);
    assert_int_equal(carom_scene_frame(p.scene, &frame), CAROM_OK);
    assert_int_equal(engine_proxies_update(&proxies, &frame), CAROM_OK);
    assert_int_equal(proxies.changed.count, 2);
    engine_proxies_free(&proxies);
    close_play(&p);
    world_close(&w);
}

/* Several scenes and frames made by hand take turns on one set of proxies. */
static void scenes_take_turns(void **state)
{
    (void)state;
    world w = world_open();
    play plays[3] = {open_play(w.context, 1), open_play(w.context, 2), open_play(w.context, 3)};
    for (int c = 0; c < 2; c++)
    {
        engine_proxies proxies = {.context = w.context, .cut_size = CUTS[c], .first_free = ENGINE_NO_SLOT};
        model m = {0};
        phases all = open_phases(w.context);
        check_random random = {.state = 9};
        for (int i = 0; i < FRAMES; i++)
        {
            play *p = &plays[check_next(&random) % 3];
            change_some(p);
            carom_frame frame;
            assert_int_equal(carom_scene_frame(p->scene, &frame), CAROM_OK);
            if (check_next(&random) % 3 == 0) /* as if by hand */
                frame.scene = frame.version = 0;
            assert_int_equal(engine_proxies_update(&proxies, &frame), CAROM_OK);
            model_apply(&m, &proxies);
            check_model(&m, &proxies);
            check_slots(&proxies, &frame);
            check_phases(w.context, &all, &proxies, 0.1);
            engine_proxies_forget_changes(&proxies);
        }
        free(m.boxes);
        free(m.traits);
        close_phases(w.context, &all);
        engine_proxies_free(&proxies);
    }
    for (int i = 0; i < 3; i++)
        close_play(&plays[i]);
    world_close(&w);
}

/* A frame that the caller made may number its bodies as it likes: that takes no more memory than 1, 2, 3. */
static void ids_of_any_size_take_little_memory(void **state)
{
    (void)state;
    failing memory = {0};
    carom_context *context;
    assert_int_equal(failing_context(&memory, &context), CAROM_OK);
    play p = open_play(context, 3);
    for (int i = 0; i < 30; i++)
        assert_int_equal(add_body(&p), CAROM_OK);
    carom_frame frame;
    assert_int_equal(carom_scene_frame(p.scene, &frame), CAROM_OK);
    carom_engine *engine;
    carom_scene_report report;
    assert_int_equal(carom_engine_create(context, NULL, &engine), CAROM_OK);
    assert_int_equal(carom_engine_run(engine, &frame, NULL, &report), CAROM_OK);
    uint64_t pairs = report.pair_count, body_pairs = report.body_pair_count, bytes = memory.bytes_out;
    assert_true(body_pairs > 0);
    carom_frame_body bodies[30];
    for (uint32_t i = 0; i < 30; i++)
        bodies[i] = frame.bodies[i], bodies[i].id.index = UINT32_MAX - 30 * (30 - i), bodies[i].id.generation = i;
    carom_frame made = {.bodies = bodies, .body_count = 30};
    for (int turn = 0; turn < 3; turn++)
    {
        assert_int_equal(carom_engine_run(engine, &made, NULL, &report), CAROM_OK);
        assert_int_equal(report.body_pair_count, body_pairs);
        assert_int_equal(report.pair_count, pairs);
        assert_int_equal(report.body_pairs[0].body_a.index % 30, UINT32_MAX % 30);
        assert_int_equal(carom_engine_run(engine, &frame, NULL, &report), CAROM_OK); /* back to small ids */
        assert_int_equal(report.body_pair_count, body_pairs);
    }
    assert_true(memory.bytes_out < bytes + 100000);
    carom_engine_destroy(engine);
    close_play(&p);
    carom_context_destroy(context);
    assert_int_equal(memory.blocks_out, 0);
}

/* Memory fails at any allocation of any frame; the next frame with memory is complete, changes included. */
static void failures_lose_no_change(void **state)
{
    (void)state;
    uint64_t failures = 0;
    for (int c = 0; c < 3; c++)
    {
        failing memory = {0};
        world w = {0};
        assert_int_equal(failing_context(&memory, &w.context), CAROM_OK);
        play p = open_play(w.context, 50 + (uint64_t)c);
        for (int i = 0; i < MESHES; i++) /* default trees are a matter of their own */
            assert_int_equal(carom_mesh_prepare(p.meshes[i], CAROM_TREE_FAST), CAROM_OK);
        check_random random = {.state = 77};
        for (int round = 0; round < 20; round++)
        {
            engine_proxies proxies = {.context = w.context, .cut_size = CUTS[c], .first_free = ENGINE_NO_SLOT};
            model m = {0};
            for (int i = 0; i < 20; i++)
            {
                change_some(&p);
                carom_frame frame;
                assert_int_equal(carom_scene_frame(p.scene, &frame), CAROM_OK);
                failing_arm(&memory, check_next(&random) % 2 ? 1 + check_next(&random) % 8 : 0);
                carom_status status = engine_proxies_update(&proxies, &frame);
                failures += memory.failed;
                assert_int_equal(status, memory.failed ? CAROM_OUT_OF_MEMORY : CAROM_OK);
                failing_arm(&memory, 0);
                if (status != CAROM_OK)
                    continue;
                model_apply(&m, &proxies);
                check_model(&m, &proxies);
                check_slots(&proxies, &frame);
                if (check_next(&random) % 4) /* else the broad phase failed */
                    engine_proxies_forget_changes(&proxies);
            }
            free(m.boxes);
            free(m.traits);
            engine_proxies_free(&proxies);
        }
        close_play(&p);
        carom_context_destroy(w.context);
        assert_int_equal(memory.bytes_out, 0);
    }
    assert_true(failures > 50);
}

/* ---- whole runs ---- */

enum
{
    ENGINES = 8
};

/* Every engine, broad phase and cut gives one hash, frame after frame, on scenes that take turns. */
static void engines_agree_while_things_change(void **state)
{
    (void)state;
    carom_context_def context_def = carom_context_def_default();
    context_def.workers = 2;
    world w = {0};
    assert_int_equal(carom_context_create(&context_def, &w.context), CAROM_OK);
    play plays[2] = {open_play(w.context, 21), open_play(w.context, 22)};
    const carom_engine_def defs[ENGINES] = {
        {.engine = "brute", .broad_phase = "brute", .cut_size = 0.0},
        {.engine = "tree", .broad_phase = "brute", .cut_size = 0.0},
        {.engine = "tree", .broad_phase = "tree", .cut_size = 0.0},
        {.engine = "tree", .broad_phase = "tree", .cut_size = 3.0},
        {.engine = "tree", .broad_phase = "brute", .cut_size = 0.7},
        {.engine = "tree", .broad_phase = "tree", .cut_size = 0.01},
        {.engine = "brute", .broad_phase = "tree", .cut_size = 0.0},
        {.engine = "brute", .broad_phase = "tree", .cut_size = 1.0},
    };
    carom_engine *engines[ENGINES];
    for (int e = 0; e < ENGINES; e++)
        assert_int_equal(carom_engine_create(w.context, &defs[e], &engines[e]), CAROM_OK);
    uint64_t found = 0;
    for (int i = 0; i < FRAMES; i++)
    {
        play *p = &plays[i / 3 % 2];
        change_some(p);
        carom_frame frame;
        assert_int_equal(carom_scene_frame(p->scene, &frame), CAROM_OK);
        carom_collide_options options = carom_collide_options_default();
        options.mode = (carom_collide_mode)(i % 3);
        options.relation = i % 5 == 0;
        options.clearance = i % 4 ? 0.0 : 0.2;
        uint64_t hash = 0;
        for (int e = 0; e < ENGINES; e++)
        {
            carom_scene_report report;
            assert_int_equal(carom_engine_run(engines[e], &frame, &options, &report), CAROM_OK);
            hash = e == 0 ? report.hash : hash;
            found += report.body_pair_count;
            if (report.hash != hash)
                fail_msg("frame %d: engine %d finds %lu pairs of bodies and another hash", i, e,
                         (unsigned long)report.body_pair_count);
        }
    }
    assert_true(found > 1000);
    for (int e = 0; e < ENGINES; e++)
        carom_engine_destroy(engines[e]);
    close_play(&plays[0]);
    close_play(&plays[1]);
    carom_context_destroy(w.context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_are_listed),      cmocka_unit_test(only_changes_are_listed),
        cmocka_unit_test(scenes_take_turns),       cmocka_unit_test(ids_of_any_size_take_little_memory),
        cmocka_unit_test(failures_lose_no_change), cmocka_unit_test(engines_agree_while_things_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
