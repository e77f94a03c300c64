/* Models for geometry images: of genus 0 to 5, open and closed. */
#ifndef SUPPORT_GEOIMAGE_MODELS_H
#define SUPPORT_GEOIMAGE_MODELS_H

#include "carom/mesh.h"

typedef struct geoimage_model
{
    const char *name; /* a generated shape */
    uint32_t triangles;
    uint64_t seed;
    uint32_t removed; /* every so many triangles, one is left out, which opens the surface; 0: none */
    uint32_t charts, genus, boundaries;
} geoimage_model;

enum
{
    GEOIMAGE_MODELS = 22
};
extern const geoimage_model geoimage_models[GEOIMAGE_MODELS];

carom_mesh *geoimage_model_mesh(carom_context *context, const geoimage_model *model);

/* A plate of 2 holes + 1 by 3 cubes with so many holes: a closed surface of that genus. */
carom_mesh *geoimage_plate(carom_context *context, uint32_t holes);

#endif
