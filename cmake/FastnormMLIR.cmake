# Debian's LLVM/MLIR 22.1, linked statically: a tool starts in 18 ms instead of 130 and travels as one file.

find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
if(NOT "NVPTX" IN_LIST LLVM_TARGETS_TO_BUILD)
  message(FATAL_ERROR "fastnorm needs an LLVM built with the NVPTX target, but the one in ${LLVM_DIR} was built with "
    "${LLVM_TARGETS_TO_BUILD}; install Debian's llvm-22-dev")
endif()
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)
separate_arguments(fastnorm_llvm_definitions NATIVE_COMMAND ${LLVM_DEFINITIONS})
add_definitions(${fastnorm_llvm_definitions})
include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})

llvm_map_components_to_libnames(FASTNORM_LLVM_LIBS Core Support Target TargetParser MC Passes Analysis CodeGen IRReader
  BitWriter NVPTXCodeGen NVPTXDesc NVPTXInfo)

# The exported MLIR archives name the shared libraries LLVM and MLIR; a static link must not mix both.
foreach(target IN LISTS MLIR_EXPORTED_TARGETS)
  if(TARGET ${target})
    get_target_property(libraries ${target} INTERFACE_LINK_LIBRARIES)
    if(libraries)
      list(REMOVE_ITEM libraries LLVM MLIR)
      set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${libraries}")
    endif()
  endif()
endforeach()

if(FASTNORM_STATIC_SYSTEM_LIBRARIES)
  foreach(pair IN ITEMS "zstd::libzstd_shared|libzstd.a" "ZLIB::ZLIB|libz.a")
    string(REPLACE "|" ";" pair ${pair})
    list(GET pair 0 target)
    list(GET pair 1 archive)
    find_library(fastnorm_${archive} ${archive} REQUIRED)
    foreach(property IN ITEMS IMPORTED_LOCATION IMPORTED_LOCATION_RELEASE IMPORTED_LOCATION_RELWITHDEBINFO
        IMPORTED_LOCATION_NONE)
      set_target_properties(${target} PROPERTIES ${property} ${fastnorm_${archive}})
    endforeach()
  endforeach()
endif()

add_library(fastnormPrecompiledHeader OBJECT ${CMAKE_SOURCE_DIR}/cmake/precompiled.cpp)
target_precompile_headers(fastnormPrecompiledHeader PRIVATE ${CMAKE_SOURCE_DIR}/cmake/precompiled.h)

# fastnorm_compiler_library(Name SOURCES ... DEPENDS ... LINK ...): a static library fastnorm::Name on MLIR.
function(fastnorm_compiler_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS;LINK" ${ARGN})
  add_library(fastnorm${name} STATIC ${arg_SOURCES})
  add_library(fastnorm::${name} ALIAS fastnorm${name})
  target_precompile_headers(fastnorm${name} REUSE_FROM fastnormPrecompiledHeader)
  target_link_libraries(fastnorm${name} PUBLIC ${arg_LINK})
  if(arg_DEPENDS)
    add_dependencies(fastnorm${name} ${arg_DEPENDS})
  endif()
endfunction()
