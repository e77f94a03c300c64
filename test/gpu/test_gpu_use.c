/* The objects of src/gpu: limits, wrong arguments, shaders that do not compile, and what the checks do not draw. */
#include "support/gpu_hooks.h"
#include "support/gpu_test.h"

#include "gpu/device.h"

typedef struct bench
{
    carom_context *context;
    gpu_device *device;
} bench;

/* A begun device; close_bench asserts that its debug output had no errors but those expected. */
static bench open_bench(void **state, const carom_gpu_limits *limits)
{
    bench bench = {.context = *state};
    gpu_device_def def = gpu_hooks_def(GPU_PLATFORM_AUTO);
    def.debug = true;
    if (limits)
        def.limits = *limits;
    gpu_test_ok(bench.context, gpu_open(bench.context, &def, &bench.device));
    gpu_test_ok(bench.context, gpu_begin(bench.device));
    return bench;
}

static void close_bench(bench *bench)
{
    const char *first;
    gpu_test_ok(bench->context, gpu_end(bench->device));
    assert_int_equal(gpu_hooks_alive(), 0);
    if (gpu_debug_errors(bench->device, &first) != 0)
        fail_msg("debug output: %s", first);
    gpu_close(bench->device);
}

/* ---- targets ---- */

static void test_target_sizes(void **state)
{
    gpu_test_needs_driver();
    for (int mode = 0; mode < 2; mode++)
    {
        const carom_gpu_limits limits = {.texture_size = 1024};
        bench bench = open_bench(state, mode == 0 ? &limits : NULL);
        uint32_t limit = gpu_info(bench.device)->limits.texture_size;
        gpu_target target;
        if (mode == 0)
            assert_int_equal(limit, 1024);
        static const uint32_t refused[][2] = {
            {0, 1}, {1, 0}, {1000000, 1}, {1, 1000000}, {1000000, 1000000}, {UINT32_MAX, UINT32_MAX}};
        for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        {
            const gpu_target_def def = {refused[i][0], refused[i][1], {GPU_R32F}, GPU_NONE};
            gpu_test_fails(bench.context, i < 2 ? CAROM_INVALID_ARGUMENT : CAROM_TOO_LARGE, "texels",
                           gpu_target_create(bench.device, &def, &target));
            assert_int_equal(target.name, 0);
        }
        gpu_target_def def = {limit + 1, 1, {GPU_R32F}, GPU_NONE};
        gpu_test_fails(bench.context, CAROM_TOO_LARGE, "limit", gpu_target_create(bench.device, &def, &target));
        def = (gpu_target_def){limit, 1, {GPU_R8UI}, GPU_DEPTH32F_STENCIL8};
        gpu_test_ok(bench.context, gpu_target_create(bench.device, &def, &target));
        gpu_target_destroy(bench.device, &target);
        def = (gpu_target_def){1, 1, {GPU_RGBA32F}, GPU_DEPTH24_STENCIL8};
        gpu_test_ok(bench.context, gpu_target_create(bench.device, &def, &target));
        gpu_target_destroy(bench.device, &target);
        gpu_target_destroy(bench.device, &target); /* nothing */
        close_bench(&bench);
    }
}

static void test_target_formats(void **state)
{
    gpu_test_needs_driver();
    bench bench = open_bench(state, NULL);
    gpu_target target;
    static const gpu_target_def refused[] = {
        {8, 8, {GPU_NONE}, GPU_NONE},         {8, 8, {GPU_DEPTH32F}, GPU_NONE},
        {8, 8, {GPU_R32F}, GPU_R32F},         {8, 8, {GPU_NONE, GPU_R32F}, GPU_NONE},
        {8, 8, {GPU_FORMAT_COUNT}, GPU_NONE}, {8, 8, {GPU_R32F}, (gpu_format)-1}};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        gpu_test_fails(bench.context, CAROM_INVALID_ARGUMENT, "target",
                       gpu_target_create(bench.device, &refused[i], &target));
    /* several images of different formats, and none but depth */
    const gpu_target_def several = {4, 4, {GPU_R8UI, GPU_R32UI, GPU_RG32F, GPU_RGBA32F}, GPU_DEPTH32F};
    gpu_test_ok(bench.context, gpu_target_create(bench.device, &several, &target));
    assert_int_equal(target.color_count, 4);
    gpu_clear_values values = {.planes = 0xf, .color = {1, 2, 3, 4}, .integers = {5, 6, 7, 8}};
    gpu_test_ok(bench.context, gpu_clear(bench.device, &target, &values));
    float floats[4 * 16];
    uint8_t bytes[16];
    gpu_read_def read = {.plane = GPU_COLOR0, .out = bytes, .size = sizeof bytes};
    gpu_test_ok(bench.context, gpu_read(bench.device, &target, &read));
    assert_int_equal(bytes[15], 5);
    read = (gpu_read_def){.plane = (gpu_plane)3, .rect = {1, 2, 2, 1}, .out = floats, .size = 8 * sizeof *floats};
    gpu_test_ok(bench.context, gpu_read(bench.device, &target, &read));
    assert_true(floats[0] == 1 && floats[3] == 4 && floats[7] == 4);
    gpu_target_destroy(bench.device, &target);
    const gpu_target_def depth = {4, 4, {GPU_NONE}, GPU_DEPTH32F};
    gpu_test_ok(bench.context, gpu_target_create(bench.device, &depth, &target));
    values = (gpu_clear_values){.planes = GPU_PLANE_BIT(GPU_DEPTH), .depth = 0.5f};
    gpu_test_ok(bench.context, gpu_clear(bench.device, &target, &values));
    read = (gpu_read_def){.plane = GPU_DEPTH, .out = floats, .size = 16 * sizeof *floats};
    gpu_test_ok(bench.context, gpu_read(bench.device, &target, &read));
    assert_true(floats[15] == 0.5f);
    gpu_target_destroy(bench.device, &target);
    close_bench(&bench);
}

static void test_few_draw_buffers(void **state)
{
    const carom_gpu_limits limits = {.draw_buffers = 1, .viewport_width = 8, .viewport_height = 8, .attributes = 2};
    gpu_test_needs_driver();
    bench bench = open_bench(state, &limits);
    gpu_target target;
    gpu_session session;
    const gpu_target_def two = {4, 4, {GPU_R32F, GPU_R32F}, GPU_NONE};
    gpu_test_fails(bench.context, CAROM_TOO_LARGE, "colour images", gpu_target_create(bench.device, &two, &target));
    gpu_test_fails(bench.context, CAROM_TOO_LARGE, "attribute 2", gpu_session_make(bench.device, &session));
    gpu_session_destroy(bench.device, &session);
    /* a target beyond the viewport's limit can be made, but not be drawn to at once */
    const gpu_target_def wide = {16, 4, {GPU_R32F}, GPU_NONE};
    gpu_test_ok(bench.context, gpu_target_create(bench.device, &wide, &target));
    const gpu_clear_values values = {.planes = 1};
    gpu_test_ok(bench.context, gpu_clear(bench.device, &target, &values));
    const gpu_program_def def = {.vertex = "check_vertices.vert.glsl", .fragment = "check_floats.frag.glsl"};
    gpu_program program;
    gpu_layout layout;
    gpu_test_ok(bench.context, gpu_program_create(bench.device, &def, &program));
    gpu_test_ok(bench.context, gpu_layout_create(bench.device, NULL, 0, NULL, &layout));
    gpu_state drawn = gpu_state_default();
    gpu_draw_def call = gpu_draw_def_default();
    call.target = &target, call.program = &program, call.layout = &layout, call.state = &drawn, call.count = 3;
    gpu_test_fails(bench.context, CAROM_TOO_LARGE, "viewport", gpu_draw(bench.device, &call));
    drawn.viewport = (gpu_rect){8, 0, 8, 4};
    gpu_test_ok(bench.context, gpu_draw(bench.device, &call));
    gpu_layout_destroy(bench.device, &layout);
    gpu_program_destroy(bench.device, &program);
    gpu_target_destroy(bench.device, &target);
    close_bench(&bench);
}

static void test_wrong_rectangles(void **state)
{
    gpu_test_needs_driver();
    bench bench = open_bench(state, NULL);
    gpu_target target, none = {0};
    float texels[64];
    const gpu_target_def def = {8, 8, {GPU_R32F}, GPU_DEPTH32F};
    gpu_test_ok(bench.context, gpu_target_create(bench.device, &def, &target));
    static const gpu_rect refused[] = {
        {0, 0, 9, 1}, {0, 0, 1, 9},          {8, 0, 1, 1}, {0, 8, 1, 1},
        {7, 7, 2, 1}, {UINT32_MAX, 0, 2, 1}, {0, 0, 1, 0}, {1, 1, UINT32_MAX, UINT32_MAX}};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
    {
        const gpu_clear_values values = {.planes = 1, .rect = refused[i]};
        const gpu_read_def read = {.rect = refused[i], .out = texels, .size = sizeof texels};
        gpu_test_fails(bench.context, CAROM_OUT_OF_RANGE, "rectangle", gpu_clear(bench.device, &target, &values));
        gpu_test_fails(bench.context, CAROM_OUT_OF_RANGE, "rectangle", gpu_read(bench.device, &target, &read));
    }
    gpu_clear_values values = {.planes = GPU_PLANE_BIT(GPU_STENCIL)};
    gpu_test_fails(bench.context, CAROM_INVALID_ARGUMENT, "stencil", gpu_clear(bench.device, &target, &values));
    values.planes = 2;
    gpu_test_fails(bench.context, CAROM_INVALID_ARGUMENT, "colour image 1", gpu_clear(bench.device, &target, &values));
    gpu_test_fails(bench.context, CAROM_INVALID_ARGUMENT, "not created", gpu_clear(bench.device, &none, &values));
    gpu_read_def read = {.out = texels, .size = sizeof texels - 4};
    gpu_test_fails(bench.context, CAROM_OUT_OF_RANGE, "bytes", gpu_read(bench.device, &target, &read));
    read = (gpu_read_def){.plane = GPU_PLANE_COUNT, .out = texels, .size = sizeof texels};
    gpu_test_fails(bench.context, CAROM_INVALID_ARGUMENT, "plane", gpu_read(bench.device, &target, &read));
    read = (gpu_read_def){.size = sizeof texels};
    gpu_test_fails(bench.context, CAROM_INVALID_ARGUMENT, "nowhere", gpu_read(bench.device, &target, &read));
    gpu_target_destroy(bench.device, &target);
    close_bench(&bench);
}

/* ---- textures and buffers ---- */

static void test_textures_and_buffers(void **state)
{
    const carom_gpu_limits limits = {.texture_buffer = 8};
    gpu_test_needs_driver();
    bench bench = open_bench(state, &limits);
    gpu_texture texture;
    gpu_buffer buffer, none = {0};
    uint32_t words[16] = {0};
    const gpu_texture wrong[] = {{0, GPU_NONE, 1, 1}, {0, GPU_DEPTH32F, 1, 1}, {0, GPU_R32F, 0, 1}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        gpu_test_fails(bench.context, CAROM_INVALID_ARGUMENT, i < 2 ? "texture" : "image",
                       gpu_texture_create(bench.device, &wrong[i], words, &texture));
    gpu_test_ok(bench.context, gpu_buffer_create(bench.device, words, sizeof words, false, &buffer));
    gpu_test_fails(bench.context, CAROM_TOO_LARGE, "16 texels",
                   gpu_buffer_texture(bench.device, &buffer, GPU_R32UI, &texture));
    gpu_test_fails(bench.context, CAROM_INVALID_ARGUMENT, "DEPTH32F",
                   gpu_buffer_texture(bench.device, &buffer, GPU_DEPTH32F, &texture));
    gpu_test_ok(bench.context, gpu_buffer_texture(bench.device, &buffer, GPU_RGBA32F, &texture));
    assert_int_equal(texture.width, 4);
    gpu_texture_destroy(bench.device, &texture);
    gpu_test_fails(bench.context, CAROM_OUT_OF_RANGE, "68 bytes",
                   gpu_buffer_read(bench.device, &buffer, words, sizeof words + 4));
    gpu_test_fails(bench.context, CAROM_TOO_LARGE, "bytes",
                   gpu_buffer_replace(bench.device, &buffer, words, (size_t)INT32_MAX + 1));
    gpu_test_fails(bench.context, CAROM_INVALID_ARGUMENT, "not created",
                   gpu_buffer_replace(bench.device, &none, words, 4));
    words[0] = 99;
    gpu_test_ok(bench.context, gpu_buffer_replace(bench.device, &buffer, words, 4));
    words[0] = 0;
    gpu_test_ok(bench.context, gpu_buffer_read(bench.device, &buffer, words, 4));
    assert_int_equal(words[0], 99);
    gpu_buffer_destroy(bench.device, &buffer);
    close_bench(&bench);
}

static void test_layouts(void **state)
{
    gpu_test_needs_driver();
    bench bench = open_bench(state, NULL);
    gpu_buffer buffer, none = {0};
    gpu_layout layout;
    gpu_test_ok(bench.context, gpu_buffer_create(bench.device, NULL, 64, false, &buffer));
    const gpu_attribute wrong[] = {
        {99, GPU_FLOAT, 4, &buffer, 0, 16, false}, {0, GPU_FLOAT, 5, &buffer, 0, 16, false},
        {0, GPU_FLOAT, 0, &buffer, 0, 16, false},  {0, GPU_FLOAT, 4, NULL, 0, 16, false},
        {0, GPU_FLOAT, 4, &none, 0, 16, false},    {0, (gpu_type)7, 4, &buffer, 0, 16, false},
        {0, GPU_FLOAT, 4, &buffer, 0, 0, false},   {0, GPU_FLOAT, 4, &buffer, 0, 4096, false}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    {
        carom_status status = gpu_layout_create(bench.device, &wrong[i], 1, NULL, &layout);
        assert_int_equal(status, i == 0 ? CAROM_TOO_LARGE : i < 6 ? CAROM_INVALID_ARGUMENT : CAROM_OUT_OF_RANGE);
        assert_int_equal(layout.name, 0);
    }
    gpu_test_fails(bench.context, CAROM_INVALID_ARGUMENT, "indices",
                   gpu_layout_create(bench.device, NULL, 0, &none, &layout));
    gpu_test_ok(bench.context, gpu_layout_create(bench.device, NULL, 0, NULL, &layout));
    gpu_layout_destroy(bench.device, &layout);
    gpu_buffer_destroy(bench.device, &buffer);
    close_bench(&bench);
}

/* ---- programs ---- */

static const gpu_source sources[] = {
    {"good.vert.glsl", "#version 450 core\nvoid main() { gl_Position = vec4(0.0); }\n"},
    {"bad.frag.glsl", "#version 450 core\n/* 2 */\n/* 3 */\nvoid main() { undeclared_name = 1.0; }\n"},
    {"unlinked.frag.glsl", "#version 450 core\nlayout(location = 3) in vec4 missing_input;\nout vec4 color;\n"
                           "void main() { color = missing_input; }\n"},
    {"old.frag.glsl", "#version 999 core\nvoid main() {}\n"},
    {"empty.frag.glsl", ""},
    {"defined.frag.glsl",
     "#version 450 core\n#ifndef WANTED\n#error WANTED is not defined\n#endif\n"
     "layout(location = 0) uniform vec4 values[WANTED];\nlayout(location = 20) uniform mat4 turn;\n"
     "layout(location = 30) uniform ivec3 whole;\nlayout(location = 31) uniform uvec2 more;\n"
     "layout(location = 0) out vec4 color;\n"
     "void main() { color = turn * (values[0] + values[WANTED - 1]) + vec4(whole, more.x); }\n"},
};

enum
{
    SOURCES = sizeof sources / sizeof *sources
};

static int log_lines;
static char logged[4096];

static void keep_log(carom_log_level level, const char *message, void *user)
{
    (void)level, (void)user;
    size_t used = strlen(logged);
    snprintf(logged + used, sizeof logged - used, "%s\n", message);
    log_lines++;
}

static void test_programs(void **state)
{
    (void)state;
    gpu_test_needs_driver();
    carom_context_def context_def = carom_context_def_default();
    carom_context *context;
    context_def.log = keep_log;
    assert_int_equal(carom_context_create(&context_def, &context), CAROM_OK);
    void *holder = context;
    bench bench = open_bench(&holder, NULL);
    gpu_program program;
    gpu_program_def def = {.vertex = "good.vert.glsl", .sources = sources, .source_count = SOURCES};
    static const char *const refused[] = {"bad.frag.glsl", "unlinked.frag.glsl", "old.frag.glsl", "empty.frag.glsl",
                                          "defined.frag.glsl"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
    {
        def.fragment = refused[i];
        log_lines = 0, logged[0] = '\0';
        gpu_test_fails(context, CAROM_BAD_DATA, refused[i], gpu_program_create(bench.device, &def, &program));
        assert_int_equal(program.name, 0);
        assert_int_equal(gpu_hooks_alive(), 0);
        assert_true(log_lines >= 2);
        if (i == 0) /* the log names the line of the file, whatever was inserted, and the culprit */
            assert_true(strstr(logged, ":4(") != NULL && strstr(logged, "undeclared_name") != NULL);
        if (i == 4)
            assert_non_null(strstr(logged, "WANTED is not defined"));
    }
    def.fragment = "no-such.frag.glsl";
    gpu_test_fails(context, CAROM_INVALID_ARGUMENT, "no-such.frag.glsl",
                   gpu_program_create(bench.device, &def, &program));
    gpu_program_def none = {0};
    gpu_test_fails(context, CAROM_INVALID_ARGUMENT, "vertex shader", gpu_program_create(bench.device, &none, &program));

    def.fragment = "defined.frag.glsl", def.definitions = "#define WANTED 3";
    gpu_test_ok(context, gpu_program_create(bench.device, &def, &program));
    const float values[16] = {1};
    const int32_t whole[4] = {1, 2, 3, 4};
    const gpu_uniform good[] = {{"values", GPU_FLOAT, 4, 3, values},
                                {"turn", GPU_FLOAT, 16, 1, values},
                                {"whole", GPU_INT, 3, 1, whole},
                                {"more", GPU_UINT, 2, 1, whole}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        gpu_test_ok(context, gpu_program_set(bench.device, &program, &good[i]));
    const gpu_uniform wrong[] = {{"valuez", GPU_FLOAT, 4, 1, values},
                                 {"values", GPU_FLOAT, 5, 1, values},
                                 {"values", GPU_FLOAT, 4, 0, values},
                                 {"values", GPU_FLOAT, 4, 1, NULL},
                                 {"whole", GPU_INT, 16, 1, whole}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        gpu_test_fails(context, CAROM_INVALID_ARGUMENT, wrong[i].name,
                       gpu_program_set(bench.device, &program, &wrong[i]));
    gpu_program_destroy(bench.device, &program);
    /* the debug output had something to say, for once */
    const char *first;
    assert_true(gpu_debug_errors(bench.device, &first) > 0);
    assert_non_null(strstr(first, "undeclared_name"));
    gpu_test_ok(context, gpu_end(bench.device));
    gpu_close(bench.device);
    carom_context_destroy(context);
}

/* The embedded shaders: found by name, in order, each with its first line. */
static void test_embedded_sources(void **state)
{
    (void)state;
    assert_true(gpu_source_count >= 7);
    for (uint32_t i = 0; i < gpu_source_count; i++)
    {
        assert_ptr_equal(gpu_source_find(gpu_sources[i].name), gpu_sources[i].text);
        assert_int_equal(strncmp(gpu_sources[i].text, "#version 450 core\n", 18), 0);
        assert_true(i == 0 || strcmp(gpu_sources[i - 1].name, gpu_sources[i].name) < 0);
    }
    assert_null(gpu_source_find("check_vertices"));
    assert_null(gpu_source_find(""));
    const char *text = gpu_source_find("check_floats.frag.glsl");
    assert_non_null(text);
    assert_non_null(strstr(text, "void main() { color = flat_value; }"));
    assert_int_equal(text[strlen(text) - 1], '\n');
}

/* ---- draw calls and queries ---- */

static void test_draw_calls(void **state)
{
    gpu_test_needs_driver();
    bench bench = open_bench(state, NULL);
    gpu_session session;
    gpu_test_ok(bench.context, gpu_session_make(bench.device, &session));
    gpu_state drawn = gpu_state_default();
    gpu_draw_def good = gpu_draw_def_default(), call;
    good.target = &session.target, good.program = &session.program, good.layout = &session.layout, good.state = &drawn;
    for (int i = 0; i < 4; i++)
    {
        static const char *const words[] = {"target", "program", "layout", "state"};
        call = good;
        if (i == 0)
            call.target = NULL;
        else if (i == 1)
            call.program = NULL;
        else if (i == 2)
            call.layout = NULL;
        else
            call.state = NULL;
        gpu_test_fails(bench.context, CAROM_INVALID_ARGUMENT, words[i], gpu_draw(bench.device, &call));
    }
    call = good, call.mode = (gpu_mode)9, call.count = 3;
    gpu_test_fails(bench.context, CAROM_INVALID_ARGUMENT, "mode", gpu_draw(bench.device, &call));
    call = good, call.count = UINT32_MAX;
    gpu_test_fails(bench.context, CAROM_TOO_LARGE, "vertices", gpu_draw(bench.device, &call));
    gpu_test_ok(bench.context, gpu_draw(bench.device, &good)); /* nothing */
    call = good, call.count = 3, call.instances = 0;
    gpu_test_ok(bench.context, gpu_draw(bench.device, &call));

    call = good, call.count = 3;
    gpu_state wrong[7];
    for (int i = 0; i < 7; i++)
        wrong[i] = gpu_state_default();
    wrong[0].depth_compare = (gpu_compare)8, wrong[1].blend = (gpu_blend)9, wrong[2].cull = (gpu_cull)-1;
    wrong[3].front.pass = (gpu_stencil_op)8, wrong[4].clip_distances = 9;
    wrong[5].viewport = (gpu_rect){0, 0, 1000000, 1}, wrong[6].scissor = (gpu_rect){0, 0, UINT32_MAX, 1};
    static const carom_status expected[7] = {CAROM_INVALID_ARGUMENT, CAROM_INVALID_ARGUMENT, CAROM_INVALID_ARGUMENT,
                                             CAROM_INVALID_ARGUMENT, CAROM_TOO_LARGE,        CAROM_TOO_LARGE,
                                             CAROM_OUT_OF_RANGE};
    for (int i = 0; i < 7; i++)
    {
        call.state = &wrong[i];
        assert_int_equal(gpu_draw(bench.device, &call), expected[i]);
    }
    /* none of that has broken the device */
    gpu_test_ok(bench.context, gpu_session_draw(bench.device, &session, 8));
    assert_true(gpu_session_is_right(&session, 8));
    gpu_session_destroy(bench.device, &session);
    close_bench(&bench);
}

static void test_queries(void **state)
{
    gpu_test_needs_driver();
    bench bench = open_bench(state, NULL);
    gpu_query query, none = {0};
    uint64_t count;
    bool ready = false;
    gpu_test_ok(bench.context, gpu_query_create(bench.device, false, &query));
    gpu_test_fails(bench.context, CAROM_INVALID_ARGUMENT, "not begun", gpu_query_end(bench.device, &query));
    gpu_test_fails(bench.context, CAROM_INVALID_ARGUMENT, "not created", gpu_query_begin(bench.device, &none));
    gpu_test_ok(bench.context, gpu_query_begin(bench.device, &query));
    gpu_test_fails(bench.context, CAROM_INVALID_ARGUMENT, "not ended", gpu_query_begin(bench.device, &query));
    gpu_test_fails(bench.context, CAROM_INVALID_ARGUMENT, "not ended", gpu_query_result(bench.device, &query, &count));
    gpu_test_ok(bench.context, gpu_query_end(bench.device, &query));
    for (int i = 0; i < 1000000 && !ready; i++)
        gpu_test_ok(bench.context, gpu_query_ready(bench.device, &query, &ready));
    assert_true(ready);
    gpu_test_ok(bench.context, gpu_query_result(bench.device, &query, &count));
    assert_int_equal(count, 0);
    gpu_query_destroy(bench.device, &query);
    close_bench(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_target_sizes),
        cmocka_unit_test(test_target_formats),
        cmocka_unit_test(test_few_draw_buffers),
        cmocka_unit_test(test_wrong_rectangles),
        cmocka_unit_test(test_textures_and_buffers),
        cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_programs),
        cmocka_unit_test(test_embedded_sources),
        cmocka_unit_test(test_draw_calls),
        cmocka_unit_test(test_queries),
    };
    return cmocka_run_group_tests(tests, check_open_context, check_close_context);
}
