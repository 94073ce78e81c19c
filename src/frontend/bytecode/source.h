// MLIR bytecode being read.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/stablehlo/ast.h"
#include "frontend/stablehlo/source.h"

namespace sinter::stablehlo {

class BytecodeSource final : public Source {
 public:
  // The bytes begin at `offset` of the file.
  BytecodeSource(std::string_view bytes, std::string_view filename, size_t offset = 0)
      : Source(filename), bytes_(bytes), offset_(offset) {}

  std::string_view bytes() const { return bytes_; }
  const char* begin() const override { return bytes_.data(); }
  // There are no lines.
  int64_t LineOf(const char*) const override { return 0; }
  // "FILE: byte 120: what", and of operations that come from a file
  // "FILE: byte 120 (model.py:12): what".
  absl::Status Error(absl::StatusCode code, const char* at,
                     std::string_view message) const override;

  // The program whose locations operations have; it must outlive the errors.
  void SetProgram(const Program* program) { program_ = program; }
  // Operations are added in their order in the file.
  void AddOperation(const char* at, LocationId location) { operations_.emplace_back(at, location); }

 private:
  std::string_view bytes_;
  size_t offset_;
  const Program* program_ = nullptr;
  std::vector<std::pair<const char*, LocationId>> operations_;
};

}  // namespace sinter::stablehlo
