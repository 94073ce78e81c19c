#include "tools/load.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/status.h"
#include "frontend/program/program.h"
#include "tools/report.h"
#include "types/leaves.h"

namespace sinter::tools {
namespace {

absl::StatusOr<std::unique_ptr<HloModule>> Parse(std::string_view text, const ProgramFile& file,
                                                 const std::vector<Dims>& sizes) {
  const std::string shown = file.shown();
  ASSIGN_OR_RETURN(
      const frontend::Program program,
      frontend::Program::Read(text, shown, {.entry = file.entry, .platform = file.platform}));
  // What an argument does not leave open is checked where inputs are read.
  const auto& arguments = program.arguments();
  std::vector<StablehloArgument> known(arguments.size());
  for (size_t i = 0; i < std::min(sizes.size(), arguments.size()); ++i) {
    const std::vector<int64_t>& d = arguments[i].shape.dimensions();
    if (std::find(d.begin(), d.end(), Shape::kUnbounded) != d.end()) known[i].sizes = sizes[i];
  }
  return program.Specialize(known);
}

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  std::FILE* f = path == "-" ? stdin : std::fopen(path.c_str(), "rb");
  if (!f) {
    int error = errno;
    if (error == ENOENT) return NotFound("no such file: {}", path);
    return Unavailable("cannot open {}: {}", path, std::strerror(error));
  }
  std::string bytes;
  // Without the size in advance: the input may be a pipe.
  constexpr size_t kBlock = size_t{1} << 20;
  size_t used = 0, got;
  do {
    bytes.resize(used + kBlock);
    got = std::fread(bytes.data() + used, 1, kBlock, f);
    used += got;
  } while (got != 0);
  bool failed = std::ferror(f) != 0;
  int error = errno;
  if (f != stdin) std::fclose(f);
  if (failed) return Unavailable("cannot read {}: {}", path, std::strerror(error));
  bytes.resize(used);
  return bytes;
}

absl::Status WriteFile(const std::string& path, std::string_view bytes) {
  std::FILE* f = std::fopen(path.c_str(), "wb");
  if (!f) return Unavailable("cannot write {}: {}", path, std::strerror(errno));
  size_t written = std::fwrite(bytes.data(), 1, bytes.size(), f);
  bool ok = std::fclose(f) == 0 && written == bytes.size();
  if (!ok) return Unavailable("cannot write {}: {}", path, std::strerror(errno));
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<HloModule>> LoadProgram(const ProgramFile& file,
                                                       const std::vector<Dims>& sizes) {
  ASSIGN_OR_RETURN(std::string text, ReadFile(file.path));
  auto module = Parse(text, file, sizes);
  if (!module.ok()) return AsInputError(InFile(module.status(), file.shown()));
  return module;
}

void FlattenShape(const Shape& shape, std::vector<Shape>* leaves) {
  if (!shape.is_tuple()) {
    leaves->push_back(shape);
    return;
  }
  for (const Shape& s : shape.tuple_shapes()) FlattenShape(s, leaves);
}

std::vector<Shape> FlatParameters(const HloModule& module) {
  std::vector<Shape> leaves;
  for (const HloInstruction* p : module.entry()->parameters()) FlattenShape(p->shape(), &leaves);
  return leaves;
}

void FlattenLiteral(const Literal& literal, std::vector<Literal>* leaves) {
  std::vector<const Literal*> all;
  AppendLeaves(literal, all);
  for (const Literal* leaf : all) leaves->push_back(*leaf);
}

namespace {

Literal Assemble(const Shape& shape, const std::vector<Literal>& leaves, size_t* next) {
  if (!shape.is_tuple()) return leaves[(*next)++];
  std::vector<Literal> elements;
  for (const Shape& s : shape.tuple_shapes()) elements.push_back(Assemble(s, leaves, next));
  return Literal::Tuple(std::move(elements));
}

}  // namespace

std::vector<Literal> ArgumentsFromLeaves(const HloModule& module,
                                         const std::vector<Literal>& leaves) {
  std::vector<Literal> arguments;
  size_t next = 0;
  for (const HloInstruction* p : module.entry()->parameters()) {
    arguments.push_back(Assemble(p->shape(), leaves, &next));
  }
  return arguments;
}

}  // namespace sinter::tools
