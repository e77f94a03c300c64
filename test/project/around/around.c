/* A user's file that our own options would refuse: extensions of GNU and the C library, an unused variable, NDEBUG. */
#include <carom/carom.h>
#include <carom/io.h>

#include <math.h>
#include <stdio.h>

#ifndef NDEBUG
#error "a release build of this project has NDEBUG"
#endif

int main(void)
{
    int unused;
    double turn = ({ 2 * M_PI; });
    printf("carom %s, %s, %g\n", carom_version(), io_format_list(0)->name, turn);
    return 0;
}
