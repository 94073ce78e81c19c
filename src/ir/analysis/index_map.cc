#include "ir/analysis/index_map.h"

#include <algorithm>

#include "absl/algorithm/container.h"

namespace sinter {
namespace {

IndexExpr Of(int64_t dimension, int64_t coefficient = 1, int64_t offset = 0) {
  IndexExpr e;
  e.terms.push_back({static_cast<int>(dimension), coefficient});
  e.offset = offset;
  return e;
}

IndexMap Identity(int64_t rank) {
  IndexMap map;
  for (int64_t d = 0; d < rank; ++d) map.push_back(Of(d));
  return map;
}

IndexMap BroadcastMap(const HloInstruction& i) {
  const Shape& from = i.operand(0)->shape();
  IndexMap map;
  for (int64_t d = 0; d < from.rank(); ++d) {
    int64_t to = i.dimensions()[static_cast<size_t>(d)];
    map.push_back(from.dimension(d) == i.shape().dimension(to) ? Of(to) : IndexExpr{});
  }
  return map;
}

IndexMap TransposeMap(const HloInstruction& i) {
  IndexMap map(static_cast<size_t>(i.shape().rank()));
  for (size_t d = 0; d < map.size(); ++d)
    map[static_cast<size_t>(i.dimensions()[d])] = Of(static_cast<int64_t>(d));
  return map;
}

IndexMap SliceMap(const HloInstruction& i) {
  const auto& a = i.attrs<SliceAttrs>();
  IndexMap map;
  for (size_t d = 0; d < a.starts.size(); ++d) {
    map.push_back(Of(static_cast<int64_t>(d), a.strides.empty() ? 1 : a.strides[d], a.starts[d]));
  }
  return map;
}

IndexMap ReverseMap(const HloInstruction& i) {
  IndexMap map = Identity(i.shape().rank());
  for (int64_t d : i.dimensions())
    map[static_cast<size_t>(d)] = Of(d, -1, i.shape().dimension(d) - 1);
  return map;
}

// The first element of the window, and from there to the position in it.
IndexMap WindowsMap(const HloInstruction& i) {
  const Window& window = i.attrs<WindowAttrs>().window;
  IndexMap map;
  int position = static_cast<int>(window.size());
  for (size_t d = 0; d < window.size(); ++d) {
    map.push_back(Of(static_cast<int64_t>(d), window[d].stride));
    if (window[d].size != 1) map.back().terms.push_back({position++, window[d].window_dilation});
  }
  return map;
}

std::optional<IndexMap> PadMap(const HloInstruction& i) {
  const auto& a = i.attrs<PadAttrs>();
  IndexMap map;
  for (size_t d = 0; d < a.low.size(); ++d) {
    if (!a.interior.empty() && a.interior[d] != 0) return std::nullopt;
    map.push_back(Of(static_cast<int64_t>(d), 1, -a.low[d]));
  }
  return map;
}

IndexMap ConcatenateMap(const HloInstruction& i, size_t operand) {
  IndexMap map = Identity(i.shape().rank());
  const int64_t axis = i.dimensions()[0];
  int64_t before = 0;
  for (size_t k = 0; k < operand; ++k) before += i.operand(k)->shape().dimension(axis);
  map[static_cast<size_t>(axis)].offset = -before;
  return map;
}

// The dimensions of slices that `window` does not name: those of the index vectors' batch.
std::vector<int64_t> BatchDims(int64_t rank, const Dims& window) {
  std::vector<int64_t> batch;
  for (int64_t d = 0; d < rank; ++d) {
    if (std::find(window.begin(), window.end(), d) == window.end()) batch.push_back(d);
  }
  return batch;
}

// Of the indices of a gather or scatter: the batch, and nothing where their components are.
IndexMap IndicesMap(const std::vector<int64_t>& batch, int64_t index_vector_dim,
                    int64_t indices_rank) {
  IndexMap map;
  for (int64_t d : batch) map.push_back(Of(d));
  if (index_vector_dim < indices_rank) map.insert(map.begin() + index_vector_dim, IndexExpr{});
  return map;
}

IndexMap GatherMap(const HloInstruction& i, size_t operand) {
  const auto& a = i.attrs<GatherAttrs>();
  const std::vector<int64_t> batch = BatchDims(i.shape().rank(), a.offset_dims);
  if (operand == 1) return IndicesMap(batch, a.index_vector_dim, i.operand(1)->shape().rank());
  auto find = [](const Dims& dims, int64_t d) { return std::find(dims.begin(), dims.end(), d); };
  IndexMap map;
  size_t next = 0;
  for (int64_t d = 0; d < i.operand(0)->shape().rank(); ++d) {
    IndexExpr e;
    auto batching = find(a.operand_batching_dims, d);
    if (batching != a.operand_batching_dims.end()) {
      const auto k = static_cast<size_t>(batching - a.operand_batching_dims.begin());
      const int64_t from = a.start_indices_batching_dims[k];
      e = Of(batch[static_cast<size_t>(from - (from > a.index_vector_dim ? 1 : 0))]);
    } else if (find(a.collapsed_slice_dims, d) == a.collapsed_slice_dims.end()) {
      e = Of(a.offset_dims[next++]);
    }
    if (find(a.start_index_map, d) != a.start_index_map.end()) {
      for (int64_t b : batch) {
        e.terms.push_back({static_cast<int>(b), 1});
        e.terms.push_back({static_cast<int>(b), 0});
      }
    }
    map.push_back(std::move(e));
  }
  return map;
}

std::optional<IndexMap> ScatterMap(const HloInstruction& i, size_t operand) {
  const auto& a = i.attrs<ScatterAttrs>();
  const size_t inputs = i.operands().size() / 2;
  if (operand < inputs) return std::nullopt;
  const int64_t rank = i.operand(inputs + 1)->shape().rank();
  if (operand > inputs) return Identity(rank);
  return IndicesMap(BatchDims(rank, a.update_window_dims), a.index_vector_dim,
                    i.operand(inputs)->shape().rank());
}

}  // namespace

std::optional<IndexMap> ReshapeIndexMap(const std::vector<int64_t>& operand,
                                        const std::vector<int64_t>& result) {
  IndexMap map(operand.size());
  for (int64_t n : result) {
    if (n == 0) return map;  // there are no elements
  }
  // Walks both from the minor end; a result dimension must be a part of one operand dimension.
  size_t o = operand.size();
  int64_t filled = 1;  // how much of operand dimension o - 1 the result dimensions so far cover
  for (size_t r = result.size(); r-- > 0;) {
    if (result[r] == 1) continue;
    while (o > 0 && filled == operand[o - 1]) {
      --o;
      filled = 1;
    }
    if (o == 0 || operand[o - 1] % (filled * result[r]) != 0) return std::nullopt;
    map[o - 1].terms.push_back({static_cast<int>(r), filled});
    filled *= result[r];
  }
  while (o > 0 && filled == operand[o - 1]) {
    --o;
    filled = 1;
  }
  if (o != 0) return std::nullopt;
  return map;
}

std::optional<IndexMap> OperandIndexMap(const HloInstruction& i, size_t operand) {
  if (i.op() == HloOpcode::Map || IsElementwise(i.op())) {
    const Shape& s = i.operand(operand)->shape();
    if (s.rank() == 0) return IndexMap{};
    return Identity(s.rank());
  }
  switch (i.op()) {
    case HloOpcode::Broadcast:
      return BroadcastMap(i);
    case HloOpcode::Transpose:
      return TransposeMap(i);
    case HloOpcode::Slice:
      return SliceMap(i);
    case HloOpcode::Reverse:
      return ReverseMap(i);
    case HloOpcode::Windows:
      return WindowsMap(i);
    case HloOpcode::Reshape:
      return ReshapeIndexMap(i.operand(0)->shape().dimensions(), i.shape().dimensions());
    case HloOpcode::Pad:
      if (operand != 0) return std::nullopt;
      return PadMap(i);
    case HloOpcode::Concatenate:
      return ConcatenateMap(i, operand);
    case HloOpcode::BitcastConvert:
      if (BitWidth(i.shape().element_type()) != BitWidth(i.operand(0)->shape().element_type()))
        return std::nullopt;
      return Identity(i.shape().rank());
    case HloOpcode::ReduceWindow:
      // Cumulative: at each step the element itself.
      if (operand >= i.operands().size() / 2 ||
          !FindCumulative(i.operand(0)->shape().dimensions(), i.attrs<WindowAttrs>().window))
        return std::nullopt;
      return Identity(i.operand(operand)->shape().rank());
    case HloOpcode::DynamicSlice:
      if (operand != 0) return std::nullopt;
      return Identity(i.shape().rank());
    case HloOpcode::DynamicUpdateSlice:
      if (operand > 1) return std::nullopt;
      return Identity(i.shape().rank());
    case HloOpcode::Gather:
      return GatherMap(i, operand);
    case HloOpcode::Scatter:
      return ScatterMap(i, operand);
    default:
      return std::nullopt;
  }
}

bool SameButForUnits(const Shape& a, const Shape& b) {
  Dims x = a.dimensions(), y = b.dimensions();
  std::erase(x, 1);
  std::erase(y, 1);
  return x == y;
}

bool HasUnitStrides(const HloInstruction& slice) {
  return absl::c_all_of(slice.attrs<SliceAttrs>().strides, [](int64_t s) { return s == 1; });
}

bool IsContiguousSlice(const HloInstruction& slice) {
  const auto& a = slice.attrs<SliceAttrs>();
  const Shape& from = slice.operand(0)->shape();
  bool full = true;  // of all dimensions inside this one
  for (int64_t d = from.rank(); d-- > 0;) {
    const int64_t n = slice.shape().dimension(d);
    if (!full && n != 1) return false;
    if (!a.strides.empty() && a.strides[static_cast<size_t>(d)] != 1 && n > 1) return false;
    full &= n == from.dimension(d);
  }
  return true;
}

int64_t SliceOffset(const HloInstruction& slice) {
  const Shape& from = slice.operand(0)->shape();
  int64_t first = 0;
  for (int64_t d = 0; d < from.rank(); ++d)
    first = first * from.dimension(d) + slice.attrs<SliceAttrs>().starts[static_cast<size_t>(d)];
  return first * ByteWidth(from.element_type());
}

}  // namespace sinter
