/* Poses as text: a translation, a rotation, or both, in the forms that programs write them.
 *
 *   x y z                          a translation
 *   x y z qx qy qz qw              a translation and a quaternion, scalar last, of any length
 *   12 numbers                     a rotation row by row, then a translation
 *   16 numbers                     a 4 x 4 matrix, row by row; or column by column, if its last column is 0 0 0 1
 *   axis x y z angle [at x y z]    a turn in degrees about an axis through the origin, then a translation
 *
 * Matrices that were rounded become the nearest rotation; what is no rotation is refused, by the number that is
 * farthest from one. */
#include "tool/tool.h"

#include <math.h>
#include <string.h>

enum
{
    MAX_NUMBERS = 16
};

typedef struct pose_text
{
    double numbers[MAX_NUMBERS + 1];
    int count;
    char *message;
} pose_text;

static const char separators[] = " \t\r\n,;";

static bool refuse(const pose_text *text, const char *reason)
{
    snprintf(text->message, TOOL_POSE_MESSAGE, "%s", reason);
    return false;
}

/* Numbers up to a word or the end; null at anything else. */
static const char *take_numbers(const char *at, pose_text *text)
{
    text->count = 0;
    for (;;)
    {
        at += strspn(at, separators);
        double value;
        const char *end = io_parse_number(at, &value);
        if (!end)
            return at;
        size_t rest = strcspn(end, separators);
        if (rest > 0 || text->count > MAX_NUMBERS || !isfinite(value))
        {
            snprintf(text->message, TOOL_POSE_MESSAGE, "number %d, '%.*s', is %s", text->count + 1,
                     (int)((end - at) + (ptrdiff_t)(rest < 16 ? rest : 16)), at,
                     rest > 0                    ? "not a number"
                     : text->count > MAX_NUMBERS ? "one too many"
                                                 : "not finite");
            return NULL;
        }
        if (text->count <= MAX_NUMBERS)
            text->numbers[text->count++] = value;
        at = end;
    }
}

/* The entry that differs most from the rotation nearest to it, here from the one that a step of its iteration (the mean
 * of the matrix and its inverse's transpose) leads to. */
static bool refuse_rotation(const pose_text *text, const double m[9])
{
    double inverse[9], largest = -1, wanted = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
        {
            int a = (i + 1) % 3, b = (i + 2) % 3, c = (k + 1) % 3, d = (k + 2) % 3;
            inverse[3 * i + k] = m[3 * a + c] * m[3 * b + d] - m[3 * a + d] * m[3 * b + c];
        }
    double determinant = m[0] * inverse[0] + m[1] * inverse[1] + m[2] * inverse[2];
    if (!(determinant > 0))
        return refuse(text, "the rotation mirrors or flattens: its determinant is not above 0");
    int worst = 0;
    for (int i = 0; i < 9; i++)
    {
        double target = (m[i] + inverse[i] / determinant) / 2;
        if (fabs(m[i] - target) > largest)
            largest = fabs(m[i] - target), worst = i, wanted = target;
    }
    snprintf(text->message, TOOL_POSE_MESSAGE,
             "not a rotation, even if it was rounded: its row %d has %.9g where about %.3g should be", worst / 3 + 1,
             m[worst], wanted);
    return false;
}

/* A rotation that is one keeps its bits. */
static bool from_rotation(const pose_text *text, const double rotation[9], carom_vec3 translation, carom_pose *out)
{
    memcpy(out->rotation, rotation, sizeof out->rotation);
    out->translation = translation;
    if (carom_pose_check(out) != CAROM_NOT_RIGID)
        return true;
    double matrix[12];
    const double at[3] = {translation.x, translation.y, translation.z};
    for (int i = 0; i < 3; i++)
    {
        memcpy(matrix + 4 * i, rotation + 3 * i, 3 * sizeof *matrix);
        matrix[4 * i + 3] = at[i];
    }
    return carom_pose_from_matrix(matrix, out) == CAROM_OK || refuse_rotation(text, rotation);
}

static bool from_matrix(const pose_text *text, carom_pose *out)
{
    const double *m = text->numbers;
    bool by_rows = m[12] == 0 && m[13] == 0 && m[14] == 0 && m[15] == 1;
    bool by_columns = m[3] == 0 && m[7] == 0 && m[11] == 0 && m[15] == 1;
    if (!by_rows && !by_columns)
    {
        int worst = m[12] != 0 ? 13 : m[13] != 0 ? 14 : m[14] != 0 ? 15 : 16;
        snprintf(text->message, TOOL_POSE_MESSAGE, "number %d is %.9g, but the last row of a pose is 0 0 0 1", worst,
                 m[worst - 1]);
        return false;
    }
    double rotation[9], at[3];
    for (int i = 0; i < 3; i++)
    {
        for (int k = 0; k < 3; k++)
            rotation[3 * i + k] = by_rows ? m[4 * i + k] : m[4 * k + i];
        at[i] = by_rows ? m[4 * i + 3] : m[12 + i];
    }
    return from_rotation(text, rotation, (carom_vec3){at[0], at[1], at[2]}, out);
}

static bool from_axis(const pose_text *text, double n[7], carom_pose *out)
{
    if (!tool_scale_axis(n))
        return refuse(text, "the axis has no direction");
    *out = tool_turn(n, n[3], (carom_vec3){n[4], n[5], n[6]});
    return true;
}

static bool from_words(const char *at, pose_text *text, carom_pose *out)
{
    double numbers[7] = {0};
    at = take_numbers(at, text);
    if (!at)
        return false;
    if (text->count != 4)
        return refuse(text, "an axis takes 4 numbers: x y z and an angle in degrees");
    memcpy(numbers, text->numbers, 4 * sizeof *numbers);
    if (strncmp(at, "at", 2) == 0 && strchr(separators, at[2]))
    {
        at = take_numbers(at + 2, text);
        if (!at)
            return false;
        if (text->count != 3)
            return refuse(text, "after 'at' come 3 numbers: x y z");
        memcpy(numbers + 4, text->numbers, 3 * sizeof *numbers);
    }
    return *at ? refuse(text, "an axis and an angle can only be followed by 'at x y z'")
               : from_axis(text, numbers, out);
}

static bool from_numbers(const pose_text *text, carom_pose *out)
{
    const double *n = text->numbers;
    switch (text->count)
    {
    case 3: *out = carom_pose_translation(n[0], n[1], n[2]); return true;
    case 7: *out = carom_pose_from_quaternion(n + 3, (carom_vec3){n[0], n[1], n[2]}); return true;
    case 12: return from_rotation(text, n, (carom_vec3){n[9], n[10], n[11]}, out);
    case 16: return from_matrix(text, out);
    default:
        snprintf(text->message, TOOL_POSE_MESSAGE,
                 "%d numbers; a pose has 3 (translation), 7 (and quaternion), 12 (rotation by rows, translation) or 16 "
                 "(4 x 4)",
                 text->count);
        return false;
    }
}

bool tool_parse_pose(const char *text, carom_pose *out, char message[TOOL_POSE_MESSAGE])
{
    pose_text found = {.message = message};
    const char *at = text + strspn(text, separators);
    bool fine;
    if (strncmp(at, "axis", 4) == 0 && at[4] && strchr(separators, at[4]))
        fine = from_words(at + 4, &found, out);
    else
    {
        at = take_numbers(at, &found);
        if (at && *at)
            snprintf(message, TOOL_POSE_MESSAGE, "'%.16s' is not a number", at);
        fine = at && !*at && from_numbers(&found, out);
    }
    if (!fine)
        return false;
    carom_status status = carom_pose_check(out);
    if (status == CAROM_OUT_OF_RANGE)
        return refuse(&found, "the translation is beyond 2^100");
    return status == CAROM_OK || refuse(&found, "the quaternion is zero");
}
