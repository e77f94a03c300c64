/* The part of OpenCL 1.2 that is used, declared here so that no headers and no library are needed to build. Names and
 * values are the standard's. */
#ifndef COMPUTE_CL_H
#define COMPUTE_CL_H

#include <stddef.h>
#include <stdint.h>

typedef struct cl_object *cl_handle; /* cl_platform_id, cl_device_id, cl_context and so on */

enum
{
    CL_SUCCESS = 0,
    CL_DEVICE_NOT_FOUND = -1,
    CL_DEVICE_NOT_AVAILABLE = -2,
    CL_MEM_OBJECT_ALLOCATION_FAILURE = -4,
    CL_OUT_OF_RESOURCES = -5,
    CL_OUT_OF_HOST_MEMORY = -6,
    CL_BUILD_PROGRAM_FAILURE = -11,
    CL_INVALID_CONTEXT = -34,
    CL_INVALID_COMMAND_QUEUE = -36,
    CL_PLATFORM_NOT_FOUND_KHR = -1001,

    CL_PLATFORM_VERSION = 0x0901,
    CL_PLATFORM_NAME = 0x0902,

    CL_DEVICE_TYPE_INFO = 0x1000, /* CL_DEVICE_TYPE */
    CL_DEVICE_MAX_COMPUTE_UNITS = 0x1002,
    CL_DEVICE_MAX_WORK_GROUP_SIZE = 0x1004,
    CL_DEVICE_MAX_MEM_ALLOC_SIZE = 0x1010,
    CL_DEVICE_SINGLE_FP_CONFIG = 0x101b,
    CL_DEVICE_LOCAL_MEM_SIZE = 0x1023,
    CL_DEVICE_ENDIAN_LITTLE = 0x1026,
    CL_DEVICE_AVAILABLE = 0x1027,
    CL_DEVICE_COMPILER_AVAILABLE = 0x1028,
    CL_DEVICE_NAME = 0x102b,
    CL_DEVICE_VERSION = 0x102f,
    CL_DEVICE_DOUBLE_FP_CONFIG = 0x1032,

    CL_FP_ROUND_TO_NEAREST = 1 << 2,
    CL_DEVICE_TYPE_CPU = 1 << 1,
    CL_MEM_READ_WRITE = 1 << 0,
    CL_PROGRAM_BUILD_LOG = 0x1183
};
#define CL_DEVICE_TYPE_ALL 0xffffffffu

/* All are in 1.2, and in everything after. */
#define COMPUTE_CL_FUNCTIONS(FUNCTION)                                                                                 \
    FUNCTION(int, GetPlatformIDs, (uint32_t room, cl_handle * out, uint32_t * count))                                  \
    FUNCTION(int, GetPlatformInfo, (cl_handle platform, uint32_t name, size_t size, void *out, size_t *needed))        \
    FUNCTION(int, GetDeviceIDs, (cl_handle platform, uint64_t type, uint32_t room, cl_handle * out, uint32_t * count)) \
    FUNCTION(int, GetDeviceInfo, (cl_handle device, uint32_t name, size_t size, void *out, size_t *needed))            \
    FUNCTION(cl_handle, CreateContext,                                                                                 \
             (const intptr_t *properties, uint32_t count, const cl_handle *devices, void (*notify)(void), void *user,  \
              int *error))                                                                                             \
    FUNCTION(int, ReleaseContext, (cl_handle context))                                                                 \
    FUNCTION(cl_handle, CreateCommandQueue, (cl_handle context, cl_handle device, uint64_t properties, int *error))    \
    FUNCTION(int, ReleaseCommandQueue, (cl_handle queue))                                                              \
    FUNCTION(cl_handle, CreateBuffer, (cl_handle context, uint64_t flags, size_t size, void *host, int *error))        \
    FUNCTION(int, ReleaseMemObject, (cl_handle memory))                                                                \
    FUNCTION(int, EnqueueWriteBuffer,                                                                                  \
             (cl_handle queue, cl_handle memory, uint32_t blocking, size_t offset, size_t size, const void *data,      \
              uint32_t waits, const cl_handle *events, cl_handle *event))                                              \
    FUNCTION(int, EnqueueReadBuffer,                                                                                   \
             (cl_handle queue, cl_handle memory, uint32_t blocking, size_t offset, size_t size, void *data,            \
              uint32_t waits, const cl_handle *events, cl_handle *event))                                              \
    FUNCTION(cl_handle, CreateProgramWithSource,                                                                       \
             (cl_handle context, uint32_t count, const char **texts, const size_t *lengths, int *error))               \
    FUNCTION(int, BuildProgram,                                                                                        \
             (cl_handle program, uint32_t count, const cl_handle *devices, const char *options, void (*notify)(void),  \
              void *user))                                                                                             \
    FUNCTION(int, GetProgramBuildInfo,                                                                                 \
             (cl_handle program, cl_handle device, uint32_t name, size_t size, void *out, size_t *needed))             \
    FUNCTION(int, ReleaseProgram, (cl_handle program))                                                                 \
    FUNCTION(cl_handle, CreateKernel, (cl_handle program, const char *name, int *error))                               \
    FUNCTION(int, ReleaseKernel, (cl_handle kernel))                                                                   \
    FUNCTION(int, SetKernelArg, (cl_handle kernel, uint32_t index, size_t size, const void *value))                    \
    FUNCTION(int, EnqueueNDRangeKernel,                                                                                \
             (cl_handle queue, cl_handle kernel, uint32_t dimensions, const size_t *offset, const size_t *items,       \
              const size_t *group, uint32_t waits, const cl_handle *events, cl_handle *event))                         \
    FUNCTION(int, Finish, (cl_handle queue))

/* NOLINTNEXTLINE(bugprone-macro-parentheses): types and names can't have any */
#define COMPUTE_CL_POINTER(result, name, parameters) result(*name) parameters;

typedef struct compute_cl_functions
{
    COMPUTE_CL_FUNCTIONS(COMPUTE_CL_POINTER)
} compute_cl_functions;

#undef COMPUTE_CL_POINTER

#endif
