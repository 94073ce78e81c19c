// The inside of a Builder, and Recording, in which each function of the builder runs.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/status.h"
#include "ir/module.h"
#include "sinter/builder.h"

namespace sinter {

// "{2,3}"
inline std::string DimensionsText(absl::Span<const int64_t> dims) {
  return Format("{{{}}}", Join(dims, ","));
}

// The state of a builder: a computation under construction, in a module of its own or, for the
// function behind a Callable, in that of the builder that calls it.
class BuilderImpl {
 public:
  BuilderImpl(std::string name, Builder* parent) : name(std::move(name)), parent(parent) {
    Reset();
  }
  // Records into a new computation of the caller's module.
  BuilderImpl(std::string name, BuilderImpl& caller, const std::source_location& where);

  // What an op of `builder` stands for; InvalidArgument if it is not one of its valid ops.
  absl::StatusOr<HloInstruction*> Find(const Builder* self, Op op) const;
  Op Handle(Builder* self, const HloInstruction* instruction) const;
  // Its position among the computation's instructions.
  size_t PlaceOf(const HloInstruction& instruction) const;
  static Op Nothing(Builder* self) { return Op(self, -1, 0); }

  // The computation in this builder's module; copied when it is first met.
  absl::StatusOr<HloComputation*> Import(const Computation& computation);
  // An equal computation that was given before, else this one.
  HloComputation* Share(HloComputation* computation);
  // Gives an instruction the frontend attributes and the sharding of all that are recorded.
  void Annotate(HloInstruction& instruction);
  // Removes what sharing left over.
  void RemoveUnused();
  // Keeps the builder of a Callable as long as this one: ops of it may have leaked out of the
  // function.
  Builder* Keep(std::unique_ptr<Builder> inner);

  // An empty computation in a new module; every op so far becomes invalid.
  void Reset();
  // No computation: the module has gone, or the function is over.
  void Close();

  std::string name;
  Builder* parent;                   // of CreateSubBuilder, else null
  std::unique_ptr<HloModule> owned;  // null for the function behind a Callable
  HloModule* module = nullptr;
  HloComputation* computation = nullptr;  // null: closed
  int32_t generation = 0;
  absl::Status first_error;
  std::optional<OpMetadata> metadata, one_shot_metadata;
  FrontendAttributeMap frontend_attributes;
  std::optional<OpSharding> sharding;
  // Of the instructions that have one.
  absl::flat_hash_map<const HloInstruction*, OpSharding> shardings;
  std::vector<BufferDonor> donors;
  std::source_location where;  // of the call that calls the function
  // While a function composed of others runs: the line of its caller, for all of them.
  std::optional<std::source_location> composed_at;

 private:
  struct Imported {
    std::shared_ptr<const HloModule> source;  // alive, so that its address is not reused
    HloComputation* copy;
  };
  BuilderImpl& root() { return caller_ ? caller_->root() : *this; }

  BuilderImpl* caller_ = nullptr;
  absl::flat_hash_map<const HloModule*, Imported> imported_;
  std::vector<std::unique_ptr<Builder>> inner_;
  // Computations given to Share, by the names of their ops.
  absl::flat_hash_map<std::string, std::vector<HloComputation*>> shared_;
  bool has_unused_ = false;
};

// One call of a builder's function: where it came from, what it is called in messages, and what it
// records.
class Recording {
 public:
  Recording(Builder* builder, std::string_view name, const std::source_location& where)
      : builder_(builder),
        impl_(builder->impl()),
        name_(name),
        where_(impl_.composed_at ? *impl_.composed_at : where) {}

  Builder* builder() const { return builder_; }
  BuilderImpl& impl() const { return impl_; }
  const std::source_location& where() const { return where_; }

  absl::StatusOr<HloInstruction*> Find(Op op) const;
  absl::StatusOr<std::vector<HloInstruction*>> Find(absl::Span<const Op> ops) const;
  // The operand's instruction, for a number a scalar constant of that element type.
  absl::StatusOr<HloInstruction*> Find(const Operand& operand, ElementType number_type);
  // Operands of one element type, that of the first that is not a number. At least one is not.
  absl::StatusOr<std::vector<HloInstruction*>> FindAlike(
      std::initializer_list<const Operand*> operands);

  // Records an instruction; its shape is inferred.
  absl::StatusOr<HloInstruction*> Add(HloOpcode op, absl::Span<HloInstruction* const> operands,
                                      Attributes attrs = NoAttrs{},
                                      absl::Span<HloComputation* const> called = {},
                                      const Shape* declared = nullptr);
  absl::StatusOr<HloInstruction*> Add(HloOpcode op, std::initializer_list<HloInstruction*> operands,
                                      Attributes attrs = NoAttrs{},
                                      absl::Span<HloComputation* const> called = {},
                                      const Shape* declared = nullptr) {
    return Add(op, absl::Span<HloInstruction* const>(operands.begin(), operands.size()),
               std::move(attrs), called, declared);
  }
  HloInstruction* AddConstant(Literal value);
  absl::StatusOr<HloInstruction*> AddNumber(const Number& number, ElementType type);

  // The operand under `sizes`, its dimension i being dimension dims[i] there; sizes of 1 are
  // repeated.
  absl::StatusOr<HloInstruction*> BroadcastTo(HloInstruction* operand,
                                              absl::Span<const int64_t> sizes,
                                              absl::Span<const int64_t> dims);
  // Two operands brought to the same dimensions, as the binary functions of sinter/ops.h say.
  absl::Status MakeAlike(HloInstruction*& lhs, HloInstruction*& rhs,
                         absl::Span<const int64_t> broadcast_dimensions);
  // Scalars among the operands repeated to the dimensions of the others.
  absl::Status RepeatScalars(std::vector<HloInstruction*>& operands);

  // The callable as a computation of this module, which is called with `parameters`.
  absl::StatusOr<HloComputation*> Called(const Callable& callable, std::vector<Shape> parameters,
                                         std::string_view role);

  // "name: message; operands f32[2], f32[3]".
  absl::Status Error(std::string_view message,
                     absl::Span<HloInstruction* const> operands = {}) const;

 private:
  absl::StatusOr<HloComputation*> RecordFunction(const Callable& callable,
                                                 std::vector<Shape> parameters,
                                                 std::string_view role);
  void SetMetadata(HloInstruction* instruction) const;

  Builder* builder_;
  BuilderImpl& impl_;
  std::string_view name_;
  std::source_location where_;
};

// An empty value removes the annotation.
void SetAnnotation(Annotated& annotated, std::string_view name, std::string value);

// The builder of the first op that has one, else null.
Builder* BuilderOf(absl::Span<const Op> ops);

// While it lives, what is recorded carries the line of the operand's (the builder's) caller: for
// functions composed of others.
class ComposedAt {
 public:
  explicit ComposedAt(const Operand& operand) : ComposedAt(operand.builder(), operand.where()) {}
  ComposedAt(Builder* builder, const std::source_location& where)
      : impl_(builder && !builder->impl().composed_at ? &builder->impl() : nullptr) {
    if (impl_) impl_->composed_at = where;
  }
  ~ComposedAt() {
    if (impl_) impl_->composed_at.reset();
  }
  ComposedAt(const ComposedAt&) = delete;

 private:
  BuilderImpl* impl_;  // null: nobody's, or a composed function calls another
};

// Runs `record` for the builder, unless that has an error already, and makes its error the
// builder's. A null builder cannot hold the error: the op returned is the default one, an error
// wherever it is used.
Op Record(Builder* builder, std::string_view name, const std::source_location& where,
          const std::function<absl::StatusOr<HloInstruction*>(Recording&)>& record);
// The builder is that of the first operand that has one.
Op Record(std::initializer_list<const Operand*> operands, std::string_view name,
          const std::function<absl::StatusOr<HloInstruction*>(Recording&)>& record);

// The number as a scalar of that type; InvalidArgument where the type cannot hold it (sinter/op.h).
absl::StatusOr<Literal> LiteralOf(const Number& number, ElementType type);

// Every array in `shape` has dimensions that are not negative and a size that fits into int64.
absl::Status CheckShape(const Shape& shape);

}  // namespace sinter
