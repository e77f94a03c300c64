# Everything outside the library: scenes, the tool, benchmarks, samples, long-running checks.

file(GLOB CAROM_SCENES_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/scenes/*.c)
add_library(carom_scenes STATIC EXCLUDE_FROM_ALL ${CAROM_SCENES_SOURCES})
carom_set_options(carom_scenes)
target_include_directories(carom_scenes PUBLIC ${PROJECT_SOURCE_DIR})
target_link_libraries(carom_scenes PUBLIC carom_internal)

# carom_link_all(TARGET): a program of ours, on everything in the tree.
function(carom_link_all target)
  carom_set_options(${target})
  target_link_libraries(${target} PRIVATE carom_scenes carom_io_internal carom_internal)
endfunction()

# carom_add_program(NAME FOLDER): one program of all FOLDER/*.c that may look inside the library.
function(carom_add_program name folder)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.c)
  add_executable(${name} ${sources})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/test)
  carom_link_all(${name})
endfunction()

# The tool needs jansson and libpng. Unless it is requested, they are looked for only in a build of Carom itself, and
# without them the tool is left out.
function(carom_add_tool)
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(JANSSON QUIET IMPORTED_TARGET jansson)
  endif()
  find_package(PNG QUIET)
  set(missing "")
  if(NOT TARGET PkgConfig::JANSSON)
    list(APPEND missing jansson)
  endif()
  if(NOT TARGET PNG::PNG)
    list(APPEND missing libpng)
  endif()
  if(missing)
    list(JOIN missing " and " missing)
    if(CAROM_TOOL STREQUAL "AUTO")
      message(STATUS "The carom tool is left out: ${missing} not found (scripts/setup build installs what it needs)")
      return()
    endif()
    message(FATAL_ERROR "CAROM_TOOL=${CAROM_TOOL}, but ${missing} not found (scripts/setup build installs what it needs)")
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tool/*.c)
  add_executable(carom_tool ${sources})
  set_target_properties(carom_tool PROPERTIES OUTPUT_NAME carom)
  carom_link_all(carom_tool)
  target_link_libraries(carom_tool PRIVATE PkgConfig::JANSSON PNG::PNG)
  # The tool prints its manual and the completion of shells from its own tables; it must run on this machine for that.
  if(NOT CMAKE_CROSSCOMPILING)
    set(pages ${PROJECT_BINARY_DIR}/pages)
    set(CAROM_TOOL_PAGES ${pages}/carom.1 ${pages}/carom ${pages}/_carom ${pages}/carom.fish)
    add_custom_command(OUTPUT ${CAROM_TOOL_PAGES} DEPENDS carom_tool VERBATIM
                       COMMAND ${CMAKE_COMMAND} -E make_directory ${pages}
                       COMMAND carom_tool man > ${pages}/carom.1
                       COMMAND carom_tool completion bash > ${pages}/carom
                       COMMAND carom_tool completion zsh > ${pages}/_carom
                       COMMAND carom_tool completion fish > ${pages}/carom.fish
                       COMMENT "Printing the manual and the completion of shells")
    add_custom_target(carom_pages ALL DEPENDS ${CAROM_TOOL_PAGES})
  endif()
endfunction()
if(CAROM_TOOL STREQUAL "AUTO")
  if(PROJECT_IS_TOP_LEVEL AND NOT CAROM_FUZZ)
    carom_add_tool()
  endif()
elseif(CAROM_TOOL)
  carom_add_tool()
endif()

# Everything below is for work on Carom itself.
if(NOT PROJECT_IS_TOP_LEVEL AND NOT CAROM_TESTS)
  return()
endif()

# What `make` builds and `make install` installs.
if(TARGET carom)
  add_custom_target(ship)
  add_dependencies(ship carom carom_static carom_io carom_io_static)
  if(TARGET carom_tool)
    add_dependencies(ship carom_tool)
  endif()
  if(TARGET carom_pages)
    add_dependencies(ship carom_pages)
  endif()
endif()

# The same program on every compiler, optimisation and instruction set must print the same (scripts/determinism).
carom_add_program(carom_golden test/golden)

if(CAROM_TESTS)
  enable_testing()
  carom_add_program(carom_bench bench)
  # Two revisions in one process: scripts/bench_against compiles adapter.c against each. Here it is only checked.
  add_executable(carom_against bench/against/driver.c bench/against/workload.c bench/machine.c)
  carom_link_all(carom_against)
  target_link_libraries(carom_against PRIVATE ${CMAKE_DL_LIBS})
  add_library(carom_against_adapter OBJECT bench/against/adapter.c)
  carom_link_all(carom_against_adapter)
  carom_add_program(carom_soak test/soak)

  # Samples are written against the public headers alone, each a program and a test.
  file(GLOB CAROM_SAMPLES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/samples/*.c)
  foreach(source ${CAROM_SAMPLES})
    get_filename_component(name ${source} NAME_WE)
    add_executable(sample_${name} ${source})
    carom_link_all(sample_${name})
    add_test(NAME sample_${name} COMMAND sample_${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(sample_${name} PROPERTIES TIMEOUT 120)
  endforeach()
endif()

if(CAROM_BENCH_PEERS)
  enable_language(CXX)
  set(CMAKE_CXX_STANDARD 17)
  set(CMAKE_CXX_STANDARD_REQUIRED ON)
  string(REPLACE "-DNDEBUG" "" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
  add_subdirectory(${PROJECT_SOURCE_DIR}/bench/peers)
  add_subdirectory(${PROJECT_SOURCE_DIR}/bench/nef)
endif()

# fuzz/*.c: a file with LLVMFuzzerTestOneInput is a program, the others belong to all of them. With CAROM_FUZZ they are
# libFuzzer's; otherwise fuzz/replay runs the seeds as a test.
file(GLOB CAROM_FUZZ_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/fuzz/*.c)
set(CAROM_FUZZ_COMMON "")
set(CAROM_FUZZ_ENTRIES "")
foreach(source ${CAROM_FUZZ_SOURCES})
  file(STRINGS ${source} entry REGEX "LLVMFuzzerTestOneInput\\(")
  if(entry)
    list(APPEND CAROM_FUZZ_ENTRIES ${source})
  else()
    list(APPEND CAROM_FUZZ_COMMON ${source})
  endif()
endforeach()
if(NOT CAROM_FUZZ)
  list(APPEND CAROM_FUZZ_COMMON ${PROJECT_SOURCE_DIR}/fuzz/replay/replay.c)
endif()
if(CAROM_FUZZ OR CAROM_TESTS)
  foreach(source ${CAROM_FUZZ_ENTRIES})
    get_filename_component(subject ${source} NAME_WE)
    string(REGEX REPLACE "^fuzz_" "" subject ${subject})
    add_executable(fuzz_${subject} ${source} ${CAROM_FUZZ_COMMON})
    target_include_directories(fuzz_${subject} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/test)
    carom_link_all(fuzz_${subject})
    if(CAROM_FUZZ)
      target_link_options(fuzz_${subject} PRIVATE -fsanitize=fuzzer)
    else()
      add_test(NAME fuzz_${subject} COMMAND fuzz_${subject} ${PROJECT_SOURCE_DIR}/fuzz/corpus/${subject}
               WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
      set_tests_properties(fuzz_${subject} PROPERTIES TIMEOUT 300)
    endif()
  endforeach()
endif()
