/* Cases from the bug reports of other libraries, as a JSON list. Kinds other than pairs of triangles are skipped and
 * counted, with the reason. */
#include "tool/verify.h"

#include <stdlib.h>
#include <string.h>

enum
{
    REASON_LIMIT = 16
};

/* How often each kind was skipped. */
typedef struct skip_count
{
    char kind[32];
    const char *reason;
    unsigned count;
} skip_count;

static const struct
{
    const char *kind, *reason;
} unanswered[] = {
    {"box-box", "solid boxes are not supported yet (their surfaces as meshes are another question)"},
    {"hull-hull", "solid hulls are not supported yet (their surfaces as meshes are another question)"},
    {"ccd-vertex-face", "motion is not supported yet"},
    {"ccd-edge-edge", "motion is not supported yet"},
    {"sphere-sweep-triangle", "moving spheres are not supported yet"},
};

static void count_skip(skip_count *skips, const char *kind)
{
    const char *reason = "unknown kind";
    for (size_t i = 0; i < sizeof unanswered / sizeof *unanswered; i++)
        if (strcmp(unanswered[i].kind, kind) == 0)
            reason = unanswered[i].reason;
    for (int i = 0; i < REASON_LIMIT; i++)
        if (skips[i].count == 0 || strncmp(skips[i].kind, kind, sizeof skips[i].kind - 1) == 0)
        {
            snprintf(skips[i].kind, sizeof skips[i].kind, "%s", kind);
            skips[i].reason = reason;
            skips[i].count++;
            return;
        }
    skips[REASON_LIMIT - 1].count++;
}

/* Three points of three numbers. */
static bool read_triangle(const json_t *list, double out[9])
{
    if (!json_is_array(list) || json_array_size(list) != 3)
        return false;
    for (size_t i = 0; i < 3; i++)
    {
        const json_t *point = json_array_get(list, i);
        if (!json_is_array(point) || json_array_size(point) != 3)
            return false;
        for (size_t k = 0; k < 3; k++)
        {
            const json_t *number = json_array_get(point, k);
            if (!json_is_number(number))
                return false;
            out[3 * i + k] = json_number_value(number);
        }
    }
    return true;
}

static int verify_triangles(verify_work *work, const json_t *item, size_t index)
{
    double a[9], b[9];
    const json_t *truth = json_object_get(item, "exact_intersects");
    if (!read_triangle(json_object_get(item, "A"), a) || !read_triangle(json_object_get(item, "B"), b) ||
        !json_is_boolean(truth))
        return tool_fail(work->command, "%s: case %zu lacks A, B or exact_intersects", work->path, index);
    const char *source = json_string_value(json_object_get(item, "source"));
    bool meets = false, swapped = false;
    carom_status status = verify_triangles_meet(work, a, b, &meets);
    if (!carom_failed(status))
        status = verify_triangles_meet(work, b, a, &swapped);
    if (carom_failed(status))
        verify_wrong(work, "case %zu (%s): %s", index, source ? source : "", carom_status_name(status));
    else if (meets != json_is_true(truth) || swapped != meets)
        verify_wrong(work, "case %zu (%s): truth %d, answer %d, swapped %d", index, source ? source : "",
                     json_is_true(truth), meets, swapped);
    return TOOL_CLEAN;
}

int verify_hardcases(verify_work *work)
{
    char *text = verify_load(work);
    if (!text)
        return TOOL_ERROR;
    json_error_t error;
    json_t *list = json_loads(text, 0, &error);
    free(text);
    if (!json_is_array(list))
    {
        int code = list ? tool_fail(work->command, "%s: not a list of cases", work->path)
                        : tool_fail(work->command, "%s: line %d: %s", work->path, error.line, error.text);
        json_decref(list);
        return code;
    }
    skip_count skips[REASON_LIMIT] = {0};
    int code = TOOL_CLEAN;
    for (size_t i = 0; i < json_array_size(list) && code == TOOL_CLEAN; i++)
    {
        const json_t *item = json_array_get(list, i);
        const char *kind = json_string_value(json_object_get(item, "kind"));
        work->tally.cases++;
        if (!kind)
            code = tool_fail(work->command, "%s: case %zu has no kind", work->path, i);
        else if (strcmp(kind, "triangle-triangle") == 0)
            code = verify_triangles(work, item, i);
        else
            work->tally.skipped++, count_skip(skips, kind);
    }
    json_decref(list);
    for (int i = 0; i < REASON_LIMIT && skips[i].count > 0; i++)
        fprintf(stderr, "skipped: %u %s: %s\n", skips[i].count, skips[i].kind, skips[i].reason);
    return code;
}
