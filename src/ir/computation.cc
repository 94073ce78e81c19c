#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "base/status.h"
#include "ir/module.h"

namespace sinter {
namespace {

// Parameters past this are kept out of the list; the verifier reports them.
constexpr int64_t kMaxParameters = int64_t{1} << 20;

// A set of a computation's instructions: a bit an id where these are close together, which takes a
// fraction of the time of hashing.
class InstructionSet {
 public:
  explicit InstructionSet(absl::Span<const std::unique_ptr<HloInstruction>> instructions) {
    if (instructions.empty()) return;
    first_ = instructions.front()->id();
    const auto range = static_cast<size_t>(instructions.back()->id() - first_) + 1;
    constexpr size_t kMostBits = 64;  // an instruction, as many as a hash takes
    if (range <= kMostBits * instructions.size()) near_.resize(range);
  }
  // Whether it was not in it.
  bool Insert(const HloInstruction* i) {
    const auto at = static_cast<size_t>(int64_t{i->id()} - first_);
    if (at >= near_.size()) return others_.insert(i).second;
    if (near_[at]) return false;
    near_[at] = true;
    return true;
  }

 private:
  int64_t first_ = 0;
  std::vector<bool> near_;
  absl::flat_hash_set<const HloInstruction*> others_;
};

// Lists what the instructions visited need, operands first.
class PostOrderWalk {
 public:
  explicit PostOrderWalk(absl::Span<const std::unique_ptr<HloInstruction>> instructions)
      : seen_(instructions) {
    order_.reserve(instructions.size());
  }
  void Visit(HloInstruction* root) {
    if (!root || !seen_.Insert(root)) return;
    stack_.emplace_back(root, 0);
    while (!stack_.empty()) {
      auto& [instruction, next] = stack_.back();
      if (next == instruction->operands().size()) {
        order_.push_back(instruction);
        stack_.pop_back();
        continue;
      }
      HloInstruction* operand = instruction->operand(next++);
      if (seen_.Insert(operand)) stack_.emplace_back(operand, 0);
    }
  }
  std::vector<HloInstruction*> TakeOrder() { return std::move(order_); }

 private:
  std::vector<HloInstruction*> order_;
  InstructionSet seen_;
  // An instruction and its next operand to visit: the graph may be too deep for recursion.
  std::vector<std::pair<HloInstruction*, size_t>> stack_;
};

}  // namespace

ComputationShape HloComputation::shape() const {
  ComputationShape s;
  for (const HloInstruction* p : parameters_) {
    if (p) s.parameters.push_back(p->shape());
  }
  if (root_) s.result = root_->shape();
  return s;
}

absl::StatusOr<HloInstruction*> HloComputation::Add(HloOpcode op,
                                                    absl::Span<HloInstruction* const> operands,
                                                    Attributes attrs,
                                                    absl::Span<HloComputation* const> called,
                                                    const Shape* declared, std::string name) {
  std::vector<const Shape*> shapes;
  shapes.reserve(operands.size());
  for (const HloInstruction* operand : operands) shapes.push_back(&operand->shape());
  std::vector<ComputationShape> signatures;
  signatures.reserve(called.size());
  for (const HloComputation* c : called) signatures.push_back(c->shape());
  ASSIGN_OR_RETURN(Shape shape, InferShape(op, {shapes, attrs, signatures, declared}));
  return AddWithShape(op, std::move(shape), operands, std::move(attrs), called, std::move(name));
}

HloInstruction* HloComputation::AddWithShape(HloOpcode op, Shape shape,
                                             absl::Span<HloInstruction* const> operands,
                                             Attributes attrs,
                                             absl::Span<HloComputation* const> called,
                                             std::string name) {
  auto owned = std::unique_ptr<HloInstruction>(new HloInstruction);
  HloInstruction* i = owned.get();
  i->op_ = op;
  i->id_ = module_->NextId();
  i->name_ = module_->UniqueName(name.empty() ? Name(op) : std::string_view(name));
  i->shape_ = std::move(shape);
  i->parent_ = this;
  i->operands_.assign(operands.begin(), operands.end());
  i->attrs_ = std::move(attrs);
  i->called_.assign(called.begin(), called.end());
  for (HloInstruction* operand : operands) operand->AddUser(i);
  instructions_.push_back(std::move(owned));
  if (op == HloOpcode::Parameter) {
    int64_t number = i->attrs<ParameterAttrs>().number;
    if (0 <= number && number < kMaxParameters) {
      auto n = static_cast<size_t>(number);
      if (parameters_.size() <= n) parameters_.resize(n + 1);
      parameters_[n] = i;
    }
  }
  return i;
}

HloInstruction* HloComputation::AddParameter(int64_t number, Shape shape, std::string name) {
  return AddWithShape(HloOpcode::Parameter, std::move(shape), {}, ParameterAttrs{number}, {},
                      std::move(name));
}

HloInstruction* HloComputation::AddConstant(Literal value, std::string name) {
  Shape shape = value.shape();
  return AddWithShape(HloOpcode::Constant, std::move(shape), {},
                      ConstantAttrs{std::make_shared<const Literal>(std::move(value))}, {},
                      std::move(name));
}

std::vector<HloInstruction*> HloComputation::PostOrder() const {
  PostOrderWalk walk(instructions_);
  for (HloInstruction* p : parameters_) walk.Visit(p);
  for (const auto& i : instructions_) {
    if (i->HasSideEffect()) walk.Visit(i.get());
  }
  walk.Visit(root_);
  return walk.TakeOrder();
}

std::vector<HloInstruction*> HloComputation::AllInOrder() const {
  PostOrderWalk walk(instructions_);
  for (const auto& i : instructions_) walk.Visit(i.get());
  return walk.TakeOrder();
}

void HloComputation::ReplaceAllUses(HloInstruction* old, HloInstruction* with) {
  if (old == with) return;
  bool kept = false;
  for (HloInstruction* user : old->users_) {
    // `with` may compute from `old`; replacing that use would close a cycle.
    if (user == with) {
      kept = true;
      continue;
    }
    bool is_user =
        std::find(user->operands_.begin(), user->operands_.end(), with) != user->operands_.end();
    std::replace(user->operands_.begin(), user->operands_.end(), old, with);
    if (!is_user) with->users_.push_back(user);
  }
  old->users_.clear();
  if (kept) old->users_.push_back(with);
  if (root_ == old) root_ = with;
}

void HloComputation::ReplaceAllUses(
    const absl::flat_hash_map<const HloInstruction*, HloInstruction*>& replacements) {
  if (replacements.empty()) return;
  for (const auto& i : instructions_) {
    for (HloInstruction*& operand : i->operands_) {
      const auto with = replacements.find(operand);
      if (with == replacements.end()) continue;
      std::vector<HloInstruction*>& users = with->second->users_;
      operand = with->second;
      // An instruction's operands come one after another, so that it would be the last user.
      if (users.empty() || users.back() != i.get()) users.push_back(i.get());
    }
  }
  for (const auto& i : instructions_) {
    if (replacements.contains(i.get())) i->users_.clear();
  }
  if (const auto with = replacements.find(root_); with != replacements.end()) root_ = with->second;
}

void HloComputation::Remove(HloInstruction* instruction) {
  if (instruction->op_ == HloOpcode::Parameter || instruction == root_ ||
      !instruction->users_.empty())
    return;
  std::vector<HloInstruction*> operands = std::move(instruction->operands_);
  instruction->operands_.clear();
  for (HloInstruction* operand : operands) operand->RemoveUserIfUnused(instruction);
  instructions_.erase(Place(instruction));
}

std::vector<std::unique_ptr<HloInstruction>>::iterator HloComputation::Place(
    const HloInstruction* instruction) {
  // Ids grow in the order of addition.
  return std::lower_bound(instructions_.begin(), instructions_.end(), instruction->id_,
                          [](const auto& i, int32_t id) { return i->id_ < id; });
}

void HloComputation::MoveToEnd(HloInstruction* instruction) {
  auto at = Place(instruction);
  std::unique_ptr<HloInstruction> owned = std::move(*at);
  instructions_.erase(at);
  owned->id_ = module_->NextId();
  instructions_.push_back(std::move(owned));
}

int HloComputation::RemoveDead() {
  std::vector<HloInstruction*> order = PostOrder();
  if (order.size() == instructions_.size()) return 0;
  absl::flat_hash_set<const HloInstruction*> live(order.begin(), order.end());
  auto is_dead = [&](const HloInstruction* i) { return !live.contains(i); };
  for (HloInstruction* i : order) std::erase_if(i->users_, is_dead);
  return static_cast<int>(
      std::erase_if(instructions_, [&](const auto& i) { return is_dead(i.get()); }));
}

HloInstruction* HloComputation::Inline(const HloComputation& callee,
                                       absl::Span<HloInstruction* const> arguments) {
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> copies;
  for (HloInstruction* i : callee.PostOrder()) {
    if (i->op_ == HloOpcode::Parameter) {
      copies[i] = arguments[static_cast<size_t>(i->attrs<ParameterAttrs>().number)];
      continue;
    }
    std::vector<HloInstruction*> operands;
    for (HloInstruction* operand : i->operands_) operands.push_back(copies.at(operand));
    HloInstruction* copy =
        AddWithShape(i->op_, i->shape_, operands, i->attrs_, i->called_, i->name_);
    copy->metadata_ = i->metadata_;
    copy->copy_annotations(*i);
    copies[i] = copy;
  }
  return copies.at(callee.root_);
}

}  // namespace sinter
