/* The part of EGL and OpenGL 4.5 that Carom uses, declared here so that the library builds without their headers and
 * links nothing of theirs: types, constants, and a table of functions from which the structs of pointers and the loader
 * (driver.c) are generated. Names and values are those of the specifications, EGL 1.5 and OpenGL 4.5 core. */
#ifndef GPU_GL_H
#define GPU_GL_H

#include <stddef.h>
#include <stdint.h>

/* ---- EGL ---- */

typedef void *egl_handle; /* a display, device, context, configuration or surface; null: none */
typedef unsigned egl_bool;

enum
{
    EGL_SUCCESS = 0x3000,
    EGL_NOT_INITIALIZED,
    EGL_BAD_ACCESS,
    EGL_BAD_ALLOC,
    EGL_BAD_ATTRIBUTE,
    EGL_BAD_CONFIG,
    EGL_BAD_CONTEXT,
    EGL_BAD_CURRENT_SURFACE,
    EGL_BAD_DISPLAY,
    EGL_BAD_MATCH,
    EGL_BAD_NATIVE_PIXMAP,
    EGL_BAD_NATIVE_WINDOW,
    EGL_BAD_PARAMETER,
    EGL_BAD_SURFACE,
    EGL_CONTEXT_LOST,

    EGL_SURFACE_TYPE = 0x3033,
    EGL_NONE = 0x3038,
    EGL_RENDERABLE_TYPE = 0x3040,
    EGL_VENDOR = 0x3053,
    EGL_VERSION = 0x3054,
    EGL_EXTENSIONS = 0x3055,
    EGL_HEIGHT = 0x3056,
    EGL_WIDTH = 0x3057,
    EGL_DRAW = 0x3059,
    EGL_READ = 0x305a,
    EGL_OPENGL_ES_API = 0x30a0,
    EGL_OPENGL_API = 0x30a2,
    EGL_PBUFFER_BIT = 0x0001,
    EGL_OPENGL_BIT = 0x0008,

    EGL_CONTEXT_MAJOR_VERSION = 0x3098,
    EGL_CONTEXT_MINOR_VERSION = 0x30fb,
    EGL_CONTEXT_OPENGL_PROFILE_MASK = 0x30fd,
    EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT = 0x0001,
    EGL_CONTEXT_OPENGL_DEBUG = 0x31b0,
    EGL_CONTEXT_OPENGL_ROBUST_ACCESS = 0x31b2,
    EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY = 0x31bd,
    EGL_LOSE_CONTEXT_ON_RESET = 0x31bf,

    EGL_PLATFORM_DEVICE_EXT = 0x313f,
    EGL_PLATFORM_SURFACELESS_MESA = 0x31dd
};

#define GPU_EGL_REQUIRED(GPU_FUNCTION)                                                                                 \
    GPU_FUNCTION(const char *, QueryString, (egl_handle display, int name))                                            \
    GPU_FUNCTION(egl_handle, GetDisplay, (void *native))                                                               \
    GPU_FUNCTION(egl_bool, Initialize, (egl_handle display, int *major, int *minor))                                   \
    GPU_FUNCTION(egl_bool, BindAPI, (unsigned api))                                                                    \
    GPU_FUNCTION(unsigned, QueryAPI, (void))                                                                           \
    GPU_FUNCTION(egl_bool, ChooseConfig,                                                                               \
                 (egl_handle display, const int *attributes, egl_handle *configs, int size, int *count))               \
    GPU_FUNCTION(egl_handle, CreateContext,                                                                            \
                 (egl_handle display, egl_handle config, egl_handle share, const int *attributes))                     \
    GPU_FUNCTION(egl_bool, DestroyContext, (egl_handle display, egl_handle context))                                   \
    GPU_FUNCTION(egl_handle, CreatePbufferSurface, (egl_handle display, egl_handle config, const int *attributes))     \
    GPU_FUNCTION(egl_bool, DestroySurface, (egl_handle display, egl_handle surface))                                   \
    GPU_FUNCTION(egl_bool, MakeCurrent, (egl_handle display, egl_handle draw, egl_handle read, egl_handle context))    \
    GPU_FUNCTION(egl_handle, GetCurrentContext, (void))                                                                \
    GPU_FUNCTION(egl_handle, GetCurrentDisplay, (void))                                                                \
    GPU_FUNCTION(egl_handle, GetCurrentSurface, (int which))                                                           \
    GPU_FUNCTION(int, GetError, (void))

/* Null where the driver has no such extension. */
#define GPU_EGL_OPTIONAL(GPU_FUNCTION)                                                                                 \
    GPU_FUNCTION(egl_handle, GetPlatformDisplayEXT, (unsigned platform, void *native, const int *attributes))          \
    GPU_FUNCTION(egl_bool, QueryDevicesEXT, (int size, egl_handle *devices, int *count))

/* ---- OpenGL ---- */

typedef unsigned gl_enum;
typedef unsigned gl_name; /* of an object; 0: none */
typedef void gl_debug_fn(gl_enum source, gl_enum type, gl_name id, gl_enum severity, int length, const char *message,
                         const void *user);

enum
{
    GL_NO_ERROR = 0,
    GL_INVALID_ENUM = 0x0500,
    GL_INVALID_VALUE = 0x0501,
    GL_INVALID_OPERATION = 0x0502,
    GL_STACK_OVERFLOW = 0x0503,
    GL_STACK_UNDERFLOW = 0x0504,
    GL_OUT_OF_MEMORY = 0x0505,
    GL_INVALID_FRAMEBUFFER_OPERATION = 0x0506,
    GL_CONTEXT_LOST = 0x0507,
    GL_GUILTY_CONTEXT_RESET = 0x8253,
    GL_INNOCENT_CONTEXT_RESET = 0x8254,
    GL_UNKNOWN_CONTEXT_RESET = 0x8255,

    GL_FALSE = 0,
    GL_TRUE = 1,
    GL_POINTS = 0x0000,
    GL_LINES = 0x0001,
    GL_TRIANGLES = 0x0004,
    GL_TRIANGLE_STRIP = 0x0005,
    GL_NEVER = 0x0200, /* and the other seven comparisons up to GL_ALWAYS */
    GL_ALWAYS = 0x0207,
    GL_FRONT = 0x0404,
    GL_BACK = 0x0405,
    GL_CULL_FACE = 0x0b44,
    GL_DEPTH_TEST = 0x0b71,
    GL_STENCIL_TEST = 0x0b90,
    GL_BLEND = 0x0be2,
    GL_SCISSOR_TEST = 0x0c11,
    GL_UNPACK_ALIGNMENT = 0x0cf5,
    GL_PACK_ALIGNMENT = 0x0d05,
    GL_MAX_TEXTURE_SIZE = 0x0d33,
    GL_MAX_VIEWPORT_DIMS = 0x0d3a,
    GL_DITHER = 0x0bd0,
    GL_DEPTH_CLAMP = 0x864f,
    GL_CLIP_DISTANCE0 = 0x3000,
    GL_PRIMITIVE_RESTART_FIXED_INDEX = 0x8d69,

    GL_ZERO = 0,
    GL_ONE = 1,
    GL_KEEP = 0x1e00,
    GL_REPLACE = 0x1e01,
    GL_INCR = 0x1e02,
    GL_DECR = 0x1e03,
    GL_INVERT = 0x150a,
    GL_INCR_WRAP = 0x8507,
    GL_DECR_WRAP = 0x8508,
    GL_FUNC_ADD = 0x8006,
    GL_MIN = 0x8007,
    GL_MAX = 0x8008,

    GL_UNSIGNED_BYTE = 0x1401,
    GL_INT = 0x1404,
    GL_UNSIGNED_INT = 0x1405,
    GL_FLOAT = 0x1406,
    GL_FLOAT_32_UNSIGNED_INT_24_8_REV = 0x8dad,
    GL_UNSIGNED_INT_24_8 = 0x84fa,
    GL_RED = 0x1903,
    GL_RGBA = 0x1908,
    GL_RG = 0x8227,
    GL_RED_INTEGER = 0x8d94,
    GL_DEPTH_COMPONENT = 0x1902,
    GL_STENCIL_INDEX = 0x1901,
    GL_DEPTH_STENCIL = 0x84f9,
    GL_R8UI = 0x8232,
    GL_R32UI = 0x8236,
    GL_R32F = 0x822e,
    GL_RG32F = 0x8230,
    GL_RGBA32F = 0x8814,
    GL_DEPTH24_STENCIL8 = 0x88f0,
    GL_DEPTH_COMPONENT32F = 0x8cac,
    GL_DEPTH32F_STENCIL8 = 0x8cad,

    GL_VENDOR = 0x1f00,
    GL_RENDERER = 0x1f01,
    GL_VERSION = 0x1f02,
    GL_SHADING_LANGUAGE_VERSION = 0x8b8c,
    GL_MAX_RENDERBUFFER_SIZE = 0x84e8,
    GL_MAX_VERTEX_ATTRIBS = 0x8869,
    GL_MAX_DRAW_BUFFERS = 0x8824,
    GL_MAX_TEXTURE_IMAGE_UNITS = 0x8872,
    GL_MAX_UNIFORM_BLOCK_SIZE = 0x8a30,
    GL_MAX_SHADER_STORAGE_BLOCK_SIZE = 0x90de,
    GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS = 0x90eb,
    GL_MAX_COMPUTE_SHARED_MEMORY_SIZE = 0x8262,
    GL_MAX_TEXTURE_BUFFER_SIZE = 0x8c2b,

    GL_TEXTURE_2D = 0x0de1,
    GL_TEXTURE_BUFFER = 0x8c2a,
    GL_TEXTURE_MAG_FILTER = 0x2800,
    GL_TEXTURE_MIN_FILTER = 0x2801,
    GL_NEAREST = 0x2600,
    GL_UNIFORM_BUFFER = 0x8a11,
    GL_SHADER_STORAGE_BUFFER = 0x90d2,
    GL_SHADER_STORAGE_BARRIER_BIT = 0x2000,
    GL_BUFFER_UPDATE_BARRIER_BIT = 0x0200,
    GL_STATIC_DRAW = 0x88e4,
    GL_STREAM_DRAW = 0x88e0,
    GL_FRAMEBUFFER = 0x8d40,
    GL_FRAMEBUFFER_COMPLETE = 0x8cd5,
    GL_COLOR_ATTACHMENT0 = 0x8ce0,
    GL_DEPTH_ATTACHMENT = 0x8d00,
    GL_DEPTH_STENCIL_ATTACHMENT = 0x821a,
    GL_COLOR = 0x1800,
    GL_DEPTH = 0x1801,
    GL_STENCIL = 0x1802,

    GL_VERTEX_SHADER = 0x8b31,
    GL_FRAGMENT_SHADER = 0x8b30,
    GL_GEOMETRY_SHADER = 0x8dd9,
    GL_COMPUTE_SHADER = 0x91b9,
    GL_COMPILE_STATUS = 0x8b81,
    GL_LINK_STATUS = 0x8b82,
    GL_INFO_LOG_LENGTH = 0x8b84,

    GL_SAMPLES_PASSED = 0x8914,
    GL_ANY_SAMPLES_PASSED = 0x8c2f,
    GL_QUERY_RESULT = 0x8866,
    GL_QUERY_RESULT_AVAILABLE = 0x8867,

    GL_LOWER_LEFT = 0x8ca1,
    GL_ZERO_TO_ONE = 0x935f,

    GL_DEBUG_OUTPUT = 0x92e0,
    GL_DEBUG_OUTPUT_SYNCHRONOUS = 0x8242,
    GL_DEBUG_TYPE_ERROR = 0x824c
};

/* All are core in 4.5. */
#define GPU_GL_REQUIRED(GPU_FUNCTION)                                                                                  \
    GPU_FUNCTION(gl_enum, GetError, (void))                                                                            \
    GPU_FUNCTION(gl_enum, GetGraphicsResetStatus, (void))                                                              \
    GPU_FUNCTION(const unsigned char *, GetString, (gl_enum name))                                                     \
    GPU_FUNCTION(void, GetIntegerv, (gl_enum name, int *values))                                                       \
    GPU_FUNCTION(void, DebugMessageCallback, (gl_debug_fn * callback, const void *user))                               \
    GPU_FUNCTION(void, Finish, (void))                                                                                 \
    /* state */                                                                                                        \
    GPU_FUNCTION(void, Enable, (gl_enum capability))                                                                   \
    GPU_FUNCTION(void, Disable, (gl_enum capability))                                                                  \
    GPU_FUNCTION(void, ClipControl, (gl_enum origin, gl_enum depth))                                                   \
    GPU_FUNCTION(void, PixelStorei, (gl_enum name, int value))                                                         \
    GPU_FUNCTION(void, Viewport, (int x, int y, int width, int height))                                                \
    GPU_FUNCTION(void, Scissor, (int x, int y, int width, int height))                                                 \
    GPU_FUNCTION(void, ColorMask, (unsigned char red, unsigned char green, unsigned char blue, unsigned char alpha))   \
    GPU_FUNCTION(void, DepthFunc, (gl_enum compare))                                                                   \
    GPU_FUNCTION(void, DepthMask, (unsigned char write))                                                               \
    GPU_FUNCTION(void, StencilFuncSeparate, (gl_enum face, gl_enum compare, int reference, unsigned mask))             \
    GPU_FUNCTION(void, StencilOpSeparate, (gl_enum face, gl_enum fail, gl_enum depth_fail, gl_enum pass))              \
    GPU_FUNCTION(void, StencilMaskSeparate, (gl_enum face, unsigned mask))                                             \
    GPU_FUNCTION(void, CullFace, (gl_enum face))                                                                       \
    GPU_FUNCTION(void, BlendEquation, (gl_enum mode))                                                                  \
    GPU_FUNCTION(void, BlendFunc, (gl_enum source, gl_enum destination))                                               \
    /* buffers */                                                                                                      \
    GPU_FUNCTION(void, CreateBuffers, (int count, gl_name *names))                                                     \
    GPU_FUNCTION(void, DeleteBuffers, (int count, const gl_name *names))                                               \
    GPU_FUNCTION(void, NamedBufferData, (gl_name buffer, ptrdiff_t size, const void *data, gl_enum usage))             \
    GPU_FUNCTION(void, NamedBufferSubData, (gl_name buffer, ptrdiff_t offset, ptrdiff_t size, const void *data))       \
    GPU_FUNCTION(void, GetNamedBufferSubData, (gl_name buffer, ptrdiff_t offset, ptrdiff_t size, void *data))          \
    GPU_FUNCTION(void, BindBufferBase, (gl_enum target, unsigned index, gl_name buffer))                               \
    GPU_FUNCTION(void, MemoryBarrier, (unsigned barriers))                                                             \
    GPU_FUNCTION(void, CreateVertexArrays, (int count, gl_name *names))                                                \
    GPU_FUNCTION(void, DeleteVertexArrays, (int count, const gl_name *names))                                          \
    GPU_FUNCTION(void, VertexArrayVertexBuffer,                                                                        \
                 (gl_name array, unsigned binding, gl_name buffer, ptrdiff_t offset, int stride))                      \
    GPU_FUNCTION(void, VertexArrayElementBuffer, (gl_name array, gl_name buffer))                                      \
    GPU_FUNCTION(void, VertexArrayAttribFormat,                                                                        \
                 (gl_name array, unsigned attribute, int size, gl_enum type, unsigned char normalize, unsigned at))    \
    GPU_FUNCTION(void, VertexArrayAttribIFormat,                                                                       \
                 (gl_name array, unsigned attribute, int size, gl_enum type, unsigned at))                             \
    GPU_FUNCTION(void, VertexArrayAttribBinding, (gl_name array, unsigned attribute, unsigned binding))                \
    GPU_FUNCTION(void, VertexArrayBindingDivisor, (gl_name array, unsigned binding, unsigned divisor))                 \
    GPU_FUNCTION(void, EnableVertexArrayAttrib, (gl_name array, unsigned attribute))                                   \
    GPU_FUNCTION(void, BindVertexArray, (gl_name array))                                                               \
    /* textures and targets */                                                                                         \
    GPU_FUNCTION(void, CreateTextures, (gl_enum target, int count, gl_name *names))                                    \
    GPU_FUNCTION(void, DeleteTextures, (int count, const gl_name *names))                                              \
    GPU_FUNCTION(void, TextureStorage2D, (gl_name texture, int levels, gl_enum format, int width, int height))         \
    GPU_FUNCTION(void, TextureSubImage2D,                                                                              \
                 (gl_name texture, int level, int x, int y, int width, int height, gl_enum format, gl_enum type,       \
                  const void *texels))                                                                                 \
    GPU_FUNCTION(void, TextureParameteri, (gl_name texture, gl_enum name, int value))                                  \
    GPU_FUNCTION(void, TextureBuffer, (gl_name texture, gl_enum format, gl_name buffer))                               \
    GPU_FUNCTION(void, BindTextureUnit, (unsigned unit, gl_name texture))                                              \
    GPU_FUNCTION(void, CreateFramebuffers, (int count, gl_name *names))                                                \
    GPU_FUNCTION(void, DeleteFramebuffers, (int count, const gl_name *names))                                          \
    GPU_FUNCTION(void, NamedFramebufferTexture, (gl_name framebuffer, gl_enum attachment, gl_name texture, int level)) \
    GPU_FUNCTION(void, NamedFramebufferDrawBuffers, (gl_name framebuffer, int count, const gl_enum *buffers))          \
    GPU_FUNCTION(void, NamedFramebufferReadBuffer, (gl_name framebuffer, gl_enum buffer))                              \
    GPU_FUNCTION(gl_enum, CheckNamedFramebufferStatus, (gl_name framebuffer, gl_enum target))                          \
    GPU_FUNCTION(void, BindFramebuffer, (gl_enum target, gl_name framebuffer))                                         \
    GPU_FUNCTION(void, ClearNamedFramebufferfv, (gl_name framebuffer, gl_enum what, int buffer, const float *value))   \
    GPU_FUNCTION(void, ClearNamedFramebufferuiv,                                                                       \
                 (gl_name framebuffer, gl_enum what, int buffer, const unsigned *value))                               \
    GPU_FUNCTION(void, ClearNamedFramebufferiv, (gl_name framebuffer, gl_enum what, int buffer, const int *value))     \
    GPU_FUNCTION(void, ReadnPixels,                                                                                    \
                 (int x, int y, int width, int height, gl_enum format, gl_enum type, int size, void *texels))          \
    /* programs */                                                                                                     \
    GPU_FUNCTION(gl_name, CreateShader, (gl_enum stage))                                                               \
    GPU_FUNCTION(void, ShaderSource, (gl_name shader, int count, const char *const *texts, const int *lengths))        \
    GPU_FUNCTION(void, CompileShader, (gl_name shader))                                                                \
    GPU_FUNCTION(void, GetShaderiv, (gl_name shader, gl_enum name, int *value))                                        \
    GPU_FUNCTION(void, GetShaderInfoLog, (gl_name shader, int size, int *length, char *log))                           \
    GPU_FUNCTION(void, DeleteShader, (gl_name shader))                                                                 \
    GPU_FUNCTION(gl_name, CreateProgram, (void))                                                                       \
    GPU_FUNCTION(void, AttachShader, (gl_name program, gl_name shader))                                                \
    GPU_FUNCTION(void, LinkProgram, (gl_name program))                                                                 \
    GPU_FUNCTION(void, GetProgramiv, (gl_name program, gl_enum name, int *value))                                      \
    GPU_FUNCTION(void, GetProgramInfoLog, (gl_name program, int size, int *length, char *log))                         \
    GPU_FUNCTION(void, DeleteProgram, (gl_name program))                                                               \
    GPU_FUNCTION(void, UseProgram, (gl_name program))                                                                  \
    GPU_FUNCTION(int, GetUniformLocation, (gl_name program, const char *name))                                         \
    GPU_FUNCTION(void, ProgramUniform1fv, (gl_name program, int at, int count, const float *values))                   \
    GPU_FUNCTION(void, ProgramUniform2fv, (gl_name program, int at, int count, const float *values))                   \
    GPU_FUNCTION(void, ProgramUniform3fv, (gl_name program, int at, int count, const float *values))                   \
    GPU_FUNCTION(void, ProgramUniform4fv, (gl_name program, int at, int count, const float *values))                   \
    GPU_FUNCTION(void, ProgramUniform1iv, (gl_name program, int at, int count, const int *values))                     \
    GPU_FUNCTION(void, ProgramUniform2iv, (gl_name program, int at, int count, const int *values))                     \
    GPU_FUNCTION(void, ProgramUniform3iv, (gl_name program, int at, int count, const int *values))                     \
    GPU_FUNCTION(void, ProgramUniform4iv, (gl_name program, int at, int count, const int *values))                     \
    GPU_FUNCTION(void, ProgramUniform1uiv, (gl_name program, int at, int count, const unsigned *values))               \
    GPU_FUNCTION(void, ProgramUniform2uiv, (gl_name program, int at, int count, const unsigned *values))               \
    GPU_FUNCTION(void, ProgramUniform3uiv, (gl_name program, int at, int count, const unsigned *values))               \
    GPU_FUNCTION(void, ProgramUniform4uiv, (gl_name program, int at, int count, const unsigned *values))               \
    GPU_FUNCTION(void, ProgramUniformMatrix4fv,                                                                        \
                 (gl_name program, int at, int count, unsigned char transpose, const float *values))                   \
    /* drawing */                                                                                                      \
    GPU_FUNCTION(void, DrawArraysInstancedBaseInstance,                                                                \
                 (gl_enum mode, int first, int count, int instances, unsigned first_instance))                         \
    GPU_FUNCTION(void, DrawElementsInstancedBaseVertexBaseInstance,                                                    \
                 (gl_enum mode, int count, gl_enum type, const void *at, int instances, int base_vertex,               \
                  unsigned first_instance))                                                                            \
    GPU_FUNCTION(void, DispatchCompute, (unsigned x, unsigned y, unsigned z))                                          \
    GPU_FUNCTION(void, CreateQueries, (gl_enum target, int count, gl_name *names))                                     \
    GPU_FUNCTION(void, DeleteQueries, (int count, const gl_name *names))                                               \
    GPU_FUNCTION(void, BeginQuery, (gl_enum target, gl_name query))                                                    \
    GPU_FUNCTION(void, EndQuery, (gl_enum target))                                                                     \
    GPU_FUNCTION(void, GetQueryObjectui64v, (gl_name query, gl_enum name, uint64_t * value))

/* ---- the pointers ---- */

/* NOLINTNEXTLINE(bugprone-macro-parentheses): types and names can't have any */
#define GPU_POINTER(result, name, parameters) result(*name) parameters;

typedef struct gpu_egl_functions
{
    GPU_EGL_REQUIRED(GPU_POINTER)
    GPU_EGL_OPTIONAL(GPU_POINTER)
} gpu_egl_functions;

typedef struct gpu_gl_functions
{
    GPU_GL_REQUIRED(GPU_POINTER)
} gpu_gl_functions;

#undef GPU_POINTER

#endif
