# The libraries: compiled once into objects, from which come
#   carom            shared, only carom_* exported
#   carom_static     static for users, internal names made local
#   carom_internal   static, every internal name visible: for tests, tool, bench and samples in this tree
# and the same three of the readers and writers in io/, which export io_*:
#   carom_io, carom_io_static, carom_io_internal

file(GLOB_RECURSE CAROM_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.c)
file(GLOB CAROM_IO_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/io/*.c)
set(CAROM_SIMD_SOURCES ${CAROM_SOURCES})
list(FILTER CAROM_SIMD_SOURCES INCLUDE REGEX "_simd\\.c$")
list(FILTER CAROM_SOURCES EXCLUDE REGEX "_simd\\.c$")
set(CAROM_EXACT_SOURCES ${CAROM_SOURCES})
list(FILTER CAROM_EXACT_SOURCES INCLUDE REGEX "/src/math/exact[a-z_]*\\.c$")
# Distances have a kernel per instruction set, and io needs none of them.
list(FILTER CAROM_EXACT_SOURCES EXCLUDE REGEX "/exact_(distance|round)\\.c$")
list(REMOVE_ITEM CAROM_SOURCES ${CAROM_EXACT_SOURCES})
if(NOT CAROM_DEFAULT_SIMD STREQUAL "auto")
  set_property(SOURCE ${PROJECT_SOURCE_DIR}/src/base/context.c APPEND PROPERTY COMPILE_DEFINITIONS
               CAROM_DEFAULT_SIMD="${CAROM_DEFAULT_SIMD}")
endif()

# carom_add_objects(TARGET SOURCE...)
function(carom_add_objects target)
  add_library(${target} OBJECT ${ARGN})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src
                                               ${PROJECT_SOURCE_DIR})
  carom_set_options(${target})
endfunction()

# Shaders are files of their own below src/, embedded in the library.
file(GLOB_RECURSE CAROM_SHADERS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.glsl)
function(carom_embed_texts output table header)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DTABLE=${table} -DHEADER=${header} "-DFILES=${ARGN}"
            -P ${PROJECT_SOURCE_DIR}/cmake/embed_texts.cmake
    DEPENDS ${ARGN} ${PROJECT_SOURCE_DIR}/cmake/embed_texts.cmake VERBATIM
    COMMENT "Embedding the texts of ${table}")
endfunction()
set(CAROM_SHADERS_SOURCE ${CMAKE_CURRENT_BINARY_DIR}/shaders.c)
carom_embed_texts(${CAROM_SHADERS_SOURCE} gpu_source gpu/device.h ${CAROM_SHADERS})

# So are kernels, which are also compiled as C where a source includes them.
file(GLOB_RECURSE CAROM_KERNELS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.kernel)
set(CAROM_KERNELS_SOURCE ${CMAKE_CURRENT_BINARY_DIR}/kernels.c)
carom_embed_texts(${CAROM_KERNELS_SOURCE} compute_source compute/device.h ${CAROM_KERNELS})
carom_add_objects(carom_objects ${CAROM_SOURCES} ${CAROM_SHADERS_SOURCE} ${CAROM_KERNELS_SOURCE})
carom_add_objects(carom_exact_objects ${CAROM_EXACT_SOURCES})
set(CAROM_OBJECTS $<TARGET_OBJECTS:carom_objects> $<TARGET_OBJECTS:carom_exact_objects>)

# What these files store as single words and load again soon must not be loaded in pairs: a processor can't forward two
# stores to one load, and a ray takes little more than 0.1 us.
set_property(SOURCE ${PROJECT_SOURCE_DIR}/src/query/ray.c ${PROJECT_SOURCE_DIR}/src/tree/rays_cast.c
             ${PROJECT_SOURCE_DIR}/src/tree/rays_simd.c ${PROJECT_SOURCE_DIR}/src/narrow/ray_simd.c APPEND PROPERTY COMPILE_OPTIONS -fno-tree-slp-vectorize)

# A *_simd.c file is compiled once per instruction set (see src/base/simd.h). Without the alignment the speed of a kernel
# would vary by up to 3 % with what happens to be linked before it.
function(carom_add_isa isa upper)
  carom_add_objects(carom_objects_${isa} ${CAROM_SIMD_SOURCES})
  target_compile_definitions(carom_objects_${isa} PRIVATE CAROM_ISA=${isa} CAROM_ISA_${upper})
  target_compile_options(carom_objects_${isa} PRIVATE -falign-functions=64 ${ARGN})
  set(CAROM_OBJECTS ${CAROM_OBJECTS} $<TARGET_OBJECTS:carom_objects_${isa}> PARENT_SCOPE)
endfunction()
carom_add_isa(scalar SCALAR ${CAROM_SCALAR_OPTIONS})
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|i.86")
  carom_add_isa(sse2 SSE2)
  carom_add_isa(avx2 AVX2 -mavx2 -mfma)
endif()

# Of what is inside libcarom, io uses the exact predicates (concave polygons). They are pure functions, so libcarom_io
# holds a copy of them, hidden like everything but io_*. Whatever reads or changes a context goes through carom/extend.h
# and so is the installed libcarom's own code: a second copy of that would have to agree with it on every field of a
# context, and would have its own thread-local variables.
carom_add_objects(carom_io_objects ${CAROM_IO_SOURCES})
set(CAROM_IO_OBJECTS $<TARGET_OBJECTS:carom_io_objects> $<TARGET_OBJECTS:carom_exact_objects>)

function(carom_use_headers target)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endfunction()

# Graphics drivers are opened at run time; in old C libraries the functions for that are in a part called libdl.
add_library(carom_internal STATIC EXCLUDE_FROM_ALL ${CAROM_OBJECTS})
carom_use_headers(carom_internal)
target_link_libraries(carom_internal PUBLIC Threads::Threads m ${CMAKE_DL_LIBS})
add_library(carom_io_internal STATIC EXCLUDE_FROM_ALL $<TARGET_OBJECTS:carom_io_objects>)
target_link_libraries(carom_io_internal PUBLIC carom_internal)

# Instrumented objects serve the tests only; they are never packaged.
if(CAROM_SANITIZE OR CAROM_FUZZ)
  return()
endif()

# Before 1.0 a new minor version may change structs: the loader must not confuse them.
set(CAROM_SOVERSION ${PROJECT_VERSION_MAJOR})
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(CAROM_SOVERSION 0.${PROJECT_VERSION_MINOR})
endif()

# carom_add_shared(TARGET OBJECT...)
function(carom_add_shared target)
  add_library(${target} SHARED ${ARGN})
  carom_use_headers(${target})
  # A library must link whatever it uses: no symbol is left to the program that loads it.
  target_link_options(${target} PRIVATE LINKER:-z,defs)
  set_target_properties(${target} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${CAROM_SOVERSION})
endfunction()

# carom_add_static(TARGET OBJECT...)
# Hidden names still clash in a plain archive: join the objects, then make the hidden names local.
function(carom_add_static target)
  set(joined ${CMAKE_CURRENT_BINARY_DIR}/${target}_joined.o)
  add_custom_command(
    OUTPUT ${joined}
    COMMAND ${CMAKE_LINKER} -r -o ${joined} ${ARGN}
    COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${joined}
    DEPENDS ${ARGN} COMMAND_EXPAND_LISTS VERBATIM
    COMMENT "Joining the objects of ${target}")
  set_source_files_properties(${joined} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  add_library(${target} STATIC ${joined})
  carom_use_headers(${target})
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C)
endfunction()

carom_add_shared(carom ${CAROM_OBJECTS})
target_link_libraries(carom PUBLIC Threads::Threads m ${CMAKE_DL_LIBS})
carom_add_static(carom_static ${CAROM_OBJECTS})
target_link_libraries(carom_static PUBLIC Threads::Threads m ${CMAKE_DL_LIBS})
set_target_properties(carom_static PROPERTIES OUTPUT_NAME carom EXPORT_NAME static)

carom_add_shared(carom_io ${CAROM_IO_OBJECTS})
target_link_libraries(carom_io PUBLIC carom)
# The two are in the same folder wherever they are installed or moved to.
set_target_properties(carom_io PROPERTIES EXPORT_NAME io INSTALL_RPATH "\$ORIGIN")
carom_add_static(carom_io_static ${CAROM_IO_OBJECTS})
target_link_libraries(carom_io_static PUBLIC carom_static)
set_target_properties(carom_io_static PROPERTIES OUTPUT_NAME carom_io EXPORT_NAME io_static)

add_library(carom::carom ALIAS carom)
add_library(carom::static ALIAS carom_static)
add_library(carom::io ALIAS carom_io)
add_library(carom::io_static ALIAS carom_io_static)
