# How our own targets are compiled and linked: everything links `sinter_options`.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/lib)
set(THREADS_PREFER_PTHREAD_FLAG ON)

if(SINTER_IS_TOP_LEVEL)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
  endif()

  # Paths are hashed relative to the source, so that several checkouts share one cache.
  find_program(SINTER_CCACHE ccache)
  if(SINTER_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER
        ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
        CCACHE_SLOPPINESS=pch_defines,time_macros ${SINTER_CCACHE})
  endif()

  # gcc knows `-fuse-ld=lld` but looks for the plain name `ld.lld`, which on Debian is another LLVM's, if
  # any; -B makes it look among LLVM 22's programs first.
  find_program(SINTER_LLD ld.lld PATHS /usr/lib/llvm-22/bin NO_DEFAULT_PATH)
  if(SINTER_LLD)
    get_filename_component(_lld_dir ${SINTER_LLD} DIRECTORY)
    # lld tells the unwinder of one function an address, the first that it reads. LLVM has functions without
    # code (which must not be called): they would hide those that begin where they stand, and an exception
    # that passes through such a one would end the process. In reverse order they stand before functions
    # that are read earlier.
    add_link_options(-B${_lld_dir} -fuse-ld=lld "-Wl,--shuffle-sections=.text*=-1")
  endif()
  add_link_options(-Wl,--as-needed)
endif()

add_library(sinter_options INTERFACE)
target_compile_options(sinter_options INTERFACE
  -Wall -Wextra -Wcast-qual -Wextra-semi -Wmissing-declarations -Wnon-virtual-dtor
  -Woverloaded-virtual -Wshadow=local -Wsuggest-override -Wundef -Wvla
  # Designated initialisers leave out what has a default.
  -Wno-missing-field-initializers
  # a * b + c rounds twice wherever it is written so: interpreters are compared bit by bit.
  -ffp-contract=off
  # No path of the building machine in messages (__FILE__).
  -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=
  -ffunction-sections -fdata-sections)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False positives of gcc 12: in std::string (gcc bug 105651), and where absl::InlinedVector is moved, of
  # which the unused inline storage is indeed not initialised.
  target_compile_options(sinter_options INTERFACE -Wno-restrict -Wno-maybe-uninitialized)
  if(CMAKE_UNITY_BUILD)
    # And of the bounds of absl::InlinedVector, where functions of several files are inlined into each other.
    target_compile_options(sinter_options INTERFACE -Wno-array-bounds)
  endif()
endif()
if(SINTER_WERROR)
  target_compile_options(sinter_options INTERFACE -Werror)
endif()
target_compile_definitions(sinter_options INTERFACE
  SINTER_ASSERTIONS=$<BOOL:${SINTER_ASSERTIONS}>
  $<$<BOOL:${SINTER_ASSERTIONS}>:_GLIBCXX_ASSERTIONS>)
target_link_options(sinter_options INTERFACE -Wl,--gc-sections)

# Highway compiles such a file several times, once for each instruction set (src/base/vector_targets.h):
# in a unity build alone. Called where the target of the sources is added.
function(sinter_compile_vectors_alone sources)
  list(FILTER sources INCLUDE REGEX "_vectors(_test)?\\.cc$")
  set_source_files_properties(${sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
