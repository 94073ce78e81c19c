// Operations, regions and functions of MLIR bytecode.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "frontend/bytecode/entries.h"
#include "frontend/bytecode/operations.h"
#include "frontend/bytecode/source.h"
#include "frontend/stablehlo/program_builder.h"

namespace sinter::stablehlo {

class IrReader {
 public:
  // All of these must outlive it.
  IrReader(BytecodeSource& source, Entries& entries, ProgramBuilder& builder)
      : source_(source), entries_(entries), builder_(builder) {}

  absl::Status Read(std::string_view ir);

 private:
  // Values of a region have the numbers behind those of the regions around it, up to one whose
  // operations see none of them.
  struct Scope {
    uint64_t first = 0, count = 0;
    std::vector<ValueId> values;  // defined so far
  };
  using Scopes = std::vector<Scope>;
  // An operation up to its regions. Its results are values once those have been read.
  struct Header {
    Operation op;
    std::vector<Type> result_types;
    size_t regions = 0;
    bool is_isolated = false;  // its regions
  };
  // What of a region is known from around it: numbers of its arguments, by which they have names.
  struct Place {
    int depth = 0;
    size_t arguments = 0;
    std::vector<LocationId>* locations = nullptr;  // of its arguments, where they are asked for
  };

  absl::Status ReadTopLevel(EntryReader& reader, int depth);
  absl::Status ReadModule(EntryReader& reader, Header header, int depth);
  absl::Status ReadFunction(EntryReader& reader, Header header);
  absl::Status ReadMesh(const Header& header);
  absl::Status ReadHeader(EntryReader& reader, Header* header);
  absl::Status ReadAttributes(EntryReader& reader, uint8_t parts,
                              const Container::Operation& stored, Operation* op);
  absl::Status SkipUseLists(EntryReader& reader, size_t values);
  absl::Status SkipUses(EntryReader& reader, bool is_of_many);
  // The regions behind the header, each by `read`, in a section of their own where they are
  // isolated.
  template <class Function>
  absl::Status ReadRegions(EntryReader& reader, const Header& header, const Function& read);
  absl::Status ReadRegion(EntryReader& reader, Region* region, const Place& place);
  absl::Status ReadArguments(EntryReader& reader, Region* region, const Place& place);
  absl::Status ReadOperation(EntryReader& reader, Region* into, const Place& place,
                             bool* terminated);
  absl::Status ReadCast(EntryReader& reader, const Header& header);
  absl::Status FinishOperation(Header header, Region* into, bool* terminated);
  absl::Status Define(EntryReader& reader, Shape shape, int64_t parts, std::string_view name,
                      std::vector<ValueId>* ids);
  // Gives the value the next number of the region.
  absl::Status Number(EntryReader& reader, ValueId id);
  absl::StatusOr<ValueId> ValueAt(const char* at, uint64_t number);
  std::string_view NameOfArgument(size_t number);

  BytecodeSource& source_;
  Entries& entries_;
  ProgramBuilder& builder_;
  std::vector<Scopes> scopes_;
  std::vector<std::string_view> argument_names_;
};

}  // namespace sinter::stablehlo
