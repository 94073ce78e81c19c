#include "ir/analysis/equality.h"

#include <bit>

#include "absl/container/flat_hash_map.h"

namespace sinter {
namespace {

void AddShape(const Shape& s, Hasher& h) {
  h.Add(static_cast<uint64_t>(s.element_type()));
  h.Add(static_cast<uint64_t>(s.rank()));
  for (int64_t i = 0; i < s.rank(); ++i) {
    h.Add(static_cast<uint64_t>(s.dimension(i)));
    h.Add(uint64_t{s.is_dynamic(i)});
  }
  h.Add(uint64_t{s.minor_to_major().size()});
  for (int64_t d : s.minor_to_major()) h.Add(static_cast<uint64_t>(d));
  h.Add(uint64_t{s.tuple_shapes().size()});
  for (const Shape& element : s.tuple_shapes()) AddShape(element, h);
  const Quantization* q = s.quantization();
  h.Add(uint64_t{q != nullptr});
  if (!q) return;
  h.Add(static_cast<uint64_t>(q->storage));
  h.Add(static_cast<uint64_t>(q->expressed));
  for (int64_t v : {q->storage_min, q->storage_max, q->dimension}) h.Add(static_cast<uint64_t>(v));
  h.Add(uint64_t{q->scales.size()});
  for (double v : q->scales) h.Add(std::bit_cast<uint64_t>(v));
  h.Add(uint64_t{q->zero_points.size()});
  for (int64_t v : q->zero_points) h.Add(static_cast<uint64_t>(v));
  for (const Dims* dims : {&q->block_dimensions, &q->block_sizes, &q->scale_dimensions}) {
    h.Add(uint64_t{dims->size()});
    for (int64_t v : *dims) h.Add(static_cast<uint64_t>(v));
  }
}

void AddLiteral(const Literal& l, Hasher& h) {
  AddShape(l.shape(), h);
  h.Add(std::string_view(static_cast<const char*>(l.untyped_data()),
                         static_cast<size_t>(l.byte_size())));
  for (const Literal& element : l.tuple()) AddLiteral(element, h);
}

// --- fields of attributes: an overload for each type

template <class T>
requires std::is_integral_v<T> || std::is_enum_v<T>
void AddField(T v, Hasher& h) { h.Add(static_cast<uint64_t>(v)); }
void AddField(const std::string& v, Hasher& h) { h.Add(std::string_view(v)); }
void AddField(const Dims& v, Hasher& h) {
  h.Add(uint64_t{v.size()});
  for (int64_t d : v) h.Add(static_cast<uint64_t>(d));
}
void AddField(const std::vector<Shape>& v, Hasher& h) {
  h.Add(uint64_t{v.size()});
  for (const Shape& s : v) AddShape(s, h);
}
void AddField(const Groups& v, Hasher& h) {
  h.Add(uint64_t{v.size()});
  for (const Dims& group : v) AddField(group, h);
}
void AddField(const std::vector<OutputOperandAlias>& v, Hasher& h) {
  h.Add(uint64_t{v.size()});
  for (const OutputOperandAlias& alias : v) {
    AddField(alias.output_index, h);
    AddField(alias.operand, h);
    AddField(alias.operand_index, h);
  }
}
void AddField(const CustomCallLayouts& v, Hasher& h) {
  AddField(v.operands, h);
  AddField(v.results, h);
}
void AddField(const std::optional<int64_t>& v, Hasher& h) {
  h.Add(uint64_t{v.has_value()});
  h.Add(static_cast<uint64_t>(v.value_or(0)));
}
void AddField(float v, Hasher& h) { h.Add(uint64_t{std::bit_cast<uint32_t>(v)}); }
void AddField(const Window& v, Hasher& h) {
  h.Add(uint64_t{v.size()});
  for (const WindowDimension& w : v) {
    for (int64_t n : {w.size, w.stride, w.padding_low, w.padding_high, w.base_dilation,
                      w.window_dilation, int64_t{w.window_reversal}})
      h.Add(static_cast<uint64_t>(n));
  }
}
void AddField(const ConvolutionDimensionNumbers& v, Hasher& h) {
  AddField(
      Dims{v.input_batch_dimension, v.input_feature_dimension, v.kernel_input_feature_dimension,
           v.kernel_output_feature_dimension, v.output_batch_dimension, v.output_feature_dimension},
      h);
  for (const Dims* spatial :
       {&v.input_spatial_dimensions, &v.kernel_spatial_dimensions, &v.output_spatial_dimensions})
    AddField(*spatial, h);
}
void AddField(const std::shared_ptr<const Literal>& v, Hasher& h) {
  h.Add(uint64_t{v != nullptr});
  if (v) AddLiteral(*v, h);
}

void AddAttributes(const Attributes& attrs, Hasher& h) {
  h.Add(uint64_t{attrs.index()});
  std::visit(
      [&](const auto& a) {
        ForEachField(a, [&](std::string_view, const auto& v) { AddField(v, h); });
      },
      attrs);
}

// Hashes of computations, each made once, called ones first.
class ComputationHashes {
 public:
  Hash128 Of(const HloComputation* root) {
    std::vector<std::pair<const HloComputation*, bool>> stack{
        {root, false}};  // second: what it calls has been done
    while (!stack.empty()) {
      auto [c, ready] = stack.back();
      stack.pop_back();
      if (hashes_.contains(c)) continue;
      std::vector<HloInstruction*> order = c->PostOrder();
      if (ready) {
        hashes_[c] = Hashed(*c, order);
        continue;
      }
      stack.emplace_back(c, true);
      for (const HloInstruction* i : order) {
        for (const HloComputation* called : i->called()) stack.emplace_back(called, false);
      }
    }
    return hashes_.at(root);
  }

  // Op, shape, attributes and called computations, whose hashes are known.
  void AddLocal(const HloInstruction& i, Hasher& h) const {
    h.Add(Name(i.op()));
    AddShape(i.shape(), h);
    AddAttributes(i.attributes(), h);
    h.Add(uint64_t{i.called().size()});
    for (const HloComputation* called : i.called()) h.Add(hashes_.at(called));
    h.Add(uint64_t{i.operands().size()});
    // Between whom a transfer is stands in its annotations.
    if (i.op() != HloOpcode::Send && i.op() != HloOpcode::Recv) return;
    for (const Annotation& a : i.annotations()) {
      h.Add(std::string_view(a.name));
      h.Add(std::string_view(a.value));
    }
  }

 private:
  // Operands enter by their position in the order, so that shared and repeated values differ.
  Hash128 Hashed(const HloComputation& c, const std::vector<HloInstruction*>& order) const {
    absl::flat_hash_map<const HloInstruction*, uint64_t> positions;
    Hasher h;
    h.Add(uint64_t{order.size()});
    for (const HloInstruction* i : order) {
      AddLocal(*i, h);
      for (const HloInstruction* operand : i->operands()) h.Add(positions.at(operand));
      positions.emplace(i, positions.size());
    }
    h.Add(c.root() ? positions.at(c.root()) : ~uint64_t{0});
    return h.Finish();
  }

  absl::flat_hash_map<const HloComputation*, Hash128> hashes_;
};

bool SameCalled(const HloInstruction& a, const HloInstruction& b, ComputationHashes& hashes) {
  if (a.called().size() != b.called().size()) return false;
  for (size_t i = 0; i < a.called().size(); ++i) {
    if (a.called(i) != b.called(i) && hashes.Of(a.called(i)) != hashes.Of(b.called(i)))
      return false;
  }
  return true;
}

}  // namespace

bool SameInstruction(const HloInstruction& a, const HloInstruction& b) {
  if (a.op() != b.op() || a.operands() != b.operands() || a.shape() != b.shape() ||
      a.attributes() != b.attributes()) {
    return false;
  }
  ComputationHashes hashes;
  return SameCalled(a, b, hashes);
}

Hash128 HashOf(const HloInstruction& i) {
  ComputationHashes hashes;
  for (const HloComputation* called : i.called()) hashes.Of(called);
  Hasher h;
  hashes.AddLocal(i, h);
  for (const HloInstruction* operand : i.operands()) h.Add(static_cast<uint64_t>(operand->id()));
  return h.Finish();
}

bool SameComputation(const HloComputation& a, const HloComputation& b) {
  ComputationHashes hashes;
  Hash128 of_a = hashes.Of(&a);
  return of_a == hashes.Of(&b);
}

Hash128 HashOf(const HloComputation& computation) { return ComputationHashes().Of(&computation); }

Hash128 ModuleFingerprint(const HloModule& m) {
  ComputationHashes hashes;
  Hasher h;
  h.Add(uint64_t{m.entry() != nullptr});
  if (m.entry()) h.Add(hashes.Of(m.entry()));
  h.Add(static_cast<uint64_t>(m.replica_count()));
  h.Add(static_cast<uint64_t>(m.partition_count()));
  h.Add(uint64_t{m.aliases().size()});
  for (const InputOutputAlias& a : m.aliases()) {
    AddField(a.output_index, h);
    AddField(a.parameter, h);
    AddField(a.parameter_index, h);
    AddField(a.must, h);
  }
  return h.Finish();
}

Hash128 ShardingFingerprint(const HloModule& m) {
  Hasher h;
  uint64_t position = 0;
  auto add = [&](const Annotated& of) {
    ++position;
    for (const Annotation& a : of.annotations()) {
      const bool counts = a.name.find("shard") != std::string::npos || a.name.starts_with("sdy.") ||
                          a.name.starts_with("annotation_call.");
      if (!counts) continue;
      h.Add(position);
      h.Add(a.name);
      h.Add(a.value);
    }
  };
  add(m);
  for (const HloComputation* c : m.PostOrder()) {
    add(*c);
    for (const HloInstruction* i : c->PostOrder()) add(*i);
  }
  return h.Finish();
}

bool SameModule(const HloModule& a, const HloModule& b) {
  return ModuleFingerprint(a) == ModuleFingerprint(b);
}

}  // namespace sinter
