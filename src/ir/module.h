// The graph: a Module owns Computations, a Computation owns Instructions, an instruction knows its
// operands and users. Ids are dense within a module, so that analyses keep side tables.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/ops/op.h"
#include "sinter/literal.h"

namespace sinter {

class HloComputation;
class HloModule;

// Where an instruction comes from.
struct Metadata {
  std::string op_name;  // the framework's name for it
  std::string source_file;
  int32_t source_line = 0;
  std::string other;  // fields of HLO text that mean nothing here: "op_type=\"add\""
  bool operator==(const Metadata&) const = default;
};

// Attributes of an instruction, a computation or a module that change no result: preserved, and
// printed again. The value is HLO text as it was read: "{replicated}" of "sharding". A name with a
// dot is an attribute of StableHLO that HLO has no form for. Instructions that passes make have
// none, and neither equality nor hashes look at them.
struct Annotation {
  std::string name, value;
  bool operator==(const Annotation&) const = default;
};
using Annotations = std::vector<Annotation>;
// The value of that name, or null.
const std::string* Find(const Annotations& annotations, std::string_view name);

// Annotations of objects that mostly have none.
class Annotated {
 public:
  const Annotations& annotations() const;
  void set_annotations(Annotations annotations);
  void copy_annotations(const Annotated& from) { annotations_ = from.annotations_; }

 private:
  std::shared_ptr<const Annotations> annotations_;
};

class HloInstruction : public Annotated {
 public:
  HloInstruction(const HloInstruction&) = delete;
  HloInstruction& operator=(const HloInstruction&) = delete;

  HloOpcode op() const { return op_; }
  int32_t id() const { return id_; }  // unique in the module, never reused
  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  const Shape& shape() const { return shape_; }
  void set_shape(Shape shape) { shape_ = std::move(shape); }
  HloComputation* parent() const { return parent_; }

  const std::vector<HloInstruction*>& operands() const { return operands_; }
  HloInstruction* operand(size_t i) const { return operands_[i]; }
  // Each user once, in no stated order; an instruction that uses this twice appears once.
  const std::vector<HloInstruction*>& users() const { return users_; }

  const Attributes& attributes() const { return attrs_; }
  template <class T>
  const T& attrs() const {
    return std::get<T>(attrs_);
  }
  template <class T>
  T& mutable_attrs() {
    return std::get<T>(attrs_);
  }
  const Literal& literal() const { return *attrs<ConstantAttrs>().value; }
  const Dims& dimensions() const { return attrs<DimensionsAttrs>().dimensions; }

  // reduce, map, call, fusion: one; while: condition, body; conditional: the branches.
  const std::vector<HloComputation*>& called() const { return called_; }
  HloComputation* called(size_t i) const { return called_[i]; }
  void set_called(size_t i, HloComputation* c) { called_[i] = c; }

  const Metadata& metadata() const { return metadata_; }
  void set_metadata(Metadata m) { metadata_ = std::move(m); }

  void ReplaceOperand(size_t i, HloInstruction* with);

  // Whether removing it would change what the program does besides its result.
  bool HasSideEffect() const;

 private:
  friend class HloComputation;
  friend class HloModule;
  HloInstruction() = default;
  // HasSideEffect, but for what it calls.
  static bool ActsByItself(const HloInstruction& i);
  void AddUser(HloInstruction* user);
  void RemoveUserIfUnused(HloInstruction* user);

  HloOpcode op_{};
  int32_t id_ = 0;
  std::string name_;
  Shape shape_;
  HloComputation* parent_ = nullptr;
  std::vector<HloInstruction*> operands_, users_;
  Attributes attrs_;
  std::vector<HloComputation*> called_;
  Metadata metadata_;
};

class HloComputation : public Annotated {
 public:
  HloComputation(HloModule* module, std::string name) : module_(module), name_(std::move(name)) {}
  HloComputation(const HloComputation&) = delete;

  HloModule* module() const { return module_; }
  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  HloInstruction* root() const { return root_; }
  void set_root(HloInstruction* root) { root_ = root; }
  const std::vector<HloInstruction*>& parameters() const { return parameters_; }
  HloInstruction* parameter(size_t i) const { return parameters_[i]; }
  ComputationShape shape() const;

  // Adds an instruction and infers its shape; `declared` is the stated result shape or null (see
  // InferInput).
  absl::StatusOr<HloInstruction*> Add(HloOpcode op, absl::Span<HloInstruction* const> operands,
                                      Attributes attrs = NoAttrs{},
                                      absl::Span<HloComputation* const> called = {},
                                      const Shape* declared = nullptr, std::string name = "");
  // For passes that know the shape: nothing is checked here, the verifier will.
  HloInstruction* AddWithShape(HloOpcode op, Shape shape,
                               absl::Span<HloInstruction* const> operands,
                               Attributes attrs = NoAttrs{},
                               absl::Span<HloComputation* const> called = {},
                               std::string name = "");
  HloInstruction* AddParameter(int64_t number, Shape shape, std::string name = "");
  HloInstruction* AddConstant(Literal value, std::string name = "");

  // Every instruction, in the order of addition (not an order of evaluation once passes have run).
  const std::vector<std::unique_ptr<HloInstruction>>& instructions() const { return instructions_; }
  // Operands before users; only what the root needs, side effects and parameters included,
  // deterministic. Where operands leave it open, side effects are in the order of addition, in
  // which they take place.
  std::vector<HloInstruction*> PostOrder() const;
  // Every instruction, dead ones too, operands before users, else in the order of addition.
  std::vector<HloInstruction*> AllInOrder() const;

  // Every use of `old` (and the root, if it is that) becomes `with`.
  void ReplaceAllUses(HloInstruction* old, HloInstruction* with);
  // The same of many at once, in time linear in the computation's size. Nothing that uses a value
  // uses yet what replaces it.
  void ReplaceAllUses(
      const absl::flat_hash_map<const HloInstruction*, HloInstruction*>& replacements);
  // The instruction must have no users and not be the root; parameters are not removed.
  void Remove(HloInstruction* instruction);
  // Moves the instruction behind all others, for passes that add instructions which must come
  // before it.
  void MoveToEnd(HloInstruction* instruction);
  // Removes what neither the root nor a side effect needs; returns how many.
  int RemoveDead();
  // Copies the body of `callee` with `arguments` for its parameters into this computation; returns
  // the copy of its root.
  HloInstruction* Inline(const HloComputation& callee, absl::Span<HloInstruction* const> arguments);

 private:
  friend class HloModule;
  std::vector<std::unique_ptr<HloInstruction>>::iterator Place(const HloInstruction* instruction);

  HloModule* module_;
  std::string name_;
  std::vector<std::unique_ptr<HloInstruction>> instructions_;
  std::vector<HloInstruction*> parameters_;
  HloInstruction* root_ = nullptr;
};

// A result buffer that takes over a parameter's storage: indices into the result and the
// parameter's tuple.
struct InputOutputAlias {
  Dims output_index;
  int64_t parameter = 0;
  Dims parameter_index;
  bool must = false;  // else may
  bool operator==(const InputOutputAlias&) const = default;
};

// A parameter's array whose storage any result of as many bytes may take over.
struct BufferDonor {
  int64_t parameter = 0;
  Dims parameter_index;
  bool operator==(const BufferDonor&) const = default;
};

class HloModule : public Annotated {
 public:
  explicit HloModule(std::string name) : name_(std::move(name)) {}
  HloModule(const HloModule&) = delete;

  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  HloComputation* AddComputation(std::string name);  // made unique
  const std::vector<std::unique_ptr<HloComputation>>& computations() const { return computations_; }
  HloComputation* entry() const { return entry_; }
  void set_entry(HloComputation* c) { entry_ = c; }
  HloComputation* Find(std::string_view name) const;
  // Called computations before their callers; the entry last. Only what the entry reaches.
  std::vector<HloComputation*> PostOrder() const;
  // Every computation, called ones before their callers, else in the order of addition; the entry
  // last.
  std::vector<HloComputation*> AllInOrder() const;
  // Removes computations that the entry does not reach; returns how many.
  int RemoveUnreachable();

  std::vector<InputOutputAlias>& aliases() { return aliases_; }
  const std::vector<InputOutputAlias>& aliases() const { return aliases_; }
  // An alias of the entry for each donor: the first result of the same shape that has none yet,
  // else of as many bytes. Only arrays that are parameters or results themselves are looked at.
  void PlaceDonors(absl::Span<const BufferDonor> donors);

  // How many participants the program was written for: each replica runs on as many devices as
  // there are partitions. Only what depends on them (ir/participants.h) asks.
  int64_t replica_count() const { return replica_count_; }
  int64_t partition_count() const { return partition_count_; }
  void set_replica_count(int64_t n) { replica_count_ = n; }
  void set_partition_count(int64_t n) { partition_count_ = n; }

  std::unique_ptr<HloModule> Clone() const;
  int32_t NextId() { return next_id_++; }
  int32_t IdLimit() const { return next_id_; }  // every id is below
  std::string UniqueName(std::string_view stem);

 private:
  std::string name_;
  std::vector<std::unique_ptr<HloComputation>> computations_;
  HloComputation* entry_ = nullptr;
  std::vector<InputOutputAlias> aliases_;
  int64_t replica_count_ = 1, partition_count_ = 1;
  int32_t next_id_ = 0;
  absl::flat_hash_map<std::string, int> name_counts_;
};

}  // namespace sinter
