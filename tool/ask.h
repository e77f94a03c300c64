/* Queries on two placed meshes, with the method that the command line chose. */
#ifndef TOOL_ASK_H
#define TOOL_ASK_H

#include "tool/tool.h"

typedef struct tool_asker
{
    carom_context *context;
    const tool_method *method;
    carom_query *query;
    carom_engine *engine; /* null: pair queries */
} tool_asker;

/* cache: a folder for what an engine prepares; null: none. */
carom_status tool_asker_open(carom_context *context, const tool_method *method, const char *cache, tool_asker *out);
void tool_asker_close(tool_asker *asker);

/* The tree that the method needs for a mesh; null with CAROM_OK if an engine makes its own. */
carom_status tool_ask_tree(const tool_asker *asker, const carom_mesh *mesh, carom_tree **out);

/* A mesh as a shape; tree may be null: the mesh's default. */
carom_shape tool_shape(const carom_mesh *mesh, const carom_tree *tree);

/* Like carom_collide; fields that a scene report lacks keep their defaults. */

carom_status tool_ask_collide(const tool_asker *asker, const carom_placed *a, const carom_placed *b,
                              const carom_collide_options *options, carom_report *report);

#endif
