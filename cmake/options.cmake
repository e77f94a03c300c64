# How Carom's own code is compiled. Everything here is set on targets, never on a directory: a project that adds Carom
# with add_subdirectory keeps its own flags and sees none of these.

# carom_set_options(TARGET...)
function(carom_set_options)
  foreach(target ${ARGN})
    # No fast-math, nothing fused implicitly: the answers depend on it.
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -ffp-contract=off)
    target_compile_definitions(${target} PRIVATE $<$<COMPILE_LANGUAGE:C>:_POSIX_C_SOURCE=200809L>)
    if(CAROM_WERROR)
      target_compile_options(${target} PRIVATE -Werror)
    endif()
    if(CAROM_SANITIZE)
      target_compile_options(${target} PRIVATE -fsanitize=${CAROM_SANITIZE} -fno-sanitize-recover=all
                                               -fno-omit-frame-pointer)
      target_link_options(${target} PRIVATE -fsanitize=${CAROM_SANITIZE})
      # gcc 12.2 misjudges an array's size once its reads are instrumented.
      if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CAROM_SANITIZE STREQUAL "thread")
        target_compile_options(${target} PRIVATE -Wno-stringop-overread)
      endif()
    endif()
    if(CAROM_FUZZ)
      target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
    endif()
  endforeach()
endfunction()

# For the scalar versions of the kernels. gcc guards every lane of every vector that their operations pass by value, and
# reserves a place on the stack for each: inlined, that takes it minutes per file. As calls they keep all checks and
# compile in seconds.
set(CAROM_SCALAR_OPTIONS "")
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CAROM_SANITIZE MATCHES "address")
  set(CAROM_SCALAR_OPTIONS -fno-inline)
endif()
