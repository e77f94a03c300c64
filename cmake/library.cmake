# The library: compiled once into objects, from which come
#   carom_internal  static, every internal name visible: for tests, tool, bench and samples in this tree
#   carom           shared, only carom_* exported
#   carom_static    static for users, internal names made local

file(GLOB_RECURSE CAROM_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.c)
set(CAROM_SIMD_SOURCES ${CAROM_SOURCES})
list(FILTER CAROM_SIMD_SOURCES INCLUDE REGEX "_simd\\.c$")
list(FILTER CAROM_SOURCES EXCLUDE REGEX "_simd\\.c$")

add_library(carom_objects OBJECT ${CAROM_SOURCES})
target_include_directories(carom_objects PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
set(CAROM_OBJECTS $<TARGET_OBJECTS:carom_objects>)
if(NOT CAROM_DEFAULT_SIMD STREQUAL "auto")
  set_property(SOURCE ${PROJECT_SOURCE_DIR}/src/base/context.c APPEND PROPERTY COMPILE_DEFINITIONS
               CAROM_DEFAULT_SIMD="${CAROM_DEFAULT_SIMD}")
endif()

# A *_simd.c file is compiled once per instruction set (see src/base/simd.h).
function(carom_add_isa isa upper)
  if(CAROM_SIMD_SOURCES)
    add_library(carom_objects_${isa} OBJECT ${CAROM_SIMD_SOURCES})
    target_include_directories(carom_objects_${isa} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
    target_compile_definitions(carom_objects_${isa} PRIVATE CAROM_ISA=${isa} CAROM_ISA_${upper})
    target_compile_options(carom_objects_${isa} PRIVATE ${ARGN})
    set(CAROM_OBJECTS ${CAROM_OBJECTS} $<TARGET_OBJECTS:carom_objects_${isa}> PARENT_SCOPE)
  endif()
endfunction()
carom_add_isa(scalar SCALAR)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|i.86")
  carom_add_isa(sse2 SSE2)
  carom_add_isa(avx2 AVX2 -mavx2 -mfma)
endif()

function(carom_use_headers target)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${target} PUBLIC Threads::Threads m)
endfunction()

add_library(carom_internal STATIC ${CAROM_OBJECTS})
carom_use_headers(carom_internal)

# Instrumented objects serve the tests only; they are never packaged.
if(CAROM_SANITIZE OR CAROM_FUZZ)
  return()
endif()

add_library(carom SHARED ${CAROM_OBJECTS})
carom_use_headers(carom)
# What the library uses it must name: no symbol is left to the program that loads it.
target_link_options(carom PRIVATE LINKER:-z,defs)
set_target_properties(carom PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})

# Hidden names still clash in a plain archive: join the objects, then make the hidden names local.
set(CAROM_JOINED ${CMAKE_CURRENT_BINARY_DIR}/carom_joined.o)
add_custom_command(
  OUTPUT ${CAROM_JOINED}
  COMMAND ${CMAKE_LINKER} -r -o ${CAROM_JOINED} ${CAROM_OBJECTS}
  COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${CAROM_JOINED}
  DEPENDS ${CAROM_OBJECTS} COMMAND_EXPAND_LISTS VERBATIM
  COMMENT "Joining the objects of libcarom.a")
set_source_files_properties(${CAROM_JOINED} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
add_library(carom_static STATIC ${CAROM_JOINED})
carom_use_headers(carom_static)
set_target_properties(carom_static PROPERTIES OUTPUT_NAME carom LINKER_LANGUAGE C EXPORT_NAME static)

add_library(carom::carom ALIAS carom)
add_library(carom::static ALIAS carom_static)

# Installation: headers, both libraries, find_package(carom), pkg-config.
include(CMakePackageConfigHelpers)
set(CAROM_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/carom)
install(TARGETS carom carom_static EXPORT carom_targets)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/carom DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.h)
install(EXPORT carom_targets NAMESPACE carom:: FILE carom-targets.cmake DESTINATION ${CAROM_PACKAGE_DIR})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/carom-config.cmake.in
                              ${CMAKE_CURRENT_BINARY_DIR}/carom-config.cmake INSTALL_DESTINATION ${CAROM_PACKAGE_DIR})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/carom-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/carom-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/carom-config-version.cmake
        DESTINATION ${CAROM_PACKAGE_DIR})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The prefix is written at install time, so that `cmake --install --prefix` gives a pkg-config file that tells the truth.
configure_file(${PROJECT_SOURCE_DIR}/cmake/carom.pc.in ${CMAKE_CURRENT_BINARY_DIR}/carom.pc.in @ONLY)
install(CODE "set(CAROM_PREFIX \"\${CMAKE_INSTALL_PREFIX}\")
configure_file(\"${CMAKE_CURRENT_BINARY_DIR}/carom.pc.in\" \"${CMAKE_CURRENT_BINARY_DIR}/carom.pc\")")
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/carom.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
