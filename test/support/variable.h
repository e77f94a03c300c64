/* A variable of the environment that a test sets and then leaves as it was. */
#ifndef TEST_VARIABLE_H
#define TEST_VARIABLE_H

#include "support/check.h"

#include <stdlib.h>

typedef struct variable
{
    const char *name;
    char before[64];
    bool was_set;
} variable;

static inline variable variable_set(const char *name, const char *value)
{
    variable v = {.name = name};
    const char *found = getenv(name);
    v.was_set = found != NULL;
    assert_true(snprintf(v.before, sizeof v.before, "%s", found ? found : "") < (int)sizeof v.before);
    assert_int_equal(setenv(name, value, 1), 0);
    return v;
}

static inline void variable_restore(const variable *v)
{
    assert_int_equal(v->was_set ? setenv(v->name, v->before, 1) : unsetenv(v->name), 0);
}

#endif
