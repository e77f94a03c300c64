/* carom/carom.h: includes the whole library; the readers and writers of carom/io.h are separate. */
#ifndef CAROM_CAROM_H
#define CAROM_CAROM_H

#include "carom/author.h"
#include "carom/base.h"
#include "carom/broad.h"
#include "carom/convex.h"
#include "carom/engine.h"
#include "carom/events.h"
#include "carom/geoimage.h"
#include "carom/gpu.h"
#include "carom/image.h"
#include "carom/math.h"
#include "carom/mesh.h"
#include "carom/pieces.h"
#include "carom/query.h"
#include "carom/report.h"
#include "carom/scene.h"
#include "carom/shape.h"
#include "carom/tree.h"

#endif
