# LLVM 22: `sinter_external_llvm`, from the archives of LLVM's own CMake package, or, with
# SINTER_LLVM_SHARED, from the shared object that Debian makes of all of LLVM (seconds to link, not to ship).

find_package(LLVM 22.1 REQUIRED CONFIG PATHS /usr/lib/llvm-22)
message(STATUS "LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_INSTALL_PREFIX}")

# Sorted. What is not called is not linked, so that a component too many costs nothing.
set(SINTER_LLVM_COMPONENTS
  analysis
  core
  instcombine
  mc
  object
  orcjit
  scalaropts
  support
  target
  targetparser
  transformutils
  x86asmparser
  x86codegen
  x86desc
  x86info)
if(SINTER_CUDA)
  list(APPEND SINTER_LLVM_COMPONENTS nvptxcodegen nvptxdesc nvptxinfo)
endif()

add_library(sinter_external_llvm INTERFACE)
target_include_directories(sinter_external_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
# Without what C++20, g++ and libstdc++ define anyway: precompiled headers are for files with equal definitions.
separate_arguments(_llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
list(REMOVE_ITEM _llvm_definitions -D_GNU_SOURCE -D_GLIBCXX_USE_CXX11_ABI=1 -D__STDC_CONSTANT_MACROS
  -D__STDC_FORMAT_MACROS -D__STDC_LIMIT_MACROS)
target_compile_options(sinter_external_llvm INTERFACE ${_llvm_definitions})

if(SINTER_LLVM_SHARED)
  set(_llvm_roots LLVM)
else()
  llvm_map_components_to_libnames(_llvm_roots ${SINTER_LLVM_COMPONENTS})
endif()
target_link_libraries(sinter_external_llvm INTERFACE ${_llvm_roots})

# For whoever links our installed archive: the same libraries as plain link items, in link order, so that
# they need not run LLVM's CMake package (which wants C enabled, and more). A library stands before those it
# depends on.
function(_sinter_llvm_walk target)
  get_property(seen GLOBAL PROPERTY SINTER_LLVM_SEEN)
  if(target IN_LIST seen)
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY SINTER_LLVM_SEEN ${target})
  get_target_property(dependencies ${target} INTERFACE_LINK_LIBRARIES)
  if(dependencies)
    foreach(dependency IN LISTS dependencies)
      # An archive's private dependencies are link items too.
      string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" dependency "${dependency}")
      if(dependency MATCHES "^LLVM" AND TARGET ${dependency})
        _sinter_llvm_walk(${dependency})
      elseif(dependency STREQUAL "ZLIB::ZLIB")
        set_property(GLOBAL APPEND PROPERTY SINTER_LLVM_SYSTEM -lz)
      elseif(dependency MATCHES "^zstd::")
        set_property(GLOBAL APPEND PROPERTY SINTER_LLVM_SYSTEM -lzstd)
      elseif(dependency STREQUAL "LibXml2::LibXml2")
        set_property(GLOBAL APPEND PROPERTY SINTER_LLVM_SYSTEM -lxml2)
      elseif(dependency MATCHES "::")
        message(FATAL_ERROR "third_party/llvm.cmake: ${target} needs ${dependency}, which is not known")
      elseif(dependency MATCHES "^[-/]")
        set_property(GLOBAL APPEND PROPERTY SINTER_LLVM_SYSTEM ${dependency})
      else()
        set_property(GLOBAL APPEND PROPERTY SINTER_LLVM_SYSTEM -l${dependency})
      endif()
    endforeach()
  endif()
  set_property(GLOBAL APPEND PROPERTY SINTER_LLVM_ORDER ${target})
endfunction()

foreach(_root IN LISTS _llvm_roots)
  _sinter_llvm_walk(${_root})
endforeach()
get_property(_order GLOBAL PROPERTY SINTER_LLVM_ORDER)
get_property(_system GLOBAL PROPERTY SINTER_LLVM_SYSTEM)
list(REVERSE _order)
list(REMOVE_DUPLICATES _system)
set(SINTER_LLVM_LIBRARY_DIR ${LLVM_LIBRARY_DIR})
set(SINTER_LLVM_LIBRARIES ${_order})
set(SINTER_LLVM_SYSTEM_LIBRARIES ${_system})
