/* Limits of what engines that draw images are made with. */
#include "engine/image/image_def.h"

#include "engine/image/image_view.h"

carom_status image_check_def(carom_context *context, const carom_engine_def *def)
{
    if (def->image_side > IMAGE_MAX_SIDE)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "engine create: image_side is %u, more than %d",
                         def->image_side, IMAGE_MAX_SIDE);
    if (!isfinite(def->image_accuracy))
        return base_fail(context, CAROM_NOT_FINITE, "engine create: image_accuracy is %g", def->image_accuracy);
    if (def->image_accuracy < 0.0)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "engine create: image_accuracy is negative (%g)",
                         def->image_accuracy);
    return CAROM_OK;
}
