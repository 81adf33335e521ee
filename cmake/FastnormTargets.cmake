# How every target of the project is compiled and linked, and the two functions that declare them.

add_compile_options(-fPIC -ffunction-sections -fdata-sections -Wall -Wextra -Wno-unused-parameter
  $<$<COMPILE_LANGUAGE:CXX>:-fvisibility-inlines-hidden>)
add_link_options(-Wl,--gc-sections -Wl,--as-needed)
if(FASTNORM_STATIC_SYSTEM_LIBRARIES)
  add_link_options(-static-libstdc++ -static-libgcc -Wl,-s)
endif()
if(FASTNORM_SANITIZE)
  add_compile_options(-fsanitize=${FASTNORM_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${FASTNORM_SANITIZE})
endif()
# ccache where there is one. With clang it needs two things to keep hits on files that use the precompiled header: a
# header without a time stamp in it, and leave to overlook what only a time stamp or a macro like __TIME__ would change.
find_program(FASTNORM_CCACHE ccache)
if(FASTNORM_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${FASTNORM_CCACHE})
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
  else()
    set(CMAKE_CXX_COMPILER_LAUNCHER ${FASTNORM_CCACHE})
  endif()
endif()

find_package(Threads REQUIRED)

# fastnorm_library(Name SOURCES ... LINK ...): a static library fastnorm::Name without MLIR.
function(fastnorm_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  add_library(fastnorm${name} STATIC ${arg_SOURCES})
  add_library(fastnorm::${name} ALIAS fastnorm${name})
  target_link_libraries(fastnorm${name} PUBLIC ${arg_LINK})
endfunction()

# What the static C++ library takes of a new glibc, for programs and libraries that travel.
add_library(fastnormOlderGlibc OBJECT ${CMAKE_SOURCE_DIR}/cmake/OlderGlibc.c)

function(fastnorm_runs_on_older_glibc target)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:fastnormOlderGlibc>)
endfunction()
