/* The smallest program that needs both the headers and the library. */
#include <carom/carom.h>

#include <stdio.h>

int main(void)
{
    carom_context *context = NULL;
    carom_status status = carom_context_create(NULL, &context);
    printf("carom %s: %s\n", carom_version(), carom_status_name(status));
    carom_context_destroy(context);
    return status == CAROM_OK ? 0 : 1;
}
