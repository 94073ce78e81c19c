#include "passes/expand/dynamic_dimensions.h"

#include <limits>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "base/status.h"
#include "passes/expand/dynamic_values.h"

namespace sinter {
namespace expand {
namespace {

bool IsSizeOperation(HloOpcode op) {
  return op == HloOpcode::GetDimensionSize || op == HloOpcode::SetDimensionSize ||
         op == HloOpcode::DynamicReshape;
}

bool IsDynamic(const HloComputation& c) {
  return absl::c_any_of(c.instructions(), [](const auto& i) {
    return IsSizeOperation(i->op()) || !i->shape().is_static();
  });
}

// Everything from here on relies on bounds.
absl::Status CheckBounds(const HloInstruction& i, const Shape& s) {
  for (const Shape& element : s.tuple_shapes()) RETURN_IF_ERROR(CheckBounds(i, element));
  for (int64_t d = 0; d < s.rank(); ++d) {
    if (s.dimension(d) == Shape::kUnbounded) {
      return InvalidArgument(
          "{} {}: dimension {} of {} has no bound; shapes of the arguments may make it static",
          Name(i.op()), i.name(), d, s.ToString());
    }
    if (s.is_dynamic(d) && s.dimension(d) > std::numeric_limits<int32_t>::max()) {
      return Unimplemented("{} {}: dimension {} of {} may have more than 2^31 - 1 elements",
                           Name(i.op()), i.name(), d, s.ToString());
    }
  }
  return absl::OkStatus();
}

// An array or token with its sizes, or a tuple of values.
struct Value {
  Sized leaf;
  std::vector<Value> elements;
  bool is_tuple = false;
};

// The arrays of a value and the sizes that `declared` has dynamic, in the order of a walk.
void Pack(Graph& g, const Value& v, const Shape& declared, std::vector<HloInstruction*>& out) {
  if (v.is_tuple) {
    for (size_t k = 0; k < v.elements.size(); ++k)
      Pack(g, v.elements[k], declared.tuple_shapes()[k], out);
    return;
  }
  out.push_back(v.leaf.array);
  for (int64_t d = 0; d < declared.rank(); ++d) {
    if (!declared.is_dynamic(d)) continue;
    HloInstruction* size = v.leaf.size(d);
    const auto bound = static_cast<double>(declared.dimension(d));
    out.push_back(size ? size : g.Scalar(ElementType::S32, bound));
  }
}

// The value that Pack has taken apart.
Value Unpack(const Shape& declared, const std::vector<HloInstruction*>& packed, size_t& next) {
  Value v;
  if (declared.is_tuple()) {
    v.is_tuple = true;
    for (const Shape& s : declared.tuple_shapes()) v.elements.push_back(Unpack(s, packed, next));
    return v;
  }
  v.leaf.array = packed[next++];
  v.leaf.sizes.resize(static_cast<size_t>(declared.rank()));
  for (int64_t d = 0; d < declared.rank(); ++d) {
    if (declared.is_dynamic(d)) v.leaf.sizes[static_cast<size_t>(d)] = packed[next++];
  }
  return v;
}

std::vector<Shape> PackedShapes(const Shape& declared) {
  if (declared.is_tuple()) {
    std::vector<Shape> shapes;
    for (const Shape& s : declared.tuple_shapes()) {
      for (Shape& packed : PackedShapes(s)) shapes.push_back(std::move(packed));
    }
    return shapes;
  }
  std::vector<Shape> shapes{Bounds(declared)};
  for (int64_t d = 0; d < declared.rank(); ++d) {
    if (declared.is_dynamic(d)) shapes.emplace_back(ElementType::S32);
  }
  return shapes;
}

// A tuple of values as an instruction, without its sizes.
HloInstruction* Whole(Graph& g, const Value& v) {
  if (!v.is_tuple) return v.leaf.array;
  std::vector<HloInstruction*> elements;
  for (const Value& e : v.elements) elements.push_back(Whole(g, e));
  return g.Add(HloOpcode::Tuple, elements);
}

Value TakeApart(Graph& g, HloInstruction* i) {
  Value v;
  v.is_tuple = i->shape().is_tuple();
  v.leaf.array = i;
  v.leaf.sizes.resize(static_cast<size_t>(i->shape().rank()));
  for (size_t k = 0; k < i->shape().tuple_shapes().size(); ++k)
    v.elements.push_back(TakeApart(g, g.Element(i, static_cast<int64_t>(k))));
  return v;
}

bool HasSizes(const Value& v) {
  return v.is_tuple ? absl::c_any_of(v.elements, HasSizes) : !v.leaf.is_static();
}

class Rewriter {
 public:
  // What the instructions of `from` become, in `to`, for these values of its parameters.
  absl::StatusOr<Value> Run(const HloComputation& from, HloComputation& to,
                            const std::vector<Value>& arguments) {
    absl::flat_hash_map<const HloInstruction*, Value> values;
    for (const HloInstruction* i : from.PostOrder()) {
      if (i->op() == HloOpcode::Parameter) {
        values[i] = arguments[static_cast<size_t>(i->attrs<ParameterAttrs>().number)];
        continue;
      }
      std::vector<const Value*> operands;
      for (const HloInstruction* o : i->operands()) operands.push_back(&values.at(o));
      ASSIGN_OR_RETURN(Value value, Rewrite(*i, to, operands));
      values[i] = std::move(value);
    }
    return values.at(from.root());
  }

 private:
  absl::StatusOr<Value> Rewrite(const HloInstruction& i, HloComputation& to,
                                const std::vector<const Value*>& operands) {
    Graph g(to, i);
    switch (i.op()) {
      case HloOpcode::Tuple: {
        Value v;
        v.is_tuple = true;
        for (const Value* o : operands) v.elements.push_back(*o);
        return v;
      }
      case HloOpcode::GetTupleElement:
        return operands[0]->elements[static_cast<size_t>(i.attrs<TupleElementAttrs>().index)];
      case HloOpcode::Call: {
        std::vector<Value> arguments;
        for (const Value* o : operands) arguments.push_back(*o);
        return Run(*i.called(0), to, arguments);
      }
      case HloOpcode::OptimizationBarrier:
        if (HasSizes(*operands[0])) return Barrier(i, g, *operands[0]);
        break;
      case HloOpcode::While:
        if (IsDynamic(*i.called(0)) || IsDynamic(*i.called(1)) || HasSizes(*operands[0]))
          return While(i, g, *operands[0]);
        break;
      case HloOpcode::Conditional:
        if (absl::c_any_of(i.called(), [](const HloComputation* c) { return IsDynamic(*c); }) ||
            absl::c_any_of(operands, [](const Value* v) { return HasSizes(*v); }))
          return Conditional(i, g, to, operands);
        break;
      case HloOpcode::Scan:
        if (IsDynamic(*i.called(0)) ||
            absl::c_any_of(operands, [](const Value* v) { return HasSizes(*v); }))
          return Scan(i, g, to, operands);
        break;
      default:
        break;
    }
    const bool tuples = absl::c_any_of(operands, [](const Value* v) { return v->is_tuple; });
    const bool plain = i.shape().is_static() && !IsSizeOperation(i.op()) &&
                       absl::c_none_of(operands, [](const Value* v) { return HasSizes(*v); });
    if (plain) {
      std::vector<HloInstruction*> arrays;
      for (const Value* o : operands) arrays.push_back(Whole(g, *o));
      HloInstruction* copy =
          to.AddWithShape(i.op(), i.shape(), arrays, i.attributes(), i.called(), i.name());
      copy->set_metadata(i.metadata());
      RETURN_IF_ERROR(g.status());
      return TakeApart(g, copy);
    }
    if (tuples || i.HasSideEffect()) {
      return Unimplemented("{} {} with dynamic dimensions: {}", Name(i.op()), i.name(),
                           i.shape().ToString());
    }
    std::vector<Sized> arrays;
    for (const Value* o : operands) arrays.push_back(o->leaf);
    ASSIGN_OR_RETURN(std::vector<Sized> results, SizedOperation(to, i, std::move(arrays)).Run());
    Value v;
    v.is_tuple = i.shape().is_tuple();
    if (!v.is_tuple) v.leaf = std::move(results[0]);
    if (v.is_tuple) {
      for (Sized& r : results) v.elements.push_back({std::move(r), {}, false});
    }
    return v;
  }

  static absl::StatusOr<Value> Barrier(const HloInstruction& i, Graph& g, const Value& v) {
    std::vector<HloInstruction*> packed;
    Pack(g, v, i.operand(0)->shape(), packed);
    HloInstruction* after =
        g.Add(HloOpcode::OptimizationBarrier, {g.Add(HloOpcode::Tuple, packed)});
    size_t next = 0;
    Value result = Unpack(i.operand(0)->shape(), g.Elements(after), next);
    RETURN_IF_ERROR(g.status());
    return result;
  }

  // `from` as a computation that takes what Pack makes of its only parameter, of shape `taken`, and
  // gives what it makes of a result of shape `given`, or the only array.
  absl::StatusOr<HloComputation*> Packed(const HloComputation& from, const HloInstruction& i,
                                         const Shape& taken, const Shape* given) {
    HloComputation* to = i.parent()->module()->AddComputation(from.name());
    Graph g(*to, i);
    HloInstruction* parameter = to->AddParameter(0, Shape::Tuple(PackedShapes(taken)));
    size_t next = 0;
    const Value argument = Unpack(taken, g.Elements(parameter), next);
    ASSIGN_OR_RETURN(const Value result, Run(from, *to, {argument}));
    std::vector<HloInstruction*> packed;
    if (given) Pack(g, result, *given, packed);
    to->set_root(given ? g.Add(HloOpcode::Tuple, packed) : result.leaf.array);
    RETURN_IF_ERROR(g.status());
    return to;
  }

  absl::StatusOr<Value> While(const HloInstruction& i, Graph& g, const Value& initial) {
    const Shape& state = i.called(1)->parameter(0)->shape();
    ASSIGN_OR_RETURN(HloComputation * condition, Packed(*i.called(0), i, state, nullptr));
    ASSIGN_OR_RETURN(HloComputation * body, Packed(*i.called(1), i, state, &state));
    std::vector<HloInstruction*> packed;
    Pack(g, initial, state, packed);
    HloInstruction* loop =
        g.Add(HloOpcode::While, {g.Add(HloOpcode::Tuple, packed)}, NoAttrs{}, {condition, body});
    RETURN_IF_ERROR(g.status());
    size_t next = 0;
    Value result = Unpack(state, g.Elements(loop), next);
    RETURN_IF_ERROR(g.status());
    return result;
  }

  // A loop of as many iterations as the inputs have elements. Its state: the iteration, the number
  // of iterations, the carries, the outputs so far, each followed by its sizes, the inputs.
  absl::StatusOr<Value> Scan(const HloInstruction& i, Graph& g, HloComputation& to,
                             const std::vector<const Value*>& operands) {
    const auto& attrs = i.attrs<ScanAttrs>();
    const int64_t dimension = attrs.dimensions[0];
    const auto at = static_cast<size_t>(dimension);
    const auto carries = static_cast<size_t>(attrs.num_carries), inputs = operands.size() - carries;
    const bool tuple = i.shape().is_tuple();
    const std::vector<Shape> shapes =
        tuple ? i.shape().tuple_shapes() : std::vector<Shape>{i.shape()};
    const size_t outputs = shapes.size() - carries;

    HloInstruction* length = nullptr;
    for (size_t k = 0; k < inputs; ++k) {
      HloInstruction* size = operands[k]->leaf.sizes[at];
      if (size && length != size)
        length = length ? g.Add(HloOpcode::Minimum, {length, size}) : size;
    }
    const int64_t bound = i.operand(0)->shape().dimension(dimension);
    if (!length) length = g.Scalar(ElementType::S32, static_cast<double>(bound));
    std::vector<Shape> declared{Shape(ElementType::S32), Shape(ElementType::S32)};
    std::vector<HloInstruction*> initial{g.Zero(ElementType::S32), length};
    for (size_t k = 0; k < carries; ++k) {
      declared.push_back(i.called(0)->parameter(inputs + k)->shape());
      Pack(g, *operands[inputs + k], declared.back(), initial);
    }
    for (size_t k = 0; k < outputs; ++k) {
      Shape stacked = shapes[k];
      stacked.set_dynamic(dimension, false);  // that size is the length
      Value none;
      none.leaf.array = g.Splat(g.Zero(stacked.element_type()), stacked.dimensions());
      none.leaf.sizes.resize(stacked.dimensions().size());
      Pack(g, none, stacked, initial);
      declared.push_back(std::move(stacked));
    }
    for (size_t k = 0; k < inputs; ++k) {
      declared.push_back(i.operand(k)->shape());
      Pack(g, *operands[k], declared.back(), initial);
    }
    RETURN_IF_ERROR(g.status());
    const Shape whole = Shape::Tuple(declared);
    if (bound == 0) return Scanned(whole, initial, shapes, carries, dimension, length, tuple);
    const Shape state = Shape::Tuple(PackedShapes(whole));

    HloComputation* condition = to.module()->AddComputation("scan.condition");
    Graph gc(*condition, i);
    HloInstruction* parameter = condition->AddParameter(0, state);
    condition->set_root(
        gc.Compare(gc.Element(parameter, 0), gc.Element(parameter, 1), ComparisonDirection::kLt));
    RETURN_IF_ERROR(gc.status());

    HloComputation* body = to.module()->AddComputation("scan.body");
    Graph gb(*body, i);
    size_t next = 0;
    Value now = Unpack(whole, gb.Elements(body->AddParameter(0, state)), next);
    auto element = [&](size_t k) -> Sized& { return now.elements[k].leaf; };
    HloInstruction *turn = element(0).array, *place = turn, *zero = gb.Zero(ElementType::S32),
                   *one = gb.Scalar(ElementType::S32, 1);
    if (attrs.is_reverse) {
      place = gb.Add(HloOpcode::Subtract, {element(1).array, one});
      place = gb.Add(HloOpcode::Subtract, {place, turn});
    }
    auto starts = [&](std::vector<HloInstruction*> of, size_t rank) {
      for (size_t d = 0; d < rank; ++d) of.push_back(d == at ? place : zero);
      return of;
    };
    std::vector<Value> arguments;
    for (size_t k = 0; k < inputs; ++k) {
      Value v;
      v.leaf = element(2 + carries + outputs + k);
      Dims sizes = v.leaf.bounds();
      sizes[at] = 1;
      v.leaf.array = gb.Add(HloOpcode::DynamicSlice, starts({v.leaf.array}, sizes.size()),
                            DynamicSliceAttrs{sizes});
      sizes.erase(sizes.begin() + dimension);
      v.leaf.array = gb.Reshape(v.leaf.array, sizes);
      v.leaf.sizes.erase(v.leaf.sizes.begin() + dimension);
      arguments.push_back(std::move(v));
    }
    for (size_t k = 0; k < carries; ++k) arguments.push_back(now.elements[2 + k]);
    RETURN_IF_ERROR(gb.status());
    ASSIGN_OR_RETURN(Value given, Run(*i.called(0), *body, arguments));
    const std::vector<Value> results = tuple ? given.elements : std::vector<Value>{given};
    element(0).array = gb.Add(HloOpcode::Add, {turn, one});
    for (size_t k = 0; k < carries; ++k) now.elements[2 + k] = results[outputs + k];
    for (size_t k = 0; k < outputs; ++k) {
      Sized& stacked = element(2 + carries + k);
      Dims sizes = stacked.bounds();
      sizes[at] = 1;
      std::vector<HloInstruction*> update{stacked.array, gb.Reshape(results[k].leaf.array, sizes)};
      stacked.array = gb.Add(HloOpcode::DynamicUpdateSlice, starts(update, sizes.size()));
      stacked.sizes = results[k].leaf.sizes;
      stacked.sizes.insert(stacked.sizes.begin() + dimension, nullptr);
    }
    std::vector<HloInstruction*> packed;
    Pack(gb, now, whole, packed);
    body->set_root(gb.Add(HloOpcode::Tuple, packed));
    RETURN_IF_ERROR(gb.status());

    HloInstruction* loop =
        g.Add(HloOpcode::While, {g.Add(HloOpcode::Tuple, initial)}, NoAttrs{}, {condition, body});
    RETURN_IF_ERROR(g.status());
    const std::vector<HloInstruction*> last = g.Elements(loop);
    RETURN_IF_ERROR(g.status());
    return Scanned(whole, last, shapes, carries, dimension, length, tuple);
  }

  // The results, of these shapes, in the state of a scan's loop.
  static Value Scanned(const Shape& state, const std::vector<HloInstruction*>& packed,
                       const std::vector<Shape>& shapes, size_t carries, int64_t dimension,
                       HloInstruction* length, bool tuple) {
    size_t next = 0;
    Value after = Unpack(state, packed, next), result;
    result.is_tuple = true;
    const size_t outputs = shapes.size() - carries;
    for (size_t k = 0; k < outputs; ++k) {
      Value v = after.elements[2 + carries + k];
      if (shapes[k].is_dynamic(dimension)) v.leaf.sizes[static_cast<size_t>(dimension)] = length;
      result.elements.push_back(std::move(v));
    }
    for (size_t k = 0; k < carries; ++k) result.elements.push_back(after.elements[2 + k]);
    if (tuple) return result;
    Value only = result.elements[0];
    return only;
  }

  absl::StatusOr<Value> Conditional(const HloInstruction& i, Graph& g, HloComputation&,
                                    const std::vector<const Value*>& operands) {
    std::vector<HloInstruction*> arguments{operands[0]->leaf.array};
    std::vector<HloComputation*> branches;
    for (size_t k = 0; k < i.called().size(); ++k) {
      const Shape& taken = i.called(k)->parameter(0)->shape();
      ASSIGN_OR_RETURN(HloComputation * branch, Packed(*i.called(k), i, taken, &i.shape()));
      branches.push_back(branch);
      std::vector<HloInstruction*> packed;
      Pack(g, *operands[k + 1], taken, packed);
      arguments.push_back(g.Add(HloOpcode::Tuple, packed));
    }
    HloInstruction* chosen = g.Add(HloOpcode::Conditional, arguments, NoAttrs{}, branches);
    RETURN_IF_ERROR(g.status());
    size_t next = 0;
    Value result = Unpack(i.shape(), g.Elements(chosen), next);
    RETURN_IF_ERROR(g.status());
    return result;
  }
};

// Arrays first and all sizes behind them, for the caller.
void Split(const Value& v, std::vector<HloInstruction*>& arrays, const Shape& declared, Graph& g,
           std::vector<HloInstruction*>& sizes) {
  for (size_t k = 0; k < v.elements.size(); ++k)
    Split(v.elements[k], arrays, declared.tuple_shapes()[k], g, sizes);
  if (v.is_tuple) return;
  std::vector<HloInstruction*> packed;
  Pack(g, v, declared, packed);
  arrays.push_back(packed[0]);
  sizes.insert(sizes.end(), packed.begin() + 1, packed.end());
}

void GiveSizes(const Shape& declared, Value& v, HloComputation& c) {
  for (size_t k = 0; k < v.elements.size(); ++k)
    GiveSizes(declared.tuple_shapes()[k], v.elements[k], c);
  for (int64_t d = 0; d < declared.rank(); ++d) {
    if (!declared.is_dynamic(d)) continue;
    v.leaf.sizes[static_cast<size_t>(d)] = c.AddParameter(
        static_cast<int64_t>(c.parameters().size()), Shape(ElementType::S32), "size");
  }
}

absl::Status RewriteEntry(HloModule& module) {
  HloComputation& from = *module.entry();
  HloComputation& to = *module.AddComputation(from.name());
  std::vector<Value> arguments;
  const ComputationShape shape = from.shape();
  for (const HloInstruction* p : from.parameters()) {
    HloInstruction* copy =
        to.AddParameter(p->attrs<ParameterAttrs>().number, Bounds(p->shape()), p->name());
    copy->set_metadata(p->metadata());
    Graph g(to, *p);
    arguments.push_back(TakeApart(g, copy));
    RETURN_IF_ERROR(g.status());
  }
  bool boundary = !shape.result.is_static();
  for (size_t k = 0; k < arguments.size(); ++k) {
    boundary |= !shape.parameters[k].is_static();
    GiveSizes(shape.parameters[k], arguments[k], to);
  }
  ASSIGN_OR_RETURN(const Value result, Rewriter().Run(from, to, arguments));
  Graph g(to, *from.root());
  if (shape.result.is_static()) {
    to.set_root(Whole(g, result));
  } else {
    std::vector<HloInstruction*> arrays, sizes;
    Split(result, arrays, shape.result, g, sizes);
    arrays.insert(arrays.end(), sizes.begin(), sizes.end());
    to.set_root(g.Add(HloOpcode::Tuple, arrays));
  }
  RETURN_IF_ERROR(g.status());
  // Arrays are copied on their way in and out.
  if (boundary) module.aliases().clear();
  module.set_entry(&to);
  std::string name = from.name();
  from.set_name(to.name());
  to.set_name(std::move(name));
  module.RemoveUnreachable();
  to.RemoveDead();
  return absl::OkStatus();
}

}  // namespace
}  // namespace expand

std::unique_ptr<Pass> MakeExpandDynamicDimensionsPass() {
  return MakePass("expand-dynamic-dimensions", [](HloModule& module) -> absl::StatusOr<bool> {
    const bool dynamic =
        absl::c_any_of(module.computations(), [](const auto& c) { return expand::IsDynamic(*c); });
    if (!dynamic) return false;
    for (const HloComputation* c : module.PostOrder()) {
      for (const auto& i : c->instructions()) RETURN_IF_ERROR(expand::CheckBounds(*i, i->shape()));
    }
    RETURN_IF_ERROR(expand::RewriteEntry(module));
    return true;
  });
}

}  // namespace sinter
