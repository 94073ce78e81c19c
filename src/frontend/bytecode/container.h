// The sections of MLIR bytecode, and where what they have begins and ends. Source: MLIR's "MLIR
// Bytecode Format", versions 0 to 6.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "frontend/bytecode/source.h"

namespace sinter::stablehlo {

// Versions that brought what a reader must know.
inline constexpr uint64_t kDialectVersions = 1, kLazySections = 2, kUseListOrders = 3,
                          kElidedLocations = 4, kNativeProperties = 5, kSegmentsApart = 6,
                          kNewestBytecode = 6;

struct Container {
  struct Operation {
    std::string name;  // with its dialect: "stablehlo.add"
    bool registered = true;
  };
  // An attribute or a type: in an encoding of its dialect, or else as MLIR's text.
  struct Entry {
    std::string_view dialect;
    bool encoded = false;
    std::string_view bytes;
  };
  struct Resource {
    enum Kind : uint8_t { kBlob, kBool, kString };
    std::string_view key;
    uint8_t kind = kBlob;
    std::string_view bytes;  // none: stated elsewhere
  };

  uint64_t version = 0;
  std::string_view producer;
  std::vector<std::string_view> strings, dialects;
  std::vector<Operation> operations;
  std::vector<Entry> attributes, types;
  std::vector<Resource> resources;  // of dialects
  std::vector<std::string_view> properties;
  std::string_view ir;
};

// InvalidArgument for what is no bytecode, Unimplemented for versions past the newest known.
absl::StatusOr<Container> ReadContainer(const BytecodeSource& source);

}  // namespace sinter::stablehlo
