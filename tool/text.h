/* Text from outside, such as file names and names within files: printed so that it can't control a terminal, and as
 * valid UTF-8 in JSON. Also words that look like a mistyped one. */
#ifndef TOOL_TEXT_H
#define TOOL_TEXT_H

#include <stddef.h>
#include <stdio.h>

enum
{
    TEXT_PIECE_SIZE = 16
};

/* The next character of a text as it is safe to print: itself, or an escape such as \n, \x1b or \u202e. Bytes that are
 * not UTF-8 become \xff. Returns where to go on, null at the end of the text. columns: how wide it is, roughly. */
const char *text_next_safe(const char *text, char out[TEXT_PIECE_SIZE], int *columns);

/* The same for the inside of a JSON string; what is not UTF-8 becomes U+FFFD. */
const char *text_next_json(const char *text, char out[TEXT_PIECE_SIZE]);

int text_columns(const char *text);
void text_print_safe(FILE *out, const char *text);

/* The word of a list that a mistyped one is probably meant to be; null: none is near. at returns the i-th word, null
 * past the end. */
const char *text_nearest(const char *word, const char *(*at)(const void *list, int i), const void *list);

#endif
