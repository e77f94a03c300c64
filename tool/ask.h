/* Asking two placed meshes a question, by whichever method the command line chose. */
#ifndef TOOL_ASK_H
#define TOOL_ASK_H

#include "tool/tool.h"

typedef struct tool_asker
{
    carom_context *context;
    const tool_method *method;
    carom_query *query;
    carom_engine *engine; /* null: the pair questions */
} tool_asker;

carom_status tool_asker_open(carom_context *context, const tool_method *method, tool_asker *out);
void tool_asker_close(tool_asker *asker);

/* The tree that the method wants for a mesh; null with CAROM_OK where an engine makes its own. */
carom_status tool_ask_tree(const tool_asker *asker, const carom_mesh *mesh, carom_tree **out);

/* A mesh as a shape; tree may be null: the mesh's default. */
carom_shape tool_shape(const carom_mesh *mesh, const carom_tree *tree);

/* As carom_collide; what a scene report does not have stays at its default. */

carom_status tool_ask_collide(const tool_asker *asker, const carom_placed *a, const carom_placed *b,
                              const carom_collide_options *options, carom_report *report);

#endif
