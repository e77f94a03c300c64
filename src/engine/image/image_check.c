/* The surveyed methods on a few bodies, drawn and computed: their rows of `carom gpu --selftest`. */
#include "engine/image/filter.h"

enum
{
    RINGS = 12,
    SIDES = 8,
    VERTICES = RINGS * SIDES,
    TRIANGLES = 2 * VERTICES
};

/* A ring around the z axis with a square cross-section, by steps of about 30 and 45 degrees: it need not be round. */
static carom_status make_ring(carom_context *context, double width, carom_mesh **out)
{
    double vertices[3 * VERTICES];
    uint32_t indices[3 * TRIANGLES];
    double c = 1.0, s = 0.0;
    for (uint32_t ring = 0; ring < RINGS; ring++)
    {
        double u = 1.0, v = 0.0;
        for (uint32_t side = 0; side < SIDES; side++)
        {
            double *at = vertices + 3 * ((size_t)ring * SIDES + side);
            at[0] = c * (1.0 + width * u), at[1] = s * (1.0 + width * u), at[2] = width * v;
            double turned = 0.7071 * u - 0.7071 * v; /* about 45 degrees */
            v = 0.7071 * u + 0.7071 * v, u = turned;
        }
        double turned = 0.8660 * c - 0.5 * s; /* about 30 degrees */
        s = 0.5 * c + 0.8660 * s, c = turned;
    }
    for (uint32_t i = 0; i < VERTICES; i++)
    {
        uint32_t ring = i / SIDES, side = i % SIDES, next_ring = (ring + 1) % RINGS, next_side = (side + 1) % SIDES;
        uint32_t corner[4] = {ring * SIDES + side, next_ring * SIDES + side, next_ring * SIDES + next_side,
                              ring * SIDES + next_side};
        uint32_t two[6] = {corner[0], corner[1], corner[2], corner[0], corner[2], corner[3]};
        memcpy(indices + 6 * (size_t)i, two, sizeof two);
    }
    carom_mesh_def def = carom_mesh_def_default();
    def.vertices_f64 = vertices, def.vertex_count = VERTICES;
    def.indices_u32 = indices, def.triangle_count = TRIANGLES, def.name = "ring";
    return carom_mesh_create(context, &def, out);
}

/* A box with its corners in the order of bits. */
static carom_status make_box(carom_context *context, carom_mesh **out)
{
    static const uint32_t indices[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                         2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    double vertices[24];
    for (uint32_t i = 0; i < 8; i++)
        for (uint32_t k = 0; k < 3; k++)
            vertices[3 * i + k] = (i >> k & 1 ? 0.5 : -0.5) * (1.0 + 0.3 * k);
    carom_mesh_def def = carom_mesh_def_default();
    def.vertices_f64 = vertices, def.vertex_count = 8;
    def.indices_u32 = indices, def.triangle_count = 12, def.name = "box";
    return carom_mesh_create(context, &def, out);
}

/* Some pose, another for each number. */
static carom_pose pose_at(uint32_t number)
{
    double q[4] = {0.3 + 0.21 * number, 0.17 * number, 0.4 - 0.13 * number, 1.0};
    return carom_pose_from_quaternion(q, vec3(0.07 * number, 0.31 - 0.05 * number, 0.11 * number));
}

typedef struct checked_pair
{
    const carom_mesh *mesh[2];
    void *asset[2];
    carom_pose pose[2];
    carom_vec3 points[2][VERTICES];
    image_question question;
} checked_pair;

static void place_pair(checked_pair *pair, uint32_t number)
{
    carom_aabb box[2];
    for (uint32_t body = 0; body < 2; body++)
    {
        pair->pose[body] = pose_at(2 * number + body);
        box[body] = aabb_empty();
        for (uint32_t i = 0; i < pair->mesh[body]->vertex_count; i++)
        {
            pair->points[body][i] = pose_apply(&pair->pose[body], pair->mesh[body]->vertices[i]);
            box[body] = aabb_add_point(box[body], pair->points[body][i]);
        }
        pair->question.placed[body] = (image_placed){pair->mesh[body], pair->points[body]};
        pair->question.pose[body] = &pair->pose[body], pair->question.asset[body] = pair->asset[body];
    }
    pair->question.region = (carom_aabb){vec3_max(box[0].min, box[1].min), vec3_min(box[0].max, box[1].max)};
    pair->question.side = 1u << (number % 8);
}

static carom_status check_pairs(gpu_device *device, const image_filter *filter, checked_pair *pair,
                                gpu_check_result *result)
{
    void *pass;
    carom_status status = image_filter_create(filter, device, &pass);
    if (carom_failed(status))
        return status;
    for (uint32_t i = 0; i < 8 && !carom_failed(status); i++)
    {
        image_verdict verdict;
        place_pair(pair, i);
        status = filter->may_meet(pass, &pair->question, &verdict);
        if (!carom_failed(status))
            status = filter->compare(pass, result);
    }
    image_filter_forget(filter, gpu_context(device), pass);
    return status;
}

static carom_status check_with_assets(gpu_device *device, const image_filter *filter, checked_pair *pair,
                                      gpu_check_result *result)
{
    carom_context *context = gpu_context(device);
    carom_status status = CAROM_OK;
    for (int i = 0; i < 2 && filter->create_asset && !carom_failed(status); i++)
    {
        carom_shape shape = carom_shape_mesh(pair->mesh[i]);
        status = filter->create_asset(context, &shape, &pair->asset[i]);
    }
    if (!carom_failed(status))
        status = check_pairs(device, filter, pair, result);
    for (int i = 0; i < 2 && filter->destroy_asset; i++)
        filter->destroy_asset(context, pair->asset[i]);
    return status;
}

static carom_status check_filter(gpu_device *device, const image_filter *filter, gpu_check_result *result)
{
    carom_context *context = gpu_context(device);
    carom_mesh *ring, *box = NULL;
    BASE_TRY(make_ring(context, 0.3, &ring));
    checked_pair *pair = base_allocate(context, 1, sizeof *pair, 16);
    carom_status status = pair ? make_box(context, &box) : CAROM_OUT_OF_MEMORY;
    if (!carom_failed(status))
    {
        memset(pair, 0, sizeof *pair);
        pair->mesh[0] = box, pair->mesh[1] = filter == &image_myszkowski ? box : ring;
        status = check_with_assets(device, filter, pair, result);
    }
    base_release(context, pair, 1, sizeof *pair);
    carom_mesh_destroy(box);
    carom_mesh_destroy(ring);
    return status;
}

static carom_status check_rossignac(gpu_device *device, gpu_check_result *result)
{
    return check_filter(device, &image_rossignac, result);
}

static carom_status check_shinya(gpu_device *device, gpu_check_result *result)
{
    return check_filter(device, &image_shinya, result);
}

static carom_status check_myszkowski(gpu_device *device, gpu_check_result *result)
{
    return check_filter(device, &image_myszkowski, result);
}

static carom_status check_lombardo(gpu_device *device, gpu_check_result *result)
{
    return check_filter(device, &image_lombardo, result);
}

const gpu_check *image_check_at(uint32_t index)
{
    static const gpu_check checks[] = {
        {"rossignac", check_rossignac},
        {"shinya", check_shinya},
        {"myszkowski", check_myszkowski},
        {"lombardo", check_lombardo},
    };
    return index < sizeof checks / sizeof checks[0] ? &checks[index] : NULL;
}
