/* Triangle pairs: a line is a family, the truth (0 or 1), and 18 hexadecimal floats. */
#include "tool/verify.h"

#include <stdlib.h>
#include <string.h>

/* The tool never sets a locale, so strtod reads the decimal point of hexadecimal floats as it is written. */
static bool parse_line(const char *line, long *truth, double corners[18])
{
    char *end;
    strtol(line, &end, 10);
    if (end == line)
        return false;
    const char *at = end;
    *truth = strtol(at, &end, 10);
    if (end == at || (*truth != 0 && *truth != 1))
        return false;
    for (int i = 0; i < 18; i++)
    {
        at = end;
        corners[i] = strtod(at, &end);
        if (end == at)
            return false;
    }
    return end[strspn(end, " \t\r")] == '\0';
}

static int verify_line(verify_work *work, const char *line, unsigned number)
{
    long truth;
    double corners[18];
    if (!parse_line(line, &truth, corners))
        return tool_fail(work->command, "%s: line %u is not a family, a result (0 or 1) and 18 numbers", work->path,
                         number);
    /* both orders: an answer that depends on the order is wrong as well */
    bool meets = false, swapped = false;
    carom_status status = verify_triangles_meet(work, corners, corners + 9, &meets);
    if (!carom_failed(status))
        status = verify_triangles_meet(work, corners + 9, corners, &swapped);
    work->tally.cases++;
    if (carom_failed(status))
        verify_wrong(work, "line %u: %s", number, carom_status_name(status));
    else if (meets != (truth == 1) || swapped != meets)
        verify_wrong(work, "line %u: truth %ld, answer %d, swapped %d", number, truth, meets, swapped);
    return TOOL_CLEAN;
}

int verify_tritri(verify_work *work)
{
    char *text = verify_load(work);
    if (!text)
        return TOOL_ERROR;
    int code = TOOL_CLEAN;
    verify_lines lines = {text, 0};
    for (char *line; code == TOOL_CLEAN && (line = verify_next_line(&lines));)
        code = verify_line(work, line, lines.number);
    free(text);
    return code;
}
