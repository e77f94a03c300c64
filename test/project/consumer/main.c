/* The smallest program that needs both the headers and the library, and says whether the two are of one version. */
#include <carom/carom.h>

#include <stdio.h>
#include <string.h>

int main(void)
{
    char header[32];
    snprintf(header, sizeof header, "%d.%d.%d", CAROM_VERSION_MAJOR, CAROM_VERSION_MINOR, CAROM_VERSION_PATCH);
    carom_context *context = NULL;
    carom_status status = carom_context_create(NULL, &context);
    printf("carom %s, header %s: %s\n", carom_version(), header, carom_status_name(status));
    carom_context_destroy(context);
    return status == CAROM_OK && strcmp(carom_version(), header) == 0 ? 0 : 1;
}
