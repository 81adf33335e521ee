# Makes build/test a folder that lit can run: `lit build/test`.

set(FASTNORM_LIT_SOURCE_DIR ${CMAKE_SOURCE_DIR})
set(FASTNORM_LIT_BINARY_DIR ${CMAKE_BINARY_DIR})
set(FASTNORM_LIT_LLVM_TOOLS_DIR ${LLVM_TOOLS_BINARY_DIR})
if(NOT FASTNORM_LIT_LLVM_TOOLS_DIR)
  set(FASTNORM_LIT_LLVM_TOOLS_DIR /usr/lib/llvm-22/bin)
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/lit.site.cfg.py.in ${CMAKE_BINARY_DIR}/test/lit.site.cfg.py @ONLY)
