// How a module is printed: values and their names, functions, regions. The forms of operations are
// in print_ops.cc and print_attributes.cc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "frontend/stablehlo_text/printer.h"

namespace sinter::stablehlo {

// What an instruction is in the text: one value, or for a tuple those of its elements.
struct PrintedValue {
  const Shape* shape = nullptr;
  std::string name;
  std::vector<PrintedValue> elements;
  bool is_bundle = false;
};

class ModulePrinter {
 public:
  ModulePrinter(const HloModule& module, const StablehloPrintOptions& options)
      : module_(module), options_(options) {}

  absl::StatusOr<std::string> Run();

  // Valid until the next Set.
  const PrintedValue& Get(const HloInstruction* i) const { return values_.at(i); }
  void Set(const HloInstruction* i, PrintedValue value) { values_[i] = std::move(value); }

  // The value as one name; prints stablehlo.tuple for a bundle.
  PrintedValue Single(const PrintedValue& value);
  std::vector<PrintedValue> Operands(const HloInstruction& i);
  // The elements of a tuple, the value itself if it is none; prints stablehlo.get_tuple_element
  // where it has to. Leaves: the elements' elements too, so that no tuple is left.
  std::vector<PrintedValue> Elements(const PrintedValue& value);
  std::vector<PrintedValue> Leaves(const PrintedValue& value);

  // Begins an operation's line: "%3 = ", or "%3:2 = " for several results, and binds them.
  std::vector<PrintedValue> Begin(const std::vector<const Shape*>& results);
  // Ends it with the location.
  void End(const HloInstruction& i);
  // Binds an instruction to what Begin gave for ResultShapes of its shape.
  void SetResults(const HloInstruction& i, std::vector<PrintedValue> results);
  std::string& out() { return out_; }

  // "%0, %1", "T, T", "(T, T) -> T"
  static std::string Names(const std::vector<PrintedValue>& values);
  static std::string Types(const std::vector<PrintedValue>& values);
  static std::string Signature(const std::vector<PrintedValue>& operands,
                               const std::vector<PrintedValue>& results);

  // A whole operation of one result, operands as they are: "NAME %0, %1 CLAUSES : signature". The
  // short signature is one type, if all are the same.
  absl::Status Plain(const HloInstruction& i, std::string_view name, std::string_view clauses,
                     bool short_signature);
  // The generic form, with regions that have arguments for the parameters of what is called.
  absl::Status Generic(const HloInstruction& i, std::string_view name,
                       const std::vector<PrintedValue>& operands, std::string_view properties);
  // "{", the computation with `arguments` for its parameters, "}". With a header the names of the
  // arguments, which are new, stand at the beginning.
  absl::Status Region(const HloComputation& c, const std::vector<PrintedValue>& parameters,
                      bool header);
  absl::Status While(const HloInstruction& i);
  absl::Status Conditional(const HloInstruction& i);
  absl::Status Call(const HloInstruction& i);
  // The function that the computation is printed as.
  std::string NameOfFunction(const HloComputation* c);

  // Values of the shape with the names in order, and without a bundle for an array.
  static PrintedValue FromLeaves(const Shape& shape, const std::vector<PrintedValue>& leaves,
                                 size_t* next);
  PrintedValue NewArgument(const Shape& shape);

 private:
  absl::Status Function(const HloComputation& c);
  absl::Status Instructions(const HloComputation& c);
  absl::StatusOr<std::vector<int64_t>> ArgumentAliases(const HloComputation& c) const;
  void InsertAttributes(const HloInstruction& i);
  void Indent() { out_.append(static_cast<size_t>(2 * depth_), ' '); }

  const HloModule& module_;
  const StablehloPrintOptions& options_;
  std::string out_;
  int depth_ = 0, regions_ = 0;
  int64_t next_value_ = 0, next_argument_ = 0, repeated_ = 0;
  absl::flat_hash_map<const HloInstruction*, PrintedValue> values_;
  absl::flat_hash_set<const HloComputation*> printed_;
  absl::flat_hash_map<const HloComputation*, std::string> functions_;
  absl::flat_hash_set<std::string> function_names_;
  std::vector<const HloComputation*> pending_;
};

// Prints one operation; the table with a row for each is in print_ops.cc.
absl::Status PrintOperation(ModulePrinter& p, const HloInstruction& i);

// Shapes of a function's results or an operation's: the elements of a tuple of other than one.
std::vector<const Shape*> ResultShapes(const Shape& shape);

namespace print {  // print_attributes.cc
absl::Status BatchNorm(ModulePrinter& p, const HloInstruction& i);
absl::Status Cholesky(ModulePrinter& p, const HloInstruction& i);
absl::Status Convolution(ModulePrinter& p, const HloInstruction& i);
absl::Status CustomCall(ModulePrinter& p, const HloInstruction& i);
absl::Status Dot(ModulePrinter& p, const HloInstruction& i);
absl::Status Fft(ModulePrinter& p, const HloInstruction& i);
absl::Status Gather(ModulePrinter& p, const HloInstruction& i);
absl::Status Pad(ModulePrinter& p, const HloInstruction& i);
absl::Status RaggedDot(ModulePrinter& p, const HloInstruction& i);
absl::Status Reduce(ModulePrinter& p, const HloInstruction& i);
absl::Status ReduceWindow(ModulePrinter& p, const HloInstruction& i);
absl::Status Rng(ModulePrinter& p, const HloInstruction& i);
absl::Status RngBitGenerator(ModulePrinter& p, const HloInstruction& i);
absl::Status Scan(ModulePrinter& p, const HloInstruction& i);
absl::Status Scatter(ModulePrinter& p, const HloInstruction& i);
absl::Status SelectAndScatter(ModulePrinter& p, const HloInstruction& i);
absl::Status Slice(ModulePrinter& p, const HloInstruction& i);
absl::Status Sort(ModulePrinter& p, const HloInstruction& i);
absl::Status TopK(ModulePrinter& p, const HloInstruction& i);
absl::Status TriangularSolve(ModulePrinter& p, const HloInstruction& i);
// print_participants.cc
absl::Status AllGather(ModulePrinter& p, const HloInstruction& i);
absl::Status AllReduce(ModulePrinter& p, const HloInstruction& i);
absl::Status AllToAll(ModulePrinter& p, const HloInstruction& i);
absl::Status CollectiveBroadcast(ModulePrinter& p, const HloInstruction& i);
absl::Status CollectivePermute(ModulePrinter& p, const HloInstruction& i);
absl::Status CollectiveReduce(ModulePrinter& p, const HloInstruction& i);
absl::Status Infeed(ModulePrinter& p, const HloInstruction& i);
absl::Status Outfeed(ModulePrinter& p, const HloInstruction& i);
absl::Status Recv(ModulePrinter& p, const HloInstruction& i);
absl::Status RecvDone(ModulePrinter& p, const HloInstruction& i);
absl::Status ReduceScatter(ModulePrinter& p, const HloInstruction& i);
absl::Status Send(ModulePrinter& p, const HloInstruction& i);
absl::Status SendDone(ModulePrinter& p, const HloInstruction& i);
}  // namespace print

}  // namespace sinter::stablehlo
