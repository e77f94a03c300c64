/* The hybrid of a grid and bounding volumes that the grid paper compares its method with, as an engine of its own. */
#ifndef TOOL_HYBRID_H
#define TOOL_HYBRID_H

#include "carom/carom.h"

/* Adds the engine "hybrid" to a context. */
carom_status hybrid_register(carom_context *context);

#endif
