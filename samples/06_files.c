/* Files: write two generated shapes, read them back in parallel. The message for a missing file names it. */
#include "scenes/generate.h"

#include <carom/carom.h>
#include <carom/io.h>
#include <stdio.h>

static int fail(const carom_context *context)
{
    char message[256] = "no context";
    carom_context_message(context, message, sizeof message);
    return fprintf(stderr, "%s\n", message), 1;
}

int main(void)
{
    static const io_request requests[3] = {{.path = "/tmp/carom-sample-knot.obj"},
                                           {.path = "/tmp/carom-sample-missing.stl"},
                                           {.path = "/tmp/carom-sample-gear.stl"}};
    static const generate_kind kinds[3] = {GENERATE_TORUS_KNOT, GENERATE_KIND_COUNT, GENERATE_GEAR};
    carom_context *context = NULL;
    if (carom_failed(carom_context_create(NULL, &context)))
        return fail(context);
    for (int i = 0; i < 3; i += 2)
    {
        generate_def def = generate_def_default(kinds[i]);
        carom_mesh *mesh;
        if (carom_failed(generate_mesh(context, &def, &mesh)) ||
            carom_failed(io_write(context, requests[i].path, mesh, NULL)))
            return fail(context);
        carom_mesh_destroy(mesh);
    }

    io_result results[3];
    carom_status status = io_read_files(context, requests, 3, results);
    for (int i = 0; i < 3; i++)
    {
        if (carom_failed(results[i].status))
            printf("%s\n", results[i].message);
        else
        {
            carom_mesh_info info = carom_mesh_get_info(results[i].model.mesh);
            printf("%s: %u triangles, %s, volume %.6f\n", requests[i].path, info.triangle_count,
                   info.closed ? "closed" : "open", info.volume);
        }
        io_model_free(&results[i].model);
        remove(requests[i].path);
    }
    bool right = status == CAROM_IO_ERROR && !carom_failed(results[0].status) && !carom_failed(results[2].status);
    carom_context_destroy(context);
    return right ? 0 : 1;
}
