#include "passes/buffers/assign.h"

#include <algorithm>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "base/status.h"
#include "ir/analysis/counted_loop.h"
#include "ir/analysis/index_map.h"
#include "ir/custom_call_aliases.h"
#include "ir/participants.h"
#include "passes/buffers/collective.h"
#include "passes/buffers/control.h"
#include "passes/buffers/library_calls.h"
#include "passes/buffers/schedule.h"
#include "passes/buffers/storage.h"
#include "types/leaves.h"

namespace sinter {
namespace {

using program::Allocation;
using program::Residence;
using program::Slice;
using program::Step;

class Assigner : private ControlValues {
 public:
  Assigner(const HloModule& module,
           const std::function<const KernelFacts&(const HloInstruction*)>& facts, int threads,
           bool has_reducers)
      : module_(module),
        facts_(facts),
        threads_(threads),
        has_reducers_(has_reducers),
        values_(static_cast<size_t>(module.IdLimit())) {}

  absl::StatusOr<BufferAssignment> Run() {
    program::Program& p = out_.program;
    p.name = module_.name();
    p.grid = GridOf(module_);
    const HloComputation& entry = *module_.entry();
    std::vector<Slices> arguments;
    for (const HloInstruction* parameter : entry.parameters()) {
      p.parameters.push_back(parameter->shape());
      Slices leaves;
      for (const Shape& s : LeafShapes(parameter->shape())) {
        leaves.push_back(Whole(NewValue(s.byte_size(), Residence::kArgument,
                                        static_cast<int>(p.argument_shapes.size()))));
        p.argument_shapes.push_back(s);
      }
      arguments.push_back(std::move(leaves));
    }
    p.result = entry.root()->shape();
    p.result_shapes = LeafShapes(p.result);
    ASSIGN_OR_RETURN(Slices results, Walk(entry, arguments, p.steps));
    ++now_;
    for (const Slice& v : results) Use(v);
    PlaceValues(module_, results, std::move(lives_), p);
    return std::move(out_);
  }

 private:
  // --- computations

  absl::StatusOr<Slices> Walk(const HloComputation& c, const std::vector<Slices>& arguments,
                              std::vector<Step>& steps) {
    const size_t begun_before = begun_.size();
    for (const HloInstruction* i :
         Scheduled(c, [&](const HloInstruction& changes) { return ChangedOperands(changes); })) {
      if (!IsView(i->op())) AwaitOperands(*i, steps);
      Slices& leaves = values_[static_cast<size_t>(i->id())];
      leaves.clear();
      switch (i->op()) {
        case HloOpcode::Parameter:
          leaves = arguments[static_cast<size_t>(i->attrs<ParameterAttrs>().number)];
          break;
        case HloOpcode::Constant:
          ConstantLeaves(i->literal(), leaves);
          break;
        case HloOpcode::Tuple:
          for (const HloInstruction* o : i->operands()) {
            const auto& from = Of(o);
            leaves.insert(leaves.end(), from.begin(), from.end());
          }
          break;
        case HloOpcode::GetTupleElement:
          leaves = Element(i);
          break;
        case HloOpcode::Reshape:
        case HloOpcode::BitcastConvert:  // that regroups bytes; others are code
        case HloOpcode::OptimizationBarrier:
          leaves = Of(i->operand(0));
          break;
        case HloOpcode::Slice:
          RETURN_INTERNAL_IF(!IsContiguousSlice(*i), "{} is left after fusion", i->name());
          leaves = {View(*i, Of(i->operand(0))[0])};
          break;
        case HloOpcode::Fusion:
          RETURN_IF_ERROR(Launch(i, steps));
          break;
        case HloOpcode::While:
          RETURN_IF_ERROR(WhileLoop(i, steps));
          break;
        case HloOpcode::Conditional:
          RETURN_IF_ERROR(Branches(i, steps));
          break;
        case HloOpcode::AfterAll:
          leaves = {Whole(NewTemp(0))};  // a leaf like others, in tuples and calls
          break;
        case HloOpcode::Sort:
          RETURN_IF_ERROR(Sort(i, steps));
          break;
        case HloOpcode::TopK:
          RETURN_IF_ERROR(TopK(i, steps));
          break;
        case HloOpcode::Fft:
        case HloOpcode::Cholesky:
        case HloOpcode::TriangularSolve:
          RETURN_INTERNAL_IF(!CallLibrary(i, steps), "{} has no library call", i->name());
          break;
        case HloOpcode::Scatter:
          return Unimplemented(
              "scatter {} has no code for the CPU: its computation is more than elementwise "
              "operations on scalars",
              i->name());
        case HloOpcode::CustomCall:
          if (!CallLibrary(i, steps)) CallHost(i, steps);
          break;
        case HloOpcode::PartitionId:
        case HloOpcode::ReplicaId:
          ++now_;
          leaves = {Whole(NewTemp(i->shape().byte_size()))};
          steps.push_back({program::ParticipantId{leaves[0], i->op() == HloOpcode::PartitionId}});
          break;
        case HloOpcode::Recv:
        case HloOpcode::SendDone:
          // What is received comes with recv-done, and a sender waits for nobody.
          for (const Shape& shape : LeafShapes(i->shape()))
            leaves.push_back(Whole(NewTemp(shape.byte_size())));
          break;
        default:
          RETURN_INTERNAL_IF(!IsExchange(i->op()), "{} is left after fusion", Name(i->op()));
          RETURN_IF_ERROR(Exchange(i, steps));
      }
    }
    while (begun_.size() > begun_before) Await(begun_before, steps);
    return Of(c.root());
  }

  // No steps of their own.
  static bool IsView(HloOpcode op) {
    switch (op) {
      case HloOpcode::Parameter:
      case HloOpcode::Constant:
      case HloOpcode::Tuple:
      case HloOpcode::GetTupleElement:
      case HloOpcode::Reshape:
      case HloOpcode::BitcastConvert:
      case HloOpcode::OptimizationBarrier:
      case HloOpcode::Slice:
        return true;
      default:
        return false;
    }
  }

  const Slices& Of(const HloInstruction* i) const { return values_[static_cast<size_t>(i->id())]; }

  static Slice View(const HloInstruction& slice, const Slice& whole) {
    return {whole.allocation, whole.offset + SliceOffset(slice), slice.shape().byte_size()};
  }

  Slices Element(const HloInstruction* i) {
    const HloInstruction* tuple = i->operand(0);
    std::vector<size_t>& first = first_leaves_[tuple];
    if (first.empty()) first = FirstLeaves(tuple->shape().tuple_shapes());
    const auto index = static_cast<size_t>(i->attrs<TupleElementAttrs>().index);
    const Slices& all = Of(tuple);
    return {all.begin() + static_cast<ptrdiff_t>(first[index]),
            all.begin() + static_cast<ptrdiff_t>(first[index + 1])};
  }

  void ConstantLeaves(const Literal& literal, Slices& leaves) {
    if (literal.shape().is_tuple()) {
      for (const Literal& element : literal.tuple()) ConstantLeaves(element, leaves);
      return;
    }
    auto [it, is_new] = constants_.try_emplace(&literal, 0);
    if (is_new) {
      it->second = NewValue(literal.shape().byte_size(), Residence::kConstant,
                            static_cast<int>(out_.program.constants.size()));
      out_.program.constants.push_back(literal);
    }
    leaves.push_back(Whole(it->second));
  }

  // Whether a loop overwrites element k of what it begins with.
  bool IsOverwritten(const HloInstruction* loop, size_t k) {
    auto [it, is_new] = overwritten_.try_emplace(loop);
    if (is_new) it->second = OverwrittenElements(*loop);
    return k < it->second.size() && it->second[k];
  }
  // Whether nothing needs the value: loops begin with it, which overwrite it.
  bool IsOverwritten(const HloInstruction* i) {
    for (const HloInstruction* tuple : i->users()) {
      if (tuple->op() != HloOpcode::Tuple || tuple == tuple->parent()->root()) return false;
      if (NeededOf(tuple).contains(i)) return false;
    }
    return i != i->parent()->root();
  }
  // The operands of a tuple that something needs.
  const absl::flat_hash_set<const HloInstruction*>& NeededOf(const HloInstruction* tuple) {
    auto [it, is_new] = needed_.try_emplace(tuple);
    if (!is_new) return it->second;
    for (const HloInstruction* user : tuple->users()) {
      for (size_t k = 0; k < tuple->operands().size(); ++k) {
        if (user->op() != HloOpcode::While || !IsOverwritten(user, k))
          it->second.insert(tuple->operand(k));
      }
    }
    return it->second;
  }

  // Whether nobody reads the value: sorts know what positions are.
  bool IsUnread(const HloInstruction* i) const {
    if (i == i->parent()->root()) return false;
    return std::all_of(i->users().begin(), i->users().end(), [&](const HloInstruction* user) {
      if (user->op() != HloOpcode::Sort) return false;
      const absl::StatusOr<program::SortLayout> layout = SortLayoutOf(*user, threads_);
      if (!layout.ok()) return false;
      for (size_t k = 0; k < user->operands().size(); ++k) {
        if (user->operand(k) == i && layout->operands[k].use != program::SortLayout::kPositions)
          return false;
      }
      return true;
    });
  }

  absl::Status Launch(const HloInstruction* i, std::vector<Step>& steps) {
    ++now_;
    if (i->shape().is_array() && IsUnread(i)) {
      values_[static_cast<size_t>(i->id())] = {Whole(NewTemp(0))};
      return absl::OkStatus();
    }
    if (i->shape().is_array() && IsOverwritten(i)) {
      values_[static_cast<size_t>(i->id())] = {Whole(NewTemp(i->shape().byte_size()))};
      return absl::OkStatus();
    }
    if (const std::vector<Shape> empty = LeafShapes(i->shape()); empty[0].element_count() == 0) {
      for (const Shape& s : empty)
        values_[static_cast<size_t>(i->id())].push_back(Whole(NewTemp(s.byte_size())));
      return absl::OkStatus();
    }
    const KernelFacts& facts = facts_(i);
    program::Launch launch;
    launch.name = i->name();
    launch.kernel = static_cast<int>(out_.fusions.size());
    launch.operands = static_cast<int>(i->operands().size());
    out_.fusions.push_back(i);
    Slices& leaves = values_[static_cast<size_t>(i->id())];
    for (const KernelFacts::Base& base : facts.bases) {
      leaves.push_back(CopyOf(Of(i->operand(base.operand))[0], steps));
    }
    if (!facts.bases.empty()) ++now_;
    for (const Slice& copy : leaves) Use(copy);
    for (size_t k = 0; k < i->operands().size(); ++k) {
      const Slices& operand = Of(i->operand(k));
      RETURN_INTERNAL_IF(operand.size() != 1, "an operand of {} is a tuple", i->name());
      Slice buffer = operand[0];
      for (size_t r = 0; r < facts.bases.size(); ++r) {
        if (facts.bases[r].operand == k && !facts.bases[r].read) buffer = leaves[r];
      }
      launch.buffers.push_back(buffer);
      Use(launch.buffers.back());
    }
    if (facts.bases.empty()) {
      for (const Shape& s : LeafShapes(i->shape())) leaves.push_back(Whole(NewTemp(s.byte_size())));
    }
    launch.buffers.insert(launch.buffers.end(), leaves.begin(), leaves.end());
    for (size_t k = 0; k < facts.in_place.size(); ++k) {
      int readers = 0;  // views of the same storage among the operands
      for (const HloInstruction* o : i->operands())
        readers += Of(o)[0].allocation == Of(i->operand(k))[0].allocation;
      if (facts.in_place[k] && leaves.size() == 1 && readers == 1)
        lives_.in_place.Add({Of(i->operand(k))[0], leaves[0].allocation, now_});
    }
    for (int64_t bytes : facts.scratch) launch.buffers.push_back(Whole(NewTemp(bytes)));
    steps.push_back({std::move(launch)});
    return absl::OkStatus();
  }

  // Calls of the library (library_calls.h). Comparators are compiled; sorts by known orders need
  // none.
  absl::Status Sort(const HloInstruction* i, std::vector<Step>& steps) {
    ASSIGN_OR_RETURN(const program::SortLayout layout, SortLayoutOf(*i, threads_));
    Slices& leaves = values_[static_cast<size_t>(i->id())];
    for (size_t k = 0; k < layout.operands.size(); ++k) {
      const bool unread = layout.operands[k].use == program::SortLayout::kUnread;
      leaves.push_back(Whole(NewTemp(unread ? 0 : i->operand(k)->shape().byte_size())));
    }
    program::LibraryCall& call = Library(i, "sort", layout.ToDims(), layout.ScratchBytes(), steps);
    if (layout.HasComparator()) {
      call.code = static_cast<int>(out_.fusions.size());
      out_.fusions.push_back(i);
    }
    return absl::OkStatus();
  }
  absl::Status TopK(const HloInstruction* i, std::vector<Step>& steps) {
    ASSIGN_OR_RETURN(const program::TopKLayout layout, TopKLayoutOf(*i, threads_));
    Library(i, "top-k", layout.ToDims(), layout.ScratchBytes(), steps);
    return absl::OkStatus();
  }
  bool CallLibrary(const HloInstruction* i, std::vector<Step>& steps) {
    std::optional<LibraryCallOf> of = ReadLibraryCall(*i, threads_);
    if (!of) return false;
    program::LibraryCall& call =
        Library(i, of->name, std::move(of->dims), of->scratch_bytes, steps);
    call.cost.operations = of->operations;
    if (of->wide) call.cost.wide_operations = of->operations;
    return true;
  }

  // A call with the instruction's operands and results, which have memory already or all need it,
  // and scratch memory.
  program::LibraryCall& Library(const HloInstruction* i, std::string_view name,
                                std::vector<int64_t> dims, int64_t scratch,
                                std::vector<Step>& steps) {
    ++now_;
    program::LibraryCall call;
    call.name = name;
    call.dims = std::move(dims);
    for (const HloInstruction* o : i->operands()) {
      call.buffers.push_back(Of(o)[0]);
      call.cost.bytes_read += Of(o)[0].size;
    }
    Slices& leaves = values_[static_cast<size_t>(i->id())];
    if (leaves.empty()) {
      for (const Shape& s : LeafShapes(i->shape())) leaves.push_back(Whole(NewTemp(s.byte_size())));
    }
    for (const Slice& s : leaves) call.cost.bytes_written += s.size;
    call.buffers.insert(call.buffers.end(), leaves.begin(), leaves.end());
    call.buffers.push_back(Whole(NewTemp(scratch)));
    for (const Slice& s : call.buffers) Use(s);
    steps.push_back({std::move(call)});
    return std::get<program::LibraryCall>(steps.back().op);
  }

  // An exchange with other participants (collective.h says what its arrays are).
  absl::Status Exchange(const HloInstruction* i, std::vector<Step>& steps) {
    ++now_;
    ASSIGN_OR_RETURN(program::Collective c, CollectiveOf(*i, has_reducers_));
    Slices& leaves = values_[static_cast<size_t>(i->id())];
    const bool receives = c.kind == program::Collective::Kind::kReceive;
    for (const HloInstruction* o : i->operands()) {
      if (receives) break;
      for (const Slice& s : Of(o)) {
        Use(s);
        if (s.size > 0 || !o->shape().is_token()) c.operands.push_back(s);
      }
    }
    for (const Shape& s : LeafShapes(i->shape())) {
      leaves.push_back(Whole(NewTemp(s.byte_size())));
      if (c.results.size() < c.arrays.size() && c.kind != program::Collective::Kind::kSend)
        c.results.push_back(leaves.back());
    }
    for (const Slice& s : c.operands) c.cost.bytes_read += s.size;
    for (const Slice& s : c.results) c.cost.bytes_written += s.size;
    if (BeginsOnly(*i)) {
      c.ticket = tickets_++;
      begun_.push_back({c, now_, &steps, steps.size()});
    } else {
      ReduceInPlace(c, now_, now_);
    }
    if (c.tile_bytes > 0) {
      c.code = static_cast<int>(out_.fusions.size());
      out_.fusions.push_back(i);
    }
    steps.push_back({std::move(c)});
    return absl::OkStatus();
  }

  // Before what reads or writes them: the ends of exchanges whose results the operands are.
  void AwaitOperands(const HloInstruction& i, std::vector<Step>& steps) {
    for (size_t n = 0; n < begun_.size();) {
      const auto& results = begun_[n].step.results;
      const bool needs =
          std::any_of(i.operands().begin(), i.operands().end(), [&](const HloInstruction* x) {
            return std::any_of(Of(x).begin(), Of(x).end(), [&](const Slice& s) {
              return std::any_of(results.begin(), results.end(),
                                 [&](const Slice& r) { return r.allocation == s.allocation; });
            });
          });
      if (needs) {
        Await(n, steps);
      } else {
        ++n;
      }
    }
  }

  // The call's target is found when the program is made ready to run.
  void CallHost(const HloInstruction* i, std::vector<Step>& steps) {
    const auto& attrs = i->attrs<CustomCallAttrs>();
    program::CustomCall call;
    call.target = attrs.custom_call_target;
    call.opaque = attrs.opaque;
    call.tuple_result = i->shape().is_tuple();
    for (const HloInstruction* o : i->operands()) {
      const Slices& leaves = Of(o);
      const std::vector<Shape> shapes = LeafShapes(o->shape());
      call.operands.insert(call.operands.end(), leaves.begin(), leaves.end());
      call.operand_shapes.insert(call.operand_shapes.end(), shapes.begin(), shapes.end());
    }
    call.result_shapes = LeafShapes(i->shape());
    Slices& leaves = values_[static_cast<size_t>(i->id())];
    leaves.resize(call.result_shapes.size());
    for (const LeafAlias& a : LeafAliases(*i))
      leaves[a.result] = call.operands[a.operand] = CopyOf(call.operands[a.operand], steps);
    ++now_;
    for (const Slice& operand : call.operands) Use(operand);
    for (size_t k = 0; k < leaves.size(); ++k) {
      if (leaves[k].allocation < 0) leaves[k] = Whole(NewTemp(call.result_shapes[k].byte_size()));
    }
    call.results = leaves;
    if (!attrs.stated_shapes.empty()) {
      const auto results =
          attrs.stated_shapes.begin() + static_cast<ptrdiff_t>(call.operands.size());
      call.operand_shapes.assign(attrs.stated_shapes.begin(), results);
      call.result_shapes.assign(results, attrs.stated_shapes.end());
    }
    steps.push_back({std::move(call)});
  }

  // The state has storage of its own, which the body reads and to which, at its end, the next
  // values are copied, unless they are computed there. It begins as a copy, but for what the loop
  // overwrites.
  absl::Status WhileLoop(const HloInstruction* i, std::vector<Step>& steps) {
    Slices state;
    const Slices init = Of(i->operand(0));
    const std::vector<bool> stays = ElementsThatStay(*i);
    const std::vector<Shape> elements =
        i->shape().is_tuple() ? i->shape().tuple_shapes() : std::vector<Shape>{i->shape()};
    for (size_t k = 0; k < elements.size(); ++k) {
      for (size_t n = LeafCount(elements[k]); n > 0; --n) {
        const Slice& from = init[state.size()];
        state.push_back(IsOverwritten(i, k)   ? InPlaceOf(from)
                        : stays[state.size()] ? from
                                              : CopyOf(from, steps));
      }
    }
    program::While loop;
    loop.name = i->name();
    if (const std::optional<CountedLoop> counted = CountTurns(*i)) loop.turns = counted->turns;
    EnterLoop();
    ASSIGN_OR_RETURN(Slices predicate, Walk(*i->called(0), {state}, loop.condition));
    ++now_;
    Use(predicate[0]);
    loop.predicate = predicate[0];
    ASSIGN_OR_RETURN(Slices next, Walk(*i->called(1), {state}, loop.body));
    const std::vector<Swap> swaps = TakeSwaps(state, next);
    SaveMoved(state, next, loop.body);
    std::vector<size_t> exchanged;
    ++now_;  // all next values are there before the first is copied
    for (const Slice& v : next) Use(v);
    for (const Swap& s : swaps) Use(s.made);
    const absl::flat_hash_map<int, int> times = TimesOf(next);
    for (size_t k = 0; k < next.size(); ++k) {
      const bool once = times.at(next[k].allocation) == 1;
      if (once && ComputeIn(state[k].allocation, next[k])) continue;
      if (once && Exchanges(state[k], next[k])) {
        exchanged.push_back(k);
      } else {
        CopyStep(next[k], state[k], loop.body);
      }
    }
    for (size_t k : exchanged) {
      CopyStep(next[k], state[k], loop.body);
      std::get<program::Copy>(loop.body.back().op).exchange = true;
    }
    for (const Swap& s : swaps) AddSwap(s, loop.body);
    for (const Slice& v : state) Use(v);
    LeaveLoop();
    for (const Slice& v : state) Use(v);
    steps.push_back({std::move(loop)});
    values_[static_cast<size_t>(i->id())] = state;
    return absl::OkStatus();
  }

  // The arrays that an instruction changes in place, if nothing needs them afterwards.
  std::vector<const HloInstruction*> ChangedOperands(const HloInstruction& i) const {
    std::vector<const HloInstruction*> changed;
    if (i.op() == HloOpcode::Fusion && LeafShapes(i.shape())[0].element_count() > 0) {
      for (const KernelFacts::Base& base : facts_(&i).bases)
        changed.push_back(i.operand(base.operand));
    } else if (i.op() == HloOpcode::While || i.op() == HloOpcode::Conditional) {
      for (size_t k = i.op() == HloOpcode::Conditional ? 1 : 0; k < i.operands().size(); ++k) {
        const HloInstruction* o = i.operand(k);
        if (o->op() != HloOpcode::Tuple) changed.push_back(o);
        if (o->op() == HloOpcode::Tuple)
          changed.insert(changed.end(), o->operands().begin(), o->operands().end());
      }
    }
    return changed;
  }

  // The operand in whose storage a fusion of one result computes it, if nothing else needs that.
  const HloInstruction* Predecessor(const HloInstruction* i) const {
    if (i->op() == HloOpcode::Reshape) return i->operand(0);
    if (i->op() != HloOpcode::Fusion || i->shape().element_count() == 0) return nullptr;
    const KernelFacts& facts = facts_(i);
    if (!facts.bases.empty()) return i->operand(facts.bases[0].operand);
    for (size_t k = 0; k < facts.in_place.size(); ++k)
      if (facts.in_place[k]) return i->operand(k);
    return nullptr;
  }

  // The results have storage of their own, in which a branch computes its values where it can, and
  // to which it copies the others at its end. Where a branch passes an operand on, that is the
  // operand's storage, if nothing needs the operand afterwards.
  absl::Status Branches(const HloInstruction* i, std::vector<Step>& steps) {
    const std::vector<Shape> shapes = LeafShapes(i->shape());
    program::Conditional step;
    const Slice selector = Of(i->operand(0))[0];
    ++now_;
    Use(selector);
    step.selector = selector;
    step.selector_is_predicate = i->operand(0)->shape().element_type() == ElementType::PRED;
    std::vector<BranchResult> results(shapes.size());
    for (size_t k = 0; k < shapes.size(); ++k)
      results[k].storage = Whole(NewTemp(shapes[k].byte_size()));
    const int begin = now_;
    for (size_t b = 0; b < i->called().size(); ++b) {
      const std::vector<std::optional<size_t>> origins = Origins(
          *i->called(b), shapes.size(), [&](const HloInstruction* of) { return Predecessor(of); });
      for (size_t k = 0; k < origins.size(); ++k) {
        if (origins[k] && !results[k].operand)
          results[k].operand = Of(i->operand(b + 1))[*origins[k]];
      }
    }
    DropShared(results);
    for (size_t b = 0; b < i->called().size(); ++b) {
      step.branches.emplace_back();
      const int entered = ++now_;
      ASSIGN_OR_RETURN(Slices values,
                       Walk(*i->called(b), {Of(i->operand(b + 1))}, step.branches.back()));
      EndBranch(results, std::move(values), entered, step.branches.back());
    }
    ++now_;
    Slices& leaves = values_[static_cast<size_t>(i->id())];
    for (const BranchResult& r : results) {
      Use(r.storage);
      leaves.push_back(r.storage);
      if (r.operand) TakeOver(*r.operand, r.storage, begin);
    }
    steps.push_back({std::move(step)});
    return absl::OkStatus();
  }

  const HloModule& module_;
  const std::function<const KernelFacts&(const HloInstruction*)>& facts_;
  const int threads_;
  const bool has_reducers_;
  std::vector<Slices> values_;  // of each instruction, by id: one a leaf
  absl::flat_hash_map<const Literal*, int> constants_;
  absl::flat_hash_map<const HloInstruction*, std::vector<bool>> overwritten_;  // of loops
  absl::flat_hash_map<const HloInstruction*, absl::flat_hash_set<const HloInstruction*>> needed_;
  // Of tuples the first leaf of each element, and the end.
  absl::flat_hash_map<const HloInstruction*, std::vector<size_t>> first_leaves_;
};

}  // namespace

absl::StatusOr<BufferAssignment> AssignBuffers(
    const HloModule& module, const std::function<const KernelFacts&(const HloInstruction*)>& facts,
    int threads, bool has_reducers) {
  return Assigner(module, facts, threads, has_reducers).Run();
}

}  // namespace sinter
