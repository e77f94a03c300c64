/* What engines that draw images are made with: limits that hold for all of them. */
#ifndef ENGINE_IMAGE_DEF_H
#define ENGINE_IMAGE_DEF_H

#include "engine/engine.h"

carom_status image_check_def(carom_context *context, const carom_engine_def *def);

#endif
