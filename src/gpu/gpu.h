/* gpu: drawing with OpenGL 4.5, opened at run time through EGL; no window, no link dependency.
 *
 * A device is an OpenGL context of our own. It is used between gpu_begin and gpu_end, on one thread at a time; several
 * devices work on several threads at once. gpu_end gives the thread back to whatever the host had current on it.
 *
 * All other objects are plain structs with the driver's names of things in them. They belong to one device and are made
 * and destroyed between gpu_begin and gpu_end. A zeroed struct is an object that was not made: destroying it does
 * nothing. gpu_close destroys whatever is left of them in the driver.
 *
 * Every call is checked. A driver's error is a status whose message names the call: CAROM_OUT_OF_MEMORY,
 * CAROM_UNSUPPORTED for anything else that it refuses, and CAROM_UNAVAILABLE if it lost the context, from then on for
 * every call on this device: close it and open another one.
 *
 * Coordinates: pixel (0, 0) is at the lower left and the first in memory. Clip space is -w..w in x and y and 0..w in z
 * (GL_ZERO_TO_ONE), so the depth of a fragment is z / w. Front faces are counterclockwise. Shaders are files *.glsl
 * below src/, found by their names without the folder; layouts, bindings and locations are explicit in them. */
#ifndef GPU_GPU_H
#define GPU_GPU_H

#include "base/base.h"
#include "carom/gpu.h"

typedef struct gpu_device gpu_device;

/* ---- devices ---- */

typedef enum gpu_platform
{
    GPU_PLATFORM_AUTO = 0, /* what CAROM_GPU says, or else the others in turn */
    GPU_PLATFORM_SURFACELESS,
    GPU_PLATFORM_DEVICE,
    GPU_PLATFORM_DISPLAY,
    GPU_PLATFORM_OFF
} gpu_platform;

/* Any function of EGL or OpenGL. */
typedef base_function gpu_function;
/* Returns the function to use for a name ("eglInitialize", "glClear"); found is the driver's, or null. */
typedef gpu_function *gpu_find_fn(const char *name, gpu_function *found, void *user);

typedef struct gpu_device_def
{
    gpu_platform platform;
    bool debug;              /* a debug context, which collects errors; see gpu_debug_errors */
    carom_gpu_limits limits; /* for tests: lower than the driver's; 0: the driver's */
    const char *library;     /* for tests: instead of libEGL.so.1; null: that one */
    gpu_find_fn *find;       /* for tests: replaces functions; null: none */
    void *find_user;
} gpu_device_def;

gpu_device_def gpu_device_def_default(void);

/* def may be null. CAROM_UNAVAILABLE: no driver, or none that is good enough. */
carom_status gpu_open(carom_context *context, const gpu_device_def *def, gpu_device **out);
void gpu_close(gpu_device *device); /* null: nothing */

/* Makes the device current on this thread. CAROM_BUSY if it is already in use, here or on another thread. */
carom_status gpu_begin(gpu_device *device);
/* Gives the thread back. Call it after every gpu_begin that succeeded, whatever has failed since. */
carom_status gpu_end(gpu_device *device);

const carom_gpu_info *gpu_info(const gpu_device *device);
carom_context *gpu_context(const gpu_device *device); /* that it was opened with */
/* Width and height of the largest square target that can be drawn to as a whole. */
uint32_t gpu_max_target(const gpu_device *device);
/* Has the driver lost the context? What was read before is right. */
bool gpu_is_lost(const gpu_device *device);
/* What the driver's debug output called errors, of a device with def.debug: how many, and the first one's text. */
uint64_t gpu_debug_errors(const gpu_device *device, const char **first);
/* Waits until everything is drawn and reads the clock, in seconds: drivers' own timers are not reliable. */
carom_status gpu_clock(gpu_device *device, double *seconds);

/* ---- textures and targets ---- */

typedef enum gpu_format
{
    GPU_NONE = 0,
    GPU_R8UI,
    GPU_R32UI,
    GPU_R32F,
    GPU_RG32F,
    GPU_RGBA32F,
    GPU_DEPTH24_STENCIL8,
    GPU_DEPTH32F_STENCIL8,
    GPU_DEPTH32F,
    GPU_FORMAT_COUNT
} gpu_format;

const char *gpu_format_name(gpu_format format);
uint32_t gpu_format_texel(gpu_format format); /* bytes of a texel of a colour format */

enum
{
    GPU_COLORS = 4,   /* colour images of a target */
    GPU_TEXTURES = 8, /* textures that a draw call can use; OpenGL 4.5 guarantees 16 */
    GPU_BLOCKS = 4    /* uniform blocks, and storage blocks */
};

/* Shaders read one with texelFetch: no filter, no mipmaps. */
typedef struct gpu_texture
{
    unsigned name;
    gpu_format format;
    uint32_t width, height;
} gpu_texture;

/* texels: rows from the bottom, without gaps; null: undefined. Only colour formats can have them. */
carom_status gpu_texture_create(gpu_device *device, const gpu_texture *wanted, const void *texels, gpu_texture *out);
void gpu_texture_destroy(gpu_device *device, gpu_texture *texture);

typedef struct gpu_rect
{
    uint32_t x, y, width, height; /* width 0: everything */
} gpu_rect;

/* What is drawn to: up to GPU_COLORS colour images and a depth image, all of one size. The images are textures that
 * later draw calls can read. */
typedef struct gpu_target_def
{
    uint32_t width, height;
    gpu_format colors[GPU_COLORS]; /* without gaps */
    gpu_format depth;
} gpu_target_def;

typedef struct gpu_target
{
    unsigned name;
    uint32_t width, height;
    uint32_t color_count;
    gpu_texture colors[GPU_COLORS];
    gpu_texture depth; /* format GPU_NONE: none */
} gpu_target;

/* CAROM_TOO_LARGE beyond the driver's limits. */
carom_status gpu_target_create(gpu_device *device, const gpu_target_def *def, gpu_target *out);
void gpu_target_destroy(gpu_device *device, gpu_target *target);

typedef enum gpu_plane
{
    GPU_COLOR0 = 0, /* and the others, up to GPU_COLORS - 1 */
    GPU_DEPTH = GPU_COLORS,
    GPU_STENCIL,
    GPU_PLANE_COUNT
} gpu_plane;

#define GPU_PLANE_BIT(plane) (1u << (plane))

typedef struct gpu_clear_values
{
    uint32_t planes;      /* GPU_PLANE_BIT of each that is cleared; planes that the target lacks are an error */
    float color[4];       /* for the chosen colour images of float formats */
    uint32_t integers[4]; /* for those of integer formats */
    float depth;
    uint8_t stencil;
    gpu_rect rect;
} gpu_clear_values;

carom_status gpu_clear(gpu_device *device, const gpu_target *target, const gpu_clear_values *values);

/* Waits until all is drawn, then copies a rectangle, row by row from the bottom without gaps: a colour image in its
 * format, depth as float, stencil as bytes. */
typedef struct gpu_read_def
{
    gpu_plane plane;
    gpu_rect rect;
    void *out;
    size_t size; /* of out, in bytes; CAROM_OUT_OF_RANGE if that is not what is read */
} gpu_read_def;

carom_status gpu_read(gpu_device *device, const gpu_target *target, const gpu_read_def *def);

/* ---- buffers and the layout of vertices ---- */

typedef struct gpu_buffer
{
    unsigned name;
    size_t size; /* bytes */
    bool streaming;
} gpu_buffer;

/* data null: undefined. streaming: replaced often. size 0 is allowed. */
carom_status gpu_buffer_create(gpu_device *device, const void *data, size_t size, bool streaming, gpu_buffer *out);
/* New contents, of another size if need be; layouts and textures that use the buffer stay valid. */
carom_status gpu_buffer_replace(gpu_device *device, gpu_buffer *buffer, const void *data, size_t size);
carom_status gpu_buffer_read(gpu_device *device, const gpu_buffer *buffer, void *out, size_t size);
/* A part of the contents. CAROM_OUT_OF_RANGE beyond the end. */
carom_status gpu_buffer_write_part(gpu_device *device, gpu_buffer *buffer, size_t offset, const void *data,
                                   size_t size);
carom_status gpu_buffer_read_part(gpu_device *device, const gpu_buffer *buffer, size_t offset, void *out, size_t size);
void gpu_buffer_destroy(gpu_device *device, gpu_buffer *buffer);
/* A samplerBuffer (or usamplerBuffer) over a buffer's contents, with a texel per element of the format. */
carom_status gpu_buffer_texture(gpu_device *device, const gpu_buffer *buffer, gpu_format format, gpu_texture *out);

typedef enum gpu_type
{
    GPU_FLOAT,
    GPU_INT,
    GPU_UINT
} gpu_type;

/* One input of a vertex shader. Integers stay integers. */
typedef struct gpu_attribute
{
    uint32_t location;
    gpu_type type;
    uint32_t components; /* 1 to 4, of 4 bytes each */
    const gpu_buffer *buffer;
    uint32_t offset, stride; /* bytes */
    bool per_instance;
} gpu_attribute;

typedef struct gpu_layout
{
    unsigned name;
    bool indexed;
} gpu_layout;

/* indices: 32 bits each, or null. A layout without attributes is for shaders that use gl_VertexID alone. */
carom_status gpu_layout_create(gpu_device *device, const gpu_attribute *attributes, uint32_t count,
                               const gpu_buffer *indices, gpu_layout *out);
void gpu_layout_destroy(gpu_device *device, gpu_layout *layout);

/* ---- programs ---- */

/* A shader's text under its file name. */
typedef struct gpu_source
{
    const char *name, *text;
} gpu_source;

/* The embedded shader of this name; null: there is none. */
const char *gpu_source_find(const char *name);

typedef struct gpu_program_def
{
    const char *vertex, *geometry, *fragment; /* names; geometry and fragment may be null */
    const char *compute;                      /* instead of the three: a program for gpu_dispatch */
    const char *definitions;                  /* lines inserted after #version; or null */
    const gpu_source *sources;                /* looked at before the embedded ones; or null */
    uint32_t source_count;
} gpu_program_def;

typedef struct gpu_program
{
    unsigned name;
} gpu_program;

/* CAROM_BAD_DATA if a shader does not compile or link: the message has its name and the beginning of the driver's log,
 * the context's log all of it. */
carom_status gpu_program_create(gpu_device *device, const gpu_program_def *def, gpu_program *out);
void gpu_program_destroy(gpu_device *device, gpu_program *program);

typedef struct gpu_uniform
{
    const char *name;
    gpu_type type;
    uint32_t components; /* 1 to 4; 16: a matrix of floats, column by column */
    uint32_t count;      /* 1, or that of an array */
    const void *values;
} gpu_uniform;

/* CAROM_INVALID_ARGUMENT if no shader of the program uses the name. */
carom_status gpu_program_set(gpu_device *device, const gpu_program *program, const gpu_uniform *uniform);

/* ---- drawing ---- */

typedef enum gpu_mode
{
    GPU_POINTS,
    GPU_LINES,
    GPU_TRIANGLES,
    GPU_TRIANGLE_STRIP
} gpu_mode;

typedef enum gpu_compare
{
    GPU_NEVER,
    GPU_LESS,
    GPU_EQUAL,
    GPU_LESS_EQUAL,
    GPU_GREATER,
    GPU_NOT_EQUAL,
    GPU_GREATER_EQUAL,
    GPU_ALWAYS
} gpu_compare;

typedef enum gpu_blend
{
    GPU_BLEND_NONE,
    GPU_BLEND_MAX, /* per component */
    GPU_BLEND_MIN,
    GPU_BLEND_ADD
} gpu_blend;

typedef enum gpu_cull
{
    GPU_CULL_NONE,
    GPU_CULL_FRONT,
    GPU_CULL_BACK
} gpu_cull;

typedef enum gpu_stencil_op
{
    GPU_KEEP,
    GPU_ZERO,
    GPU_REPLACE,
    GPU_INCREASE, /* up to 255 */
    GPU_DECREASE, /* down to 0 */
    GPU_INCREASE_WRAP,
    GPU_DECREASE_WRAP,
    GPU_INVERT
} gpu_stencil_op;

typedef struct gpu_stencil_face
{
    gpu_compare compare; /* (reference & mask) compare (stored & mask) */
    uint8_t reference, mask, write_mask;
    gpu_stencil_op fail, depth_fail, pass;
} gpu_stencil_face;

typedef struct gpu_state
{
    gpu_rect viewport; /* width 0: the whole target */
    gpu_rect scissor;  /* width 0: none */
    gpu_cull cull;
    gpu_blend blend;
    bool color_write;
    bool depth_test, depth_write; /* writing requires the test: GPU_ALWAYS if all shall pass */
    gpu_compare depth_compare;
    bool depth_clamp; /* nothing is clipped at z = 0 and z = w */
    bool stencil_test;
    gpu_stencil_face front, back;
    uint32_t clip_distances; /* how many gl_ClipDistance the shaders write, up to 8 */
} gpu_state;

/* Everything off, except that colour is written and stencil masks are full. */
gpu_state gpu_state_default(void);

/* One draw call with all that it depends on; nothing is inherited from the one before. */
typedef struct gpu_draw_def
{
    const gpu_target *target;
    const gpu_program *program;
    const gpu_layout *layout;
    const gpu_state *state;
    gpu_mode mode;
    uint32_t first, count; /* vertices, or indices if the layout has them; index UINT32_MAX starts a new strip */
    uint32_t base_vertex;  /* added to indices */
    uint32_t first_instance, instances;
    const gpu_texture *textures[GPU_TEXTURES];    /* by binding of the sampler; null: none */
    const gpu_buffer *uniform_blocks[GPU_BLOCKS]; /* by binding of the block */
    const gpu_buffer *storage_blocks[GPU_BLOCKS];
} gpu_draw_def;

/* Nothing set, one instance. */
gpu_draw_def gpu_draw_def_default(void);
/* A count or a number of instances of 0 draws nothing. */
carom_status gpu_draw(gpu_device *device, const gpu_draw_def *def);

/* ---- compute shaders ---- */

enum
{
    GPU_STORAGE_BLOCKS = 8 /* of a compute shader; OpenGL 4.5 guarantees as many */
};

typedef struct gpu_dispatch_def
{
    const gpu_program *program;
    uint32_t groups;                                      /* up to 65535 */
    const gpu_buffer *storage_blocks[GPU_STORAGE_BLOCKS]; /* by binding */
} gpu_dispatch_def;

/* Later calls and read-backs see what it wrote. */
carom_status gpu_dispatch(gpu_device *device, const gpu_dispatch_def *def);
/* Items of a group, and bytes that they can share. */
carom_status gpu_compute_limits(gpu_device *device, uint32_t *group_size, uint32_t *shared_memory);

/* ---- occlusion queries ---- */

typedef struct gpu_query
{
    unsigned name;
    bool counting;
    bool active;
} gpu_query;

/* counting: how many fragments passed all tests; otherwise whether any did (1 or 0), which may be faster. */
carom_status gpu_query_create(gpu_device *device, bool counting, gpu_query *out);
void gpu_query_destroy(gpu_device *device, gpu_query *query);
/* Around draw calls; one query of a kind at a time. */
carom_status gpu_query_begin(gpu_device *device, gpu_query *query);
carom_status gpu_query_end(gpu_device *device, gpu_query *query);
carom_status gpu_query_ready(gpu_device *device, const gpu_query *query, bool *out); /* without waiting */
carom_status gpu_query_result(gpu_device *device, const gpu_query *query, uint64_t *out);

/* ---- comparisons with the processor ---- */

/* Filled in by a check. Start from zero. */
typedef struct gpu_check_result
{
    uint64_t compared;
    double difference, bound;
    uint64_t wrong;   /* texels whose difference is beyond the bound */
    char detail[160]; /* the first of them */
} gpu_check_result;

/* A pass drawn and computed. The device is current. Not CAROM_OK: it could not be drawn. */
typedef struct gpu_check
{
    const char *name;
    carom_status (*run)(gpu_device *device, gpu_check_result *result);
} gpu_check;

/* The checks of this folder; null past the end. */
const gpu_check *gpu_check_at(uint32_t index);

/* Compare a texel with what it should be, within the result's bound or to the bit. where: which one, for the detail. */
void gpu_compare_value(gpu_check_result *result, const char *where, double drawn, double computed);
void gpu_compare_bits(gpu_check_result *result, const char *where, uint32_t drawn, uint32_t computed);

/* An image, for the same: rows of `width` texels. */
typedef struct gpu_compared
{
    const char *name;
    uint32_t width;
    uint32_t components; /* of a texel, 4 bytes each; 0: one byte */
    size_t texels;
} gpu_compared;

void gpu_compare_floats(gpu_check_result *result, const gpu_compared *image, const float *drawn, const float *computed);
void gpu_compare_words(gpu_check_result *result, const gpu_compared *image, const void *drawn, const void *computed);

#endif
