/* Safe text, JSON text, and the word that was probably meant. */
#include "tool/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* ---- UTF-8 ---- */

/* Bytes of the character at text, which is not at its end, and its code; 0 if it is not valid UTF-8. */
static size_t decode(const char *text, uint32_t *code)
{
    const unsigned char *at = (const unsigned char *)text;
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = at[0] < 0x80 ? 1 : at[0] < 0xc2 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : at[0] < 0xf5 ? 4 : 0;
    if (length <= 1)
        return *code = at[0], length;
    *code = at[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++)
    {
        if ((at[i] & 0xc0) != 0x80) /* also at the end of the text */
            return 0;
        *code = *code << 6 | (at[i] & 0x3f);
    }
    bool surrogate = *code >= 0xd800 && *code < 0xe000;
    return *code < smallest[length] || *code > 0x10ffff || surrogate ? 0 : length;
}

/* Characters that control a terminal, or that change the order in which others are shown. */
static bool is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0x200e || code == 0x200f ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

static void copy(const char *from, size_t length, char out[TEXT_PIECE_SIZE])
{
    memcpy(out, from, length);
    out[length] = '\0';
}

const char *text_next_safe(const char *text, char out[TEXT_PIECE_SIZE], int *columns)
{
    if (*text == '\0')
        return NULL;
    uint32_t code;
    size_t length = decode(text, &code);
    const char *named = length == 1 ? strchr("\aa\bb\tt\nn\vv\ff\rr", (int)code) : NULL;
    if (length == 0)
        *columns = snprintf(out, TEXT_PIECE_SIZE, "\\x%02x", (unsigned char)*text);
    else if (!is_control(code))
        copy(text, length, out), *columns = 1;
    else if (named)
        *columns = snprintf(out, TEXT_PIECE_SIZE, "\\%c", named[1]);
    else
        *columns = snprintf(out, TEXT_PIECE_SIZE, code < 0x80 ? "\\x%02x" : "\\u%04x", (unsigned)code);
    return text + (length ? length : 1);
}

const char *text_next_json(const char *text, char out[TEXT_PIECE_SIZE])
{
    if (*text == '\0')
        return NULL;
    uint32_t code;
    size_t length = decode(text, &code);
    if (length == 0)
        copy("\xef\xbf\xbd", 3, out); /* U+FFFD */
    else if (is_control(code))
        snprintf(out, TEXT_PIECE_SIZE, "\\u%04x", (unsigned)code);
    else if (code == '"' || code == '\\')
        snprintf(out, TEXT_PIECE_SIZE, "\\%c", (char)code);
    else
        copy(text, length, out);
    return text + (length ? length : 1);
}

int text_columns(const char *text)
{
    char piece[TEXT_PIECE_SIZE];
    int sum = 0, columns;
    while ((text = text_next_safe(text, piece, &columns)) != NULL)
        sum += columns;
    return sum;
}

void text_print_safe(FILE *out, const char *text)
{
    char piece[TEXT_PIECE_SIZE];
    int columns;
    while ((text = text_next_safe(text, piece, &columns)) != NULL)
        fputs(piece, out);
}

/* ---- mistyped words ---- */

enum
{
    WORD_LIMIT = 40 /* longer words are not guessed */
};

static int smaller(int a, int b) { return a < b ? a : b; }

/* How many letters must be changed, added, left out or swapped with their neighbour to get b from a. */
static int typing_distance(const char *a, const char *b)
{
    int rows[3][WORD_LIMIT + 1];
    size_t a_length = strlen(a), b_length = strlen(b);
    for (size_t k = 0; k <= b_length; k++)
        rows[0][k] = (int)k;
    for (size_t i = 1; i <= a_length; i++)
    {
        int *row = rows[i % 3];
        const int *before = rows[(i + 2) % 3], *earlier = rows[(i + 1) % 3];
        row[0] = (int)i;
        for (size_t k = 1; k <= b_length; k++)
        {
            row[k] = smaller(smaller(before[k], row[k - 1]) + 1, before[k - 1] + (a[i - 1] != b[k - 1]));
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
                row[k] = smaller(row[k], earlier[k - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

const char *text_nearest(const char *word, const char *(*at)(const void *list, int i), const void *list)
{
    size_t length = strlen(word);
    const char *best = NULL, *known;
    if (length < 2 || length > WORD_LIMIT)
        return NULL;
    /* a third of the letters may be wrong */
    int best_distance = smaller(1 + (int)length / 4, 3) + 1;
    for (int i = 0; (known = at(list, i)) != NULL; i++)
    {
        size_t known_length = strlen(known);
        bool beginning = length >= 3 && strncmp(known, word, length) == 0;
        int distance = beginning ? 1 : known_length > WORD_LIMIT ? WORD_LIMIT : typing_distance(word, known);
        if (distance < best_distance)
            best = known, best_distance = distance;
    }
    return best;
}
