# Precompiled headers: what most files include, parsed once. They save half of a build's time. With them a
# file compiles that forgets an include of its own, so that the preset `dev` leaves them out.

option(SINTER_PRECOMPILE "Precompile the headers that most files include" ${SINTER_IS_TOP_LEVEL})

# sinter_precompiled(name header...): a target whose precompiled headers sinter_precompile(target name) takes.
function(sinter_precompiled name)
  if(NOT SINTER_PRECOMPILE)
    return()
  endif()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/precompiled/${name}.cc)
  file(CONFIGURE OUTPUT ${source} CONTENT "namespace sinter {}\n")
  add_library(sinter_precompiled_${name} OBJECT ${source})
  target_link_libraries(sinter_precompiled_${name} PRIVATE sinter_options sinter_external_absl sinter_external_fmt)
  target_include_directories(sinter_precompiled_${name} PRIVATE
    ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_precompile_headers(sinter_precompiled_${name} PRIVATE ${ARGN})
  set_target_properties(sinter_precompiled_${name} PROPERTIES UNITY_BUILD OFF)
  # gcc knows a header with `#pragma once` again by its bytes. Precompiled headers of another checkout whose
  # comments differ would have it read twice, so that ccache must hash the comments too.
  if(SINTER_CCACHE AND CMAKE_CXX_COMPILER_LAUNCHER)
    set_target_properties(sinter_precompiled_${name} PROPERTIES
      CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND};-E;env;CCACHE_COMMENTS=1;${CMAKE_CXX_COMPILER_LAUNCHER}")
  endif()
endfunction()

# gcc's preprocessed text, which ccache hashes, then names the precompiled headers. Not where these are
# made: the text would name the old ones, and ccache would take new ones from another folder for them.
if(SINTER_PRECOMPILE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(sinter_options INTERFACE
    $<$<NOT:$<STREQUAL:$<TARGET_PROPERTY:TYPE>,OBJECT_LIBRARY>>:-fpch-preprocess>)
endif()

function(sinter_precompile target name)
  if(SINTER_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM sinter_precompiled_${name})
  endif()
endfunction()

set(SINTER_COMMON_HEADERS
  <algorithm> <bit> <charconv> <cmath> <cstdint> <cstring> <functional> <limits> <map> <memory> <mutex> <numeric>
  <optional> <string> <string_view> <utility> <variant> <vector> <fmt/core.h>
  <absl/algorithm/container.h> <absl/container/flat_hash_map.h> <absl/container/flat_hash_set.h>
  <absl/status/status.h> <absl/status/statusor.h> <absl/types/span.h>)
sinter_precompiled(common ${SINTER_COMMON_HEADERS})
# For rooms that see the graph.
sinter_precompiled(graph ${SINTER_COMMON_HEADERS}
  ${PROJECT_SOURCE_DIR}/src/base/status.h ${PROJECT_SOURCE_DIR}/src/ir/module.h)
