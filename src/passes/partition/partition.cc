#include "passes/partition/partition.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "base/status.h"
#include "ir/participants.h"
#include "passes/partition/call_on_one.h"
#include "passes/partition/local_operation.h"
#include "passes/partition/propagate.h"

namespace sinter {
namespace partition {
namespace {

using Shards = std::vector<Shard>;  // by leaf

// {true,false} of an annotation of the module.
std::vector<bool> FlagsOf(const HloModule& module, std::string_view name) {
  std::vector<bool> flags;
  const std::string* text = Find(module.annotations(), name);
  for (size_t at = 0; text != nullptr && at < text->size(); ++at) {
    if (text->compare(at, 4, "true") == 0) flags.push_back(true);
    if (text->compare(at, 5, "false") == 0) flags.push_back(false);
  }
  return flags;
}

bool IsOverAll(const Sharding& s, int64_t partitions) {
  if (s.kind == Sharding::Kind::kMaximal) return s.device < partitions;
  if (s.kind != Sharding::Kind::kTiled) return true;
  Dims sorted = s.devices, all(static_cast<size_t>(partitions));
  std::sort(sorted.begin(), sorted.end());
  std::iota(all.begin(), all.end(), 0);
  return sorted == all;
}

class Partitioner {
 public:
  Partitioner(HloModule& module, const PartitionOptions& options, PartitionLog* log)
      : module_(module), options_(options), log_(log) {}

  absl::StatusOr<bool> Run() {
    const int64_t partitions = module_.partition_count();
    if (partitions < 2) return false;
    computations_ = ControlComputations(module_);
    ASSIGN_OR_RETURN(Statements stated, ReadStatements(module_, computations_));
    if (stated.empty()) return false;
    RETURN_IF_ERROR(Check(stated));
    if (CallOnce()) {
      computations_ = ControlComputations(module_);
      ASSIGN_OR_RETURN(stated, ReadStatements(module_, computations_));
    }
    statements_ = std::move(stated);
    PropagationOptions spread{options_.cut_parameters, options_.cut_results};
    if (spread.to_parameters.empty())
      spread.to_parameters = FlagsOf(module_, "allow_spmd_sharding_propagation_to_parameters");
    if (spread.to_results.empty())
      spread.to_results = FlagsOf(module_, "allow_spmd_sharding_propagation_to_output");
    ASSIGN_OR_RETURN(shardings_, Propagate(computations_, statements_,
                                           ChooseMesh(partitions, statements_.All()), spread));
    PlaceStates();
    FindChannels();
    const HloComputation* old_entry = module_.entry();
    for (size_t c = computations_.size(); c-- > 0;) RETURN_IF_ERROR(Rebuild(*computations_[c]));
    HloComputation* entry = rebuilt_.at(old_entry);
    Report(*old_entry);
    std::erase_if(module_.aliases(), [&](const InputOutputAlias& a) {
      const Shape result = LeafAt(entry->root()->shape(), a.output_index);
      const Shape argument =
          LeafAt(entry->parameter(static_cast<size_t>(a.parameter))->shape(), a.parameter_index);
      return !result.is_array() || !argument.is_array() ||
             result.packed_byte_size() != argument.packed_byte_size();
    });
    const std::string name = old_entry->name();
    module_.set_entry(entry);
    module_.RemoveUnreachable();
    entry->set_name(name);
    entry->RemoveDead();
    DropAnnotations();
    return true;
  }

 private:
  static Shape LeafAt(const Shape& shape, const Dims& index) {
    const Shape* at = &shape;
    for (int64_t k : index) {
      if (!at->is_tuple() || k >= static_cast<int64_t>(at->tuple_shapes().size())) return {};
      at = &at->tuple_shapes()[static_cast<size_t>(k)];
    }
    return *at;
  }

  absl::Status Check(const Statements& stated) const {
    for (const Sharding& s : stated.All()) {
      if (!IsOverAll(s, module_.partition_count()))
        return InvalidArgument("sharding {}: the devices are not the program's {} partitions",
                               ToText(s), module_.partition_count());
    }
    for (const HloComputation* c : computations_) {
      for (const auto& i : c->instructions()) {
        for (const Shape& leaf : LeavesOf(i->shape())) {
          for (int64_t size : leaf.dimensions()) {
            if (size > std::numeric_limits<int32_t>::max())
              return Unimplemented("'{}': a dimension of {} elements in a program of partitions",
                                   i->name(), size);
          }
        }
      }
    }
    return absl::OkStatus();
  }

  static bool Runs(HloOpcode op) {
    return op == HloOpcode::While || op == HloOpcode::Conditional || op == HloOpcode::Call;
  }

  // A computation that control flow runs from several places is copied: each is cut in its own way.
  bool CallOnce() {
    bool changed = false;
    absl::flat_hash_map<const HloComputation*, int> calls;
    for (size_t c = 0; c < computations_.size(); ++c) {
      for (HloInstruction* i : computations_[c]->PostOrder()) {
        if (!Runs(i->op())) continue;
        for (size_t k = 0; k < i->called().size(); ++k) {
          HloComputation* called = i->called(k);
          if (calls[called]++ == 0) continue;
          HloComputation* copy = module_.AddComputation(called->name());
          std::vector<HloInstruction*> parameters;
          for (const HloInstruction* p : called->parameters()) {
            HloInstruction* own =
                copy->AddParameter(p->attrs<ParameterAttrs>().number, p->shape(), p->name());
            own->copy_annotations(*p);
            parameters.push_back(own);
          }
          copy->set_root(copy->Inline(*called, parameters));
          copy->copy_annotations(*called);
          i->set_called(k, copy);
          changed = true;
          // What the copy runs has two callers now; callers come first in this list.
          computations_.push_back(copy);
        }
      }
    }
    return changed;
  }

  // Shardings are stated on copies: what computes the array only for one is partial as it.
  Partial PartialOf(const HloInstruction* i) const {
    const std::vector<ValueSharding>& values = shardings_.values.at(i);
    if (values.size() != 1) return {};
    if (values[0].partial.axes != 0 || i->users().size() != 1) return values[0].partial;
    const HloInstruction* user = i->users()[0];
    const bool passes = user->op() == HloOpcode::Copy || Distributes(*user);
    if (!passes || statements_.borders.count(user) != 0) return {};
    const Partial partial = PartialOf(user);
    return (SetOf(values[0].dims) & partial.axes) == 0 ? partial : Partial();
  }

  // Of sums: the sum of what it makes of the parts is what it makes of their sums.
  static bool Distributes(const HloInstruction& i) {
    switch (i.op()) {
      case HloOpcode::Add:
      case HloOpcode::Subtract:
      case HloOpcode::Negate:
      case HloOpcode::Reshape:
      case HloOpcode::Transpose:
        return true;
      default:
        return false;
    }
  }

  std::vector<AxesOfDims> DimsOf(const HloInstruction* i) const {
    std::vector<AxesOfDims> dims;
    for (const ValueSharding& s : shardings_.values.at(i)) dims.push_back(s.dims);
    return dims;
  }

  // What computations get and give: a loop its state, as the loop's result is cut.
  void PlaceStates() {
    for (HloComputation* c : computations_) {
      for (const HloInstruction* i : c->PostOrder()) {
        switch (i->op()) {
          case HloOpcode::While:
            parameters_[i->called(0)] = parameters_[i->called(1)] = returned_[i->called(1)] =
                DimsOf(i);
            break;
          case HloOpcode::Conditional:
            for (size_t b = 0; b < i->called().size(); ++b) {
              parameters_[i->called(b)] = DimsOf(i->called(b)->parameter(0));
              returned_[i->called(b)] = DimsOf(i);
            }
            break;
          case HloOpcode::Call:
            for (const HloInstruction* p : i->called(0)->parameters()) {
              for (AxesOfDims& dims : DimsOf(p)) parameters_[i->called(0)].push_back(dims);
            }
            returned_[i->called(0)] = DimsOf(i);
            break;
          default:
            break;
        }
      }
    }
  }

  void FindChannels() {
    for (const auto& c : module_.computations()) {
      for (const auto& i : c->instructions()) {
        std::optional<int64_t> channel;
        if (const auto* a = std::get_if<CollectiveAttrs>(&i->attributes())) {
          channel = a->channel_id;
        } else if (const auto* p = std::get_if<CollectivePermuteAttrs>(&i->attributes())) {
          channel = p->channel_id;
        } else if (const auto* t = std::get_if<TransferAttrs>(&i->attributes())) {
          channel = t->channel_id;
        }
        next_channel_ = std::max(next_channel_, channel.value_or(0) + 1);
      }
    }
  }

  // --- one computation

  // Flat values as a value of the shape.
  HloInstruction* Bundle(ShardBuilder& b, const Shape& shape, absl::Span<const Shard>& leaves) {
    if (!shape.is_tuple()) {
      HloInstruction* x = leaves[0].i;
      leaves.remove_prefix(1);
      return x;
    }
    std::vector<HloInstruction*> elements;
    for (const Shape& s : shape.tuple_shapes()) elements.push_back(Bundle(b, s, leaves));
    return b.graph().Add(HloOpcode::Tuple, elements);
  }
  HloInstruction* Bundled(ShardBuilder& b, const Shape& shape, const Shards& leaves) {
    absl::Span<const Shard> all = leaves;
    return Bundle(b, shape, all);
  }
  void Unbundle(ShardBuilder& b, HloInstruction* x, std::vector<HloInstruction*>& out) {
    if (!x->shape().is_tuple()) {
      out.push_back(x);
      return;
    }
    for (size_t k = 0; k < x->shape().tuple_shapes().size(); ++k)
      Unbundle(b, b.graph().Element(x, static_cast<int64_t>(k)), out);
  }
  Shards Unbundled(ShardBuilder& b, HloInstruction* x, const std::vector<AxesOfDims>& dims) {
    std::vector<HloInstruction*> leaves;
    Unbundle(b, x, leaves);
    Shards out;
    for (size_t k = 0; k < leaves.size(); ++k) out.push_back({leaves[k], dims[k]});
    return out;
  }

  Shape PartOf(ShardBuilder& b, const Shape& shape, absl::Span<const AxesOfDims>& dims,
               absl::Span<const Sharding* const>& foreign) {
    if (!shape.is_tuple()) {
      Shape part = shape;
      if (shape.is_array()) {
        part = foreign.empty() || foreign[0] == nullptr
                   ? b.PartShape(shape, dims[0])
                   : ShardBuilder::ForeignPartShape(shape, *foreign[0]);
      }
      dims.remove_prefix(1);
      if (!foreign.empty()) foreign.remove_prefix(1);
      return part;
    }
    std::vector<Shape> parts;
    for (const Shape& s : shape.tuple_shapes()) parts.push_back(PartOf(b, s, dims, foreign));
    return Shape::Tuple(std::move(parts));
  }

  Shards Resharded(ShardBuilder& b, const Shards& x, const Shape& shape,
                   const std::vector<AxesOfDims>& to, const Partial& partial = {}) {
    const std::vector<Shape> leaves = LeavesOf(shape);
    Shards out;
    for (size_t k = 0; k < x.size(); ++k) out.push_back(b.Reshard(x[k], leaves[k], to[k], partial));
    return out;
  }

  absl::Status Rebuild(HloComputation& old) {
    const bool is_entry = &old == module_.entry();
    HloComputation* c = module_.AddComputation(old.name());
    rebuilt_[&old] = c;
    c->copy_annotations(old);
    ShardBuilder b(*c, shardings_.mesh, &next_channel_);
    values_.clear();
    RETURN_IF_ERROR(AddParameters(b, old, is_entry));
    for (HloInstruction* i : old.PostOrder()) {
      if (i->op() == HloOpcode::Parameter) continue;
      b.Begin(*i);
      ASSIGN_OR_RETURN(Shards shards, Visit(b, *i));
      values_[i] = std::move(shards);
      RETURN_IF_ERROR(b.status());
    }
    const HloInstruction* root = old.root();
    b.Begin(*root);
    Shards result = values_.at(root);
    auto returned = returned_.find(&old);
    if (is_entry) {
      const std::vector<Shape> leaves = LeavesOf(root->shape());
      for (size_t k = 0; k < result.size(); ++k) {
        const ValueSharding& s = shardings_.results[k];
        result[k] = b.Reshard(result[k], leaves[k], s.dims, s.partial);
        if (s.foreign != nullptr) result[k].i = b.ToForeign(result[k].i, leaves[k], *s.foreign);
      }
    } else {
      // A loop's condition gives one element, which nothing cuts.
      std::vector<AxesOfDims> to =
          returned != returned_.end() ? returned->second : std::vector<AxesOfDims>(1);
      result = Resharded(b, result, root->shape(), to);
    }
    c->set_root(Bundled(b, root->shape(), result));
    return b.status();
  }

  absl::Status AddParameters(ShardBuilder& b, const HloComputation& old, bool is_entry) {
    std::vector<AxesOfDims> dims;
    std::vector<const Sharding*> foreign;
    auto known = parameters_.find(&old);
    if (!is_entry && known != parameters_.end()) dims = known->second;
    for (const HloInstruction* p : old.parameters()) {
      for (const ValueSharding& s : shardings_.values.at(p)) {
        if (is_entry) dims.push_back(s.dims);
        foreign.push_back(s.foreign);
      }
    }
    if (!is_entry) foreign.assign(foreign.size(), nullptr);
    absl::Span<const AxesOfDims> all_dims = dims;
    absl::Span<const Sharding* const> all_foreign = foreign;
    for (const HloInstruction* p : old.parameters()) {
      const size_t leaves = LeafCount(p->shape());
      const std::vector<AxesOfDims> mine(all_dims.begin(),
                                         all_dims.begin() + static_cast<int64_t>(leaves));
      const std::vector<const Sharding*> others(all_foreign.begin(),
                                                all_foreign.begin() + static_cast<int64_t>(leaves));
      const Shape part = PartOf(b, p->shape(), all_dims, all_foreign);
      HloInstruction* own =
          b.computation().AddParameter(p->attrs<ParameterAttrs>().number, part, p->name());
      own->set_metadata(p->metadata());
      own->set_annotations(WithoutShardings(p->annotations()));
      b.Begin(*p);
      Shards shards = Unbundled(b, own, mine);
      const std::vector<Shape> shapes = LeavesOf(p->shape());
      for (size_t k = 0; k < shards.size(); ++k) {
        if (is_entry) shards[k].partial = shardings_.values.at(p)[k].partial;
        if (others[k] != nullptr) shards[k].i = b.FromForeign(shards[k].i, shapes[k], *others[k]);
      }
      values_[p] = std::move(shards);
    }
    return b.status();
  }

  absl::StatusOr<Shards> Visit(ShardBuilder& b, const HloInstruction& i) {
    switch (i.op()) {
      case HloOpcode::Tuple: {
        Shards out;
        for (const HloInstruction* x : i.operands()) {
          const Shards& leaves = values_.at(x);
          out.insert(out.end(), leaves.begin(), leaves.end());
        }
        return out;
      }
      case HloOpcode::GetTupleElement: {
        const Shards& leaves = values_.at(i.operand(0));
        const auto first =
            leaves.begin() + static_cast<int64_t>(FirstLeaf(i.operand(0)->shape(),
                                                            i.attrs<TupleElementAttrs>().index));
        return Shards(first, first + static_cast<int64_t>(LeafCount(i.shape())));
      }
      case HloOpcode::OptimizationBarrier: {
        const Shards& x = values_.at(i.operand(0));
        std::vector<AxesOfDims> dims;
        for (const Shard& s : x) dims.push_back(s.dims);
        HloInstruction* barrier = b.graph().Add(i.op(), {Bundled(b, i.shape(), x)}, i.attributes());
        Shards out = Unbundled(b, barrier, dims);
        for (size_t k = 0; k < out.size(); ++k) out[k].partial = x[k].partial;
        return Resharded(b, out, i.shape(), DimsOf(&i));
      }
      case HloOpcode::While:
      case HloOpcode::Conditional:
      case HloOpcode::Call:
        return Run(b, i);
      default:
        break;
    }
    if (statements_.borders.count(&i) != 0) return Cross(b, i);
    if (i.op() == HloOpcode::Parameter) return Whole(b, i);
    // Copies only say how their operands are cut.
    if (i.op() == HloOpcode::Copy) {
      Shards x = values_.at(i.operand(0));
      return Resharded(b, x, i.shape(), DimsOf(&i), PartialOf(&i));
    }
    const Rule rule = RuleOf(i);
    const bool has_rule =
        std::any_of(rule.results.begin(), rule.results.end(),
                    [](auto& dims) {
                      return std::any_of(dims.begin(), dims.end(),
                                         [](const Dims& d) { return !d.empty(); });
                    }) ||
        std::any_of(rule.operands.begin(), rule.operands.end(), [](auto& dims) {
          return std::any_of(dims.begin(), dims.end(), [](const Dims& d) { return !d.empty(); });
        });
    const bool is_array =
        std::all_of(i.operands().begin(), i.operands().end(),
                    [](const HloInstruction* x) { return x->shape().is_array(); });
    if (!has_rule || !is_array) return Whole(b, i);
    std::vector<AxesOfDims> operands;
    for (const HloInstruction* x : i.operands()) operands.push_back(values_.at(x)[0].dims);
    const std::vector<AxesOfDims> wanted = DimsOf(&i);
    const OperationCut cut =
        ChooseCut(shardings_.mesh, i, rule, operands, wanted, shardings_.ManualOf(&i));
    const Partial partial = PartialOf(&i);
    const bool distributes =
        partial.axes != 0 && partial.op == HloOpcode::Add && Distributes(i) &&
        std::all_of(i.operands().begin(), i.operands().end(),
                    [&](const HloInstruction* x) { return values_.at(x)[0].partial == partial; });
    std::vector<HloInstruction*> parts;
    for (size_t k = 0; k < i.operands().size(); ++k) {
      const HloInstruction* x = i.operand(k);
      parts.push_back(b.Reshard(values_.at(x)[0], x->shape(), cut.operands[k],
                                distributes ? partial : Partial())
                          .i);
    }
    NoteWhole(i, operands, cut);
    Shards out = LocalOperation(b, i, rule, cut, parts, wanted, partial);
    if (distributes) out[0].partial = partial;
    return Resharded(b, out, i.shape(), wanted, partial);
  }

  // Where an operation had cut operands and is computed by every partition all the same.
  void NoteWhole(const HloInstruction& i, const std::vector<AxesOfDims>& operands,
                 const OperationCut& cut) {
    AxisSet before = 0, after = SetOf(cut.combined);
    for (const AxesOfDims& dims : operands) before |= SetOf(dims);
    for (const AxesOfDims& dims : cut.operands) after |= SetOf(dims);
    for (const AxesOfDims& dims : cut.results) after |= SetOf(dims);
    if (before != 0 && after == 0)
      Note(i, "its dimensions that are cut have no rule, or moving them costs less");
  }
  void Note(const HloInstruction& i, std::string_view why) {
    if (log_ != nullptr)
      log_->replicated.push_back(Format("{} '{}': {}", Name(i.op()), i.name(), why));
  }

  // By every partition, of whole operands; a call that one shall make by that one.
  absl::StatusOr<Shards> Whole(ShardBuilder& b, const HloInstruction& i) {
    std::vector<HloInstruction*> operands;
    bool moved = false;
    for (const HloInstruction* x : i.operands()) {
      Shards whole = values_.at(x);
      const std::vector<Shape> shapes = LeavesOf(x->shape());
      for (size_t k = 0; k < whole.size(); ++k) {
        moved |= SetOf(whole[k].dims) != 0;
        whole[k] = b.Reshard(whole[k], shapes[k], AxesOfDims(whole[k].dims.size()));
      }
      operands.push_back(Bundled(b, x->shape(), whole));
    }
    std::vector<AxesOfDims> none;
    for (const Shape& leaf : LeavesOf(i.shape()))
      none.emplace_back(static_cast<size_t>(leaf.rank()));
    const auto caller = statements_.callers.find(&i);
    // A manual part is written for each partition.
    if (caller != statements_.callers.end() && shardings_.ManualOf(&i) == 0) {
      Shards out = Unbundled(b, CallOnOne(b, i, operands, caller->second.device), none);
      for (Shard& x : out) {
        if (x.i->shape().is_array()) x.i = b.FromForeign(x.i, x.i->shape(), caller->second);
      }
      return Resharded(b, out, i.shape(), DimsOf(&i));
    }
    if (moved) Note(i, "there is no rule for it");
    HloInstruction* own =
        b.computation().AddWithShape(i.op(), i.shape(), operands, i.attributes(), i.called());
    own->set_metadata(i.metadata());
    if (i.op() == HloOpcode::CustomCall) own->set_annotations(WithoutShardings(i.annotations()));
    if (IsAsync(i)) MarkAsync(own);
    return Resharded(b, Unbundled(b, own, none), i.shape(), DimsOf(&i));
  }

  absl::StatusOr<Shards> Run(ShardBuilder& b, const HloInstruction& i) {
    std::vector<HloInstruction*> operands;
    std::vector<HloComputation*> called;
    for (const HloComputation* c : i.called()) called.push_back(rebuilt_.at(c));
    size_t first = 0;
    for (size_t k = 0; k < i.operands().size(); ++k) {
      const HloInstruction* x = i.operand(k);
      const size_t leaves = LeafCount(x->shape());
      std::vector<AxesOfDims> to;
      if (i.op() == HloOpcode::While) {
        to = DimsOf(&i);
      } else if (i.op() == HloOpcode::Conditional) {
        to = k == 0 ? std::vector<AxesOfDims>(1) : parameters_.at(i.called(k - 1));
      } else {
        const std::vector<AxesOfDims>& all = parameters_.at(i.called(0));
        const auto begin = all.begin() + static_cast<int64_t>(first);
        to.assign(begin, begin + static_cast<int64_t>(leaves));
        first += leaves;
      }
      operands.push_back(Bundled(b, x->shape(), Resharded(b, values_.at(x), x->shape(), to)));
    }
    HloInstruction* own = b.computation().AddWithShape(i.op(), called.back()->root()->shape(),
                                                       operands, i.attributes(), called);
    own->set_metadata(i.metadata());
    return Unbundled(b, own, DimsOf(&i));
  }

  // The same array under another name: cut first by the axes of the manual part.
  absl::StatusOr<Shards> Cross(ShardBuilder& b, const HloInstruction& i) {
    const Mesh& mesh = shardings_.mesh;
    const bool into = statements_.borders.at(&i).into_manual;
    const AxesOfDims& whole =
        into ? shardings_.borders.at(&i).dims : shardings_.values.at(&i)[0].dims;
    ASSIGN_OR_RETURN(const std::vector<size_t> prefixes, ManualPrefixes(mesh, i, whole));
    Shard x = values_.at(i.operand(0))[0];
    const Shape& inside = into ? i.shape() : i.operand(0)->shape();
    AxesOfDims outer, inner;
    for (size_t d = 0; d < whole.size(); ++d) {
      const auto prefix = whole[d].begin() + static_cast<int64_t>(prefixes[d]);
      Axes free = into ? Axes(prefix, whole[d].end()) : x.dims[d];
      // Parts of parts are parts of the whole only where they are of one size.
      if (inside.dimension(static_cast<int64_t>(d)) % mesh.Parts(free) != 0) free.clear();
      inner.push_back(free);
      Axes all(whole[d].begin(), prefix);
      all.insert(all.end(), free.begin(), free.end());
      outer.push_back(std::move(all));
    }
    // Of the manual part's axes partitions have arrays of their own, there whole.
    const AxisSet manual = ManualAxesOf(mesh, statements_.borders.at(&i));
    const Partial& partial =
        into ? shardings_.borders.at(&i).partial : shardings_.values.at(&i)[0].partial;
    if (into) {
      x = b.Reshard(x, i.operand(0)->shape(), outer, partial);
      x.dims = inner;
      x.partial.axes &= ~manual;
      if (x.partial.axes == 0) x.partial = {};
    } else {
      x = b.Reshard(x, inside, inner);
      x.dims = outer;
      x.partial = {partial.axes & manual, partial.op};
      if (x.partial.axes == 0) x.partial = {};
    }
    return Resharded(b, {x}, i.shape(), DimsOf(&i), PartialOf(&i));
  }

  // --- what is left

  void Report(const HloComputation& old) {
    if (log_ == nullptr) return;
    log_->partitioned = true;
    auto report = [&](const ValueSharding& s) {
      return s.foreign != nullptr ? *s.foreign : shardings_.mesh.ToSharding(s.dims, s.partial.axes);
    };
    for (const HloInstruction* p : old.parameters()) {
      for (const ValueSharding& s : shardings_.values.at(p)) log_->parameters.push_back(report(s));
    }
    for (const ValueSharding& s : shardings_.results) log_->results.push_back(report(s));
  }

  // What was stated holds no longer.
  void DropAnnotations() {
    Annotations of_module = module_.annotations();
    std::erase_if(of_module, [](const Annotation& a) {
      return a.name.starts_with("sdy.mesh.") ||
             a.name.starts_with("allow_spmd_sharding_propagation_to");
    });
    module_.set_annotations(std::move(of_module));
    Annotations of_entry = module_.entry()->annotations();
    std::erase_if(of_entry, [](const Annotation& a) {
      return a.name.starts_with("results.") && a.name.ends_with("sharding");
    });
    module_.entry()->set_annotations(std::move(of_entry));
  }

  HloModule& module_;
  const PartitionOptions& options_;
  PartitionLog* log_;
  std::vector<HloComputation*> computations_;
  Statements statements_;
  Shardings shardings_{Mesh({}, {0}), {}, {}, {}, {}};
  std::map<const HloComputation*, std::vector<AxesOfDims>> parameters_, returned_;
  absl::flat_hash_map<const HloComputation*, HloComputation*> rebuilt_;
  absl::flat_hash_map<const HloInstruction*, Shards> values_;
  int64_t next_channel_ = 1;
};

}  // namespace
}  // namespace partition

std::unique_ptr<Pass> MakePartitionPass(PartitionOptions options, PartitionLog* log) {
  return MakePass("partition",
                  [options = std::move(options), log](HloModule& m) -> absl::StatusOr<bool> {
                    return partition::Partitioner(m, options, log).Run();
                  });
}

}  // namespace sinter
