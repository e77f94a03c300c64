/* Shapes as meshes to draw. */
#ifndef TOOL_SKIN_H
#define TOOL_SKIN_H

#include "carom/carom.h"

/* The mesh that a picture shows for a shape, in the body's frame: its own, or triangles around a sphere or capsule. To
 * be destroyed. */
carom_status skin_create(carom_context *context, const carom_shape *shape, const carom_mesh **out);

#endif
