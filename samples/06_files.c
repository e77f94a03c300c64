/* Files: write a generated shape, read it back, ask what it is. A missing file is named in the message. */
#include "scenes/generate.h"

#include <carom/carom.h>
#include <carom/io.h>
#include <stdio.h>

int main(void)
{
    static const char path[] = "/tmp/carom-sample-knot.obj";
    carom_context *context;
    carom_mesh *knot;
    generate_def def = generate_def_default(GENERATE_TORUS_KNOT);
    if (carom_context_create(NULL, &context) != CAROM_OK || generate_mesh(context, &def, &knot) != CAROM_OK)
        return 1;

    io_model model;
    if (io_write(context, path, knot, NULL) != CAROM_OK || io_read(context, path, NULL, &model) != CAROM_OK)
        return 1;
    carom_mesh_info info = carom_mesh_get_info(model.mesh);
    printf("%u triangles, %s, volume %.6f\n", info.triangle_count, info.closed ? "closed" : "open", info.volume);
    bool same = info.triangle_count == carom_mesh_get_info(knot).triangle_count && info.closed;
    io_model_free(&model);
    remove(path);

    if (io_read(context, path, NULL, &model) == CAROM_OK)
        return 1;
    char message[256];
    carom_context_message(context, message, sizeof message);
    printf("%s\n", message);
    carom_mesh_destroy(knot);
    carom_context_destroy(context);
    return same ? 0 : 1;
}
