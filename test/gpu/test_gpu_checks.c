/* The comparisons of what the driver draws with what the processor computes: all pass on a driver that is right,
 * without an error in its debug output, and each fails on one that is wrong where it looks. */
#include "engine/stream/stream.h"
#include "support/gpu_hooks.h"
#include "support/gpu_test.h"

/* Those of src/gpu, then those of the stream engines; null past the end. */
static const gpu_check *check_at(uint32_t index)
{
    uint32_t own = 0;
    while (gpu_check_at(own))
        own++;
    return index < own ? gpu_check_at(index) : stream_check_at(index - own);
}

static carom_status run_check(carom_context *context, const gpu_device_def *def, const gpu_check *check,
                              gpu_check_result *result)
{
    gpu_device *device;
    const char *first;
    memset(result, 0, sizeof *result);
    BASE_TRY(gpu_open(context, def, &device));
    gpu_test_ok(context, gpu_begin(device));
    carom_status status = check->run(device, result);
    gpu_test_ok(context, gpu_end(device));
    if (def->debug && gpu_debug_errors(device, &first) != 0)
        fail_msg("%s: debug output: %s", check->name, first);
    gpu_close(device);
    return status;
}

static void test_all_pass(void **state)
{
    carom_context *context = *state;
    const gpu_check *check;
    uint32_t count = 0;
    gpu_test_needs_driver();
    for (; (check = check_at(count)) != NULL; count++)
    {
        gpu_device_def def = gpu_hooks_def(GPU_PLATFORM_AUTO);
        gpu_check_result result;
        def.debug = true;
        gpu_test_ok(context, run_check(context, &def, check, &result));
        print_message("%s: %llu compared, difference %g, bound %g\n", check->name, (unsigned long long)result.compared,
                      result.difference, result.bound);
        if (result.wrong != 0 || result.compared == 0 || !(result.difference <= result.bound))
            fail_msg("%s: %llu wrong, %s", check->name, (unsigned long long)result.wrong, result.detail);
        assert_int_equal(gpu_hooks_alive(), 0);
        assert_int_equal(hooks.alive[HOOK_CONTEXTS], 0);
    }
    assert_int_equal(count, 19);
}

/* ---- drivers that lie ---- */

#define REAL(name) ((__typeof__(((gpu_gl_functions *)0)->name))hooks.own_found)

static void lie_ClearNamedFramebufferfv(gl_name framebuffer, gl_enum what, int buffer, const float *value)
{
    const float wrong[4] = {value[0] + (what == GL_COLOR ? 1.0f : 0.0f)};
    REAL(ClearNamedFramebufferfv)(framebuffer, what, buffer, what == GL_COLOR ? wrong : value);
}

static void lie_BindTextureUnit(unsigned unit, gl_name texture)
{
    (void)texture;
    REAL(BindTextureUnit)(unit, 0);
}

static void lie_ProgramUniform1iv(gl_name program, int at, int count, const int *values)
{
    const int wrong = *values - 1;
    REAL(ProgramUniform1iv)(program, at, count, &wrong);
}

static void lie_Viewport(int x, int y, int width, int height) { REAL(Viewport)(x + 1, y, width, height); }

static void lie_DrawArrays(gl_enum mode, int first, int count, int instances, unsigned first_instance)
{
    REAL(DrawArraysInstancedBaseInstance)
    (mode, first, mode == GL_TRIANGLES ? count - 3 : count, instances, first_instance ? first_instance - 1 : 0);
}

static void lie_Enable(gl_enum capability)
{
    if (capability != GL_PRIMITIVE_RESTART_FIXED_INDEX)
        REAL(Enable)(capability);
}

static void lie_Scissor(int x, int y, int width, int height) { REAL(Scissor)(x, y, width + 1, height); }

static void lie_CullFace(gl_enum face) { REAL(CullFace)(face == GL_FRONT ? GL_BACK : GL_FRONT); }

static void lie_DepthFunc(gl_enum compare) { REAL(DepthFunc)(compare == GL_NEVER + 3 ? GL_NEVER + 1 : compare); }

static void lie_DepthMask(unsigned char write)
{
    (void)write;
    REAL(DepthMask)(1);
}

static void lie_StencilOpSeparate(gl_enum face, gl_enum fail, gl_enum depth_fail, gl_enum pass)
{
    REAL(StencilOpSeparate)(face, fail, depth_fail == GL_INCR_WRAP ? GL_INCR : depth_fail, pass);
}

static void lie_StencilMaskSeparate(gl_enum face, unsigned mask)
{
    (void)mask;
    REAL(StencilMaskSeparate)(face, 0xff);
}

static void lie_StencilFuncSeparate(gl_enum face, gl_enum compare, int reference, unsigned mask)
{
    REAL(StencilFuncSeparate)(face, compare, reference, mask | 1);
}

static void lie_BlendEquation(gl_enum mode) { REAL(BlendEquation)(mode == GL_MAX ? GL_MIN : mode); }

static void lie_GetQueryObjectui64v(gl_name query, gl_enum name, uint64_t *value)
{
    REAL(GetQueryObjectui64v)(query, name, value);
    *value += *value > 100;
}

static void lie_ReadnPixels(int x, int y, int width, int height, gl_enum format, gl_enum type, int size, void *texels)
{
    REAL(ReadnPixels)(x, y, width, height, format, type, size, texels);
    ((unsigned char *)texels)[size / 2] ^= 1;
}

/* GL_LESS as GL_LEQUAL, and the other way round: whether an edge that ends in a triangle counts. */
static void lie_depth_ends(gl_enum compare)
{
    bool less = compare == GL_NEVER + 1, less_or_equal = compare == GL_NEVER + 3;
    REAL(DepthFunc)(less ? GL_NEVER + 3 : less_or_equal ? GL_NEVER + 1 : compare);
}

/* Of eight records, the last is drawn in place of the one before. */
static void lie_next(gl_enum mode, int first, int count, int instances, unsigned first_instance)
{
    REAL(DrawArraysInstancedBaseInstance)
    (mode, first, count, instances, first_instance == 6 ? 7 : first_instance);
}

/* Those of a stencil that was written at all. */
static void lie_stencil(int x, int y, int width, int height, gl_enum format, gl_enum type, int size, void *texels)
{
    REAL(ReadnPixels)(x, y, width, height, format, type, size, texels);
    for (int i = 0; i < width * height; i++)
        if (((unsigned char *)texels)[i])
            ((unsigned char *)texels)[i] ^= 1;
}

/* The lie of a driver, and a check that must notice. */
static const struct
{
    const char *name, *check;
    gpu_function *lie;
} lies[] = {
    {"glClearNamedFramebufferfv", "clear", (gpu_function *)lie_ClearNamedFramebufferfv},
    {"glReadnPixels", "clear", (gpu_function *)lie_ReadnPixels},
    {"glBindTextureUnit", "fetch", (gpu_function *)lie_BindTextureUnit},
    {"glProgramUniform1iv", "elements", (gpu_function *)lie_ProgramUniform1iv},
    {"glViewport", "coverage", (gpu_function *)lie_Viewport},
    {"glDrawArraysInstancedBaseInstance", "seams", (gpu_function *)lie_DrawArrays},
    {"glEnable", "strips", (gpu_function *)lie_Enable},
    {"glViewport", "tiles", (gpu_function *)lie_Viewport},
    {"glScissor", "tiles", (gpu_function *)lie_Scissor},
    {"glDrawArraysInstancedBaseInstance", "instances", (gpu_function *)lie_DrawArrays},
    {"glCullFace", "cull", (gpu_function *)lie_CullFace},
    {"glDepthFunc", "depth", (gpu_function *)lie_DepthFunc},
    {"glDepthMask", "depth", (gpu_function *)lie_DepthMask},
    {"glStencilOpSeparate", "stencil", (gpu_function *)lie_StencilOpSeparate},
    {"glStencilMaskSeparate", "stencil", (gpu_function *)lie_StencilMaskSeparate},
    {"glStencilFuncSeparate", "stencil", (gpu_function *)lie_StencilFuncSeparate},
    {"glBlendEquation", "blend", (gpu_function *)lie_BlendEquation},
    {"glGetQueryObjectui64v", "queries", (gpu_function *)lie_GetQueryObjectui64v},
    {"glReadnPixels", "stream triangles", (gpu_function *)lie_stencil},
    {"glReadnPixels", "stream boxes", (gpu_function *)lie_stencil},
    {"glReadnPixels", "stream triangles as printed", (gpu_function *)lie_stencil},
    {"glReadnPixels", "stream boxes as printed", (gpu_function *)lie_stencil},
    {"glReadnPixels", "stream pairs of triangles", (gpu_function *)lie_stencil},
    {"glReadnPixels", "stream triangles and boxes", (gpu_function *)lie_stencil},
    {"glDrawArraysInstancedBaseInstance", "stream triangles", (gpu_function *)lie_next},
    {"glDrawArraysInstancedBaseInstance", "stream boxes", (gpu_function *)lie_next},
    {"glStencilMaskSeparate", "stream pairs of triangles", (gpu_function *)lie_StencilMaskSeparate},
    {"glDepthFunc", "stream triangles", (gpu_function *)lie_depth_ends},
    {"glDepthFunc", "stream boxes", (gpu_function *)lie_depth_ends},
    {"glDepthFunc", "stream triangles as printed", (gpu_function *)lie_depth_ends},
    {"glDepthFunc", "stream boxes as printed", (gpu_function *)lie_depth_ends},
    {"glGetQueryObjectui64v", "stream boxes", (gpu_function *)lie_GetQueryObjectui64v},
};

static const gpu_check *find_check(const char *name)
{
    const gpu_check *check;
    for (uint32_t i = 0; (check = check_at(i)) != NULL; i++)
        if (strcmp(check->name, name) == 0)
            return check;
    fail_msg("no check is called %s", name);
    return NULL;
}

static void test_each_can_fail(void **state)
{
    carom_context *context = *state;
    const gpu_check *check;
    gpu_test_needs_driver();
    for (uint32_t i = 0; (check = check_at(i)) != NULL; i++)
    {
        bool tried = false;
        for (size_t k = 0; k < sizeof lies / sizeof *lies; k++)
            tried = tried || find_check(lies[k].check) == check;
        if (!tried)
            fail_msg("no driver here lies to the check %s", check->name);
    }
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++)
    {
        gpu_device_def def = gpu_hooks_def(GPU_PLATFORM_AUTO);
        gpu_check_result result;
        hooks.own_name = lies[i].name, hooks.own = lies[i].lie;
        gpu_test_ok(context, run_check(context, &def, find_check(lies[i].check), &result));
        print_message("%s against %s: %llu of %llu wrong, %s\n", lies[i].name, lies[i].check,
                      (unsigned long long)result.wrong, (unsigned long long)result.compared, result.detail);
        assert_true(result.wrong > 0);
        assert_true(result.detail[0] != '\0');
        assert_true(result.difference > result.bound);
    }
}

/* ---- the public function ---- */

typedef struct tally
{
    uint32_t count, passed, stop_after;
} tally;

static bool count_check(const carom_gpu_check *check, void *user)
{
    tally *tally = user;
    tally->count++;
    tally->passed += check->passed;
    assert_int_equal(check->status, CAROM_OK);
    assert_non_null(check->name);
    return tally->count != tally->stop_after;
}

static void test_selftest(void **state)
{
    carom_context *context = *state;
    tally all = {0}, some = {.stop_after = 3};
    gpu_test_needs_driver();
    gpu_test_ok(context, carom_gpu_selftest(context, count_check, &all));
    assert_true(all.count >= 13);
    assert_int_equal(all.passed, all.count);
    assert_int_equal(carom_gpu_selftest(context, count_check, &some), CAROM_STOPPED);
    assert_int_equal(some.count, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_pass),
        cmocka_unit_test(test_each_can_fail),
        cmocka_unit_test(test_selftest),
    };
    return cmocka_run_group_tests(tests, check_open_context, check_close_context);
}
