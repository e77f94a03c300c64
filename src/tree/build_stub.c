#include "tree/build.h"
carom_status build_morton(const build_input *input, build_nodes *nodes) { return build_median(input, nodes); }
carom_status build_bottom_up(const build_input *input, build_nodes *nodes) { return build_median(input, nodes); }
carom_status build_insertion(const build_input *input, build_nodes *nodes) { return build_median(input, nodes); }
carom_status build_balanced(const build_input *input, build_nodes *nodes, uint32_t **order, uint32_t *order_count)
{
    (void)order, (void)order_count;
    return build_median(input, nodes);
}
