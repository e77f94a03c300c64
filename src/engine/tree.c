/* Engine `tree`: searches bounding volume trees. */
#include "engine/engine.h"

const engine_kind engine_tree = {
    .info = {"tree", "bounding volume trees, exact triangle tests", CAROM_CLASS_EXACT, false},
    .method = &query_tree_method};
