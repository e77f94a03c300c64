/* Making and checking convex pieces while memory runs out. */
#ifndef TEST_CONVEX_FAILING_PIECES_H
#define TEST_CONVEX_FAILING_PIECES_H

#include "carom/pieces.h"
#include "support/each_failure.h"

static inline carom_status failing_pieces_call(carom_context *context, void *mesh)
{
    carom_pieces *pieces;
    carom_status status = carom_pieces_create(context, mesh, &pieces);
    if (status == CAROM_OK)
        status = carom_pieces_check(pieces), carom_pieces_destroy(pieces);
    return status;
}

/* Destroys the mesh and the context, which is from each_failure_context; `dense` is that of each_failure. */
static inline void failing_pieces_check(failing *memory, carom_context *context, carom_mesh *mesh, uint64_t dense)
{
    assert_true(each_failure(memory, context, dense, failing_pieces_call, mesh) > 50);
    carom_mesh_destroy(mesh);
    carom_context_destroy(context);
    assert_int_equal(memory->blocks_out, 0);
}

#endif
