# What the project takes from outside, each as a target `sinter_external_<name>`: the names that stand in
# the brackets of src/rooms.txt, and absl, which every room sees. packages.txt names the Debian packages.

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(absl CONFIG REQUIRED)

# Public headers use Status, StatusOr and Span only.
add_library(sinter_external_absl INTERFACE)
target_link_libraries(sinter_external_absl INTERFACE
  absl::flat_hash_map absl::flat_hash_set absl::inlined_vector absl::span absl::status absl::statusor
  absl::strings Threads::Threads ${CMAKE_DL_LIBS})

# Headers alone; src/base/fmt.cc compiles the rest.
find_path(SINTER_FMT_INCLUDE fmt/format-inl.h REQUIRED)
add_library(sinter_external_fmt INTERFACE)
target_include_directories(sinter_external_fmt SYSTEM INTERFACE ${SINTER_FMT_INCLUDE})

# With XXH_INLINE_ALL defined, headers alone.
find_path(SINTER_XXHASH_INCLUDE xxhash.h REQUIRED)
add_library(sinter_external_xxhash INTERFACE)
target_include_directories(sinter_external_xxhash SYSTEM INTERFACE ${SINTER_XXHASH_INCLUDE})

# Static dispatch (HWY_STATIC_DISPATCH) needs headers alone. Debian has no archive of the little code that
# dynamic dispatch calls; whoever needs that links hwy here and accepts the shared object.
find_path(SINTER_HWY_INCLUDE hwy/highway.h REQUIRED)
add_library(sinter_external_hwy INTERFACE)
target_include_directories(sinter_external_hwy SYSTEM INTERFACE ${SINTER_HWY_INCLUDE})

# Headers alone; flatc makes a header of each schema (src/CMakeLists.txt).
find_path(SINTER_FLATBUFFERS_INCLUDE flatbuffers/flatbuffers.h REQUIRED)
find_program(SINTER_FLATC flatc REQUIRED)
add_library(sinter_external_flatbuffers INTERFACE)
target_include_directories(sinter_external_flatbuffers SYSTEM INTERFACE ${SINTER_FLATBUFFERS_INCLUDE})

find_package(CLI11 CONFIG REQUIRED)
add_library(sinter_external_cli11 INTERFACE)
target_link_libraries(sinter_external_cli11 INTERFACE CLI11::CLI11)

find_package(nlohmann_json 3 CONFIG REQUIRED)
add_library(sinter_external_json INTERFACE)
target_link_libraries(sinter_external_json INTERFACE nlohmann_json::nlohmann_json)

include(${CMAKE_CURRENT_LIST_DIR}/llvm.cmake)
