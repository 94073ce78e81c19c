#include "frontend/stablehlo/program_builder.h"

#include <algorithm>

namespace sinter::stablehlo {
namespace {

void SortUnique(std::vector<ValueId>* ids) {
  std::sort(ids->begin(), ids->end());
  ids->erase(std::unique(ids->begin(), ids->end()), ids->end());
}

}  // namespace

bool IsTerminator(std::string_view name) {
  return name == "stablehlo.return" || name == "func.return" || name == "mhlo.return" ||
         name == "sdy.return";
}

ValueId ProgramBuilder::NewValue(Shape shape, std::string_view name) {
  program_.values.push_back({std::move(shape), name});
  return static_cast<ValueId>(program_.values.size() - 1);
}

void ProgramBuilder::Use(ValueId id) {
  ++program_.values[static_cast<size_t>(id)].uses;
  for (auto open = open_.rbegin(); open != open_.rend() && id < (*open)->first; ++open) {
    auto& captures = (*open)->captures;
    if (!captures.empty() && captures.back() == id) continue;
    // Without repetitions before it grows: a program may use few values very often.
    if (captures.size() == captures.capacity()) {
      SortUnique(&captures);
      captures.reserve(2 * captures.size() + 8);
    }
    captures.push_back(id);
  }
}

absl::Status ProgramBuilder::OpenRegion(Region* region, const char* at) {
  region->first = static_cast<ValueId>(program_.values.size());
  open_.push_back(region);
  if (open_.size() > kMaxRegionDepth) {
    return source_.Exhausted(at, "regions nested deeper than {} levels", kMaxRegionDepth);
  }
  return absl::OkStatus();
}

void ProgramBuilder::CloseRegion() {
  Region* region = open_.back();
  open_.pop_back();
  region->end = static_cast<ValueId>(program_.values.size());
  SortUnique(&region->captures);
}

LocationId ProgramBuilder::AddLocation(Location location) {
  program_.locations.push_back(std::move(location));
  return static_cast<LocationId>(program_.locations.size() - 1);
}

void ProgramBuilder::AddCallee(std::string name, const char* at) {
  if (function_) function_->callees.emplace_back(std::move(name), at);
}

void ProgramBuilder::AddCallees(const Operation& op) {
  for (std::string_view key : {"callee", "decomposition"}) {
    const Attribute* callee = op.Find(key);
    if (callee && callee->kind == Attribute::Kind::kSymbol) AddCallee(callee->text, op.at);
  }
  AddCalledComputations(op);
}

void ProgramBuilder::AddCalledComputations(const Operation& op) {
  const Attribute* list = op.Find("called_computations");
  if (list == nullptr || list->kind != Attribute::Kind::kArray) return;
  for (const Attribute& e : list->elements) {
    if (e.kind == Attribute::Kind::kSymbol) AddCallee(e.text, op.at);
  }
}

absl::Status ProgramBuilder::AddFunction(Function f) {
  if (f.has_body) {
    std::vector<Shape> arguments, returned;
    for (ValueId id : f.body.arguments) arguments.push_back(ShapeOf(id));
    for (ValueId id : f.body.returned) returned.push_back(ShapeOf(id));
    if (arguments != f.argument_shapes) {
      return source_.Invalid(f.at, "@{} has arguments of other types than its function type",
                             f.name);
    }
    if (returned.size() != f.result_shapes.size()) {
      return source_.Invalid(f.body.terminator_at, "@{} has {} results, but {} values are returned",
                             f.name, f.result_shapes.size(), returned.size());
    }
    for (size_t i = 0; i < returned.size(); ++i) {
      if (returned[i] == f.result_shapes[i]) continue;
      return source_.Invalid(f.body.terminator_at, "result {} of @{} is {}, but {} is returned", i,
                             f.name, ToText(f.result_shapes[i]), ToText(returned[i]));
    }
  }
  if (program_.by_name.contains(f.name)) {
    return source_.Invalid(f.at, "a second function @{}", f.name);
  }
  program_.functions.push_back(std::move(f));
  program_.by_name[program_.functions.back().name] = &program_.functions.back();
  return absl::OkStatus();
}

void ProgramBuilder::AddModuleAttributes(std::vector<NamedAttribute> attributes) {
  for (NamedAttribute& a : attributes) {
    if (a.name != "mhlo.num_replicas" && a.name != "mhlo.num_partitions") {
      program_.attributes.push_back(std::move(a));
      continue;
    }
    if (a.value.kind != Attribute::Kind::kInteger || a.value.integer < 1) continue;
    if (a.name == "mhlo.num_replicas") program_.replica_count = a.value.integer;
    if (a.name == "mhlo.num_partitions") program_.partition_count = a.value.integer;
  }
}

}  // namespace sinter::stablehlo
