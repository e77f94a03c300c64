/* Libraries that are opened at run time, where the system can do that.
 *
 * They stay in the process once they were opened (RTLD_NODELETE): drivers start threads and register handlers that
 * would run on after their code was unmapped. The handles are still closed, so opening often costs nothing. */
#include "base/base.h"

#include <string.h>

#if defined(__has_include)
#if __has_include(<dlfcn.h>)
#include <dlfcn.h>
#define BASE_HAS_LIBRARIES 1
#endif
#endif

#if defined(BASE_HAS_LIBRARIES)

#if defined(RTLD_NODELETE)
#define BASE_OPEN_MODE (RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)
#else
#define BASE_OPEN_MODE (RTLD_NOW | RTLD_LOCAL)
#endif

void *base_library_open(const char *name) { return dlopen(name, BASE_OPEN_MODE); }

void base_library_close(void *library)
{
#if defined(RTLD_NODELETE)
    if (library)
        dlclose(library);
#else
    (void)library;
#endif
}

/* C has no conversion from a pointer to data to one to a function; POSIX says that the bits are the same. */
base_function *base_library_find(void *library, const char *name)
{
    void *symbol = dlsym(library, name);
    base_function *function = NULL;
    memcpy(&function, &symbol, sizeof function);
    return function;
}

const char *base_library_error(void)
{
    const char *error = dlerror();
    return error ? error : "not found";
}

/* A program that was linked statically has no dynamic symbols. (The linker warns of dlopen in such a program: this is
 * why that is harmless.) */
bool base_is_static_program(void)
{
    void *self = dlopen(NULL, RTLD_NOW);
    bool dynamic = self && dlsym(self, "malloc");
    if (self)
        dlclose(self);
    return !dynamic;
}

#else

void *base_library_open(const char *name) { return (void)name, NULL; }
void base_library_close(void *library) { (void)library; }
base_function *base_library_find(void *library, const char *name) { return (void)library, (void)name, NULL; }
const char *base_library_error(void) { return "this system can't open libraries at run time"; }
bool base_is_static_program(void) { return false; }

#endif
