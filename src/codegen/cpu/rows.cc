// Tiles whose columns are places in short rows of memory ([n, 9], a lane a row): all places of a
// lane's row lie between two of its neighbours', so that vectors are loaded and stored whole and
// their elements exchanged in registers. A gather or a scatter takes as long as the elements one by
// one.
#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "codegen/cpu/tiles.h"

namespace sinter::cpu {

using kernel::Op;
using llvm::Value;

namespace {

// As many elements as small matrices have (ir/analysis/short_dimensions.h).
constexpr int64_t kLongestRow = 64;

void Visit(const kernel::Block& block, const std::function<void(const kernel::Block&)>& visit) {
  visit(block);
  for (const Op& op : block.ops)
    for (const kernel::Block& region : op.regions) Visit(region, visit);
}

}  // namespace

// Rows of 4 or 8 elements that are a part of a vector: by halves, in as many levels of shuffles of
// two vectors as the length has bits, where permuting takes one less than it has elements (f32[n,4]
// without AVX-512: three to five times as fast as transposing rows that are loaded and stored under
// a mask).
bool Tiles::WeavesRows(int64_t length) const {
  return (length == 4 || length == 8) && length < lanes_;
}
// The longest other rows whose elements are exchanged by as many shuffles of two vectors, less one,
// as they are long, for each vector: AVX-512 has any of them as one instruction. Longer rows are
// loaded one a vector, or in parts of a vector, and transposed.
bool Tiles::PermutesRows(int64_t length) const {
  return !WeavesRows(length) && length <= (target_.avx512 ? 8 : 3);
}
bool Tiles::TransposesRows(int64_t length) const {
  return !WeavesRows(length) && !PermutesRows(length) &&
         length <= std::max<int64_t>(kLongestRow, lanes_);
}
// Where the parts of a row begin: the last one is whole too, and overlaps the one before it.
std::vector<int64_t> Tiles::PartsOfRow(int64_t length) const {
  std::vector<int64_t> starts{0};
  while (starts.back() + lanes_ < length)
    starts.push_back(std::min(starts.back() + lanes_, length - lanes_));
  return starts;
}

std::optional<Tiles::RowPlace> Tiles::RowPlaceOf(const Op& op) {
  const bool is_store = op.code == kernel::OpCode::kStore;
  const kernel::Buffer& buffer = kernel_.buffers[static_cast<size_t>(op.buffer)];
  const kernel::Type& t = type(is_store ? op.operands[0] : op.results[0]);
  if (t.rows != 1 || t.cols < 4 || t.cols % lanes_ != 0 || buffer.alias_group >= 0 ||
      op.non_temporal || op.async || op.int_value != 0 || IsPredicate(t.elem))
    return std::nullopt;
  RowPlace place;
  const size_t first = is_store ? 1 : 0;
  for (size_t d = 0; d < buffer.shape.size(); ++d) {
    const kernel::Value index = op.operands[first + d];
    const auto stride = facts_.Constant(buffer.strides[d]);
    if (!stride || op.steps[d].rows != 0 || !type(index).is_scalar()) return std::nullopt;
    if (op.steps[d].cols != 0) {
      if (op.steps[d].cols != 1 || place.length != 0) return std::nullopt;
      place.length = *stride;
    }
    place.indices.push_back(index);
  }
  if (place.length < 2 ||
      (!WeavesRows(place.length) && !PermutesRows(place.length) && !TransposesRows(place.length)))
    return std::nullopt;
  // A place is known; its dimensions follow that of the columns, and make up a row.
  int64_t row = 1;
  for (size_t d = buffer.shape.size(); d-- > 0;) {
    if (op.steps[d].cols != 0) break;
    const auto extent = facts_.Constant(buffer.shape[d]), at = facts_.Constant(place.indices[d]),
               stride = facts_.Constant(buffer.strides[d]);
    if (!extent || !at || *stride != row) return std::nullopt;
    place.at += *at * *stride;
    place.indices[d] = kernel::kNone;
    row *= *extent;
  }
  if (row != place.length) return std::nullopt;
  place.buffer = op.buffer;
  return place;
}

// Which lanes of a vector a row fills; null: all.
Value* Tiles::LanesOfRow(int64_t length) {
  if (length >= lanes_) return nullptr;
  llvm::SmallVector<llvm::Constant*, 64> lanes;
  for (int64_t i = 0; i < lanes_; ++i) lanes.push_back(b_.getInt1(i < length));
  return llvm::ConstantVector::get(lanes);
}

// Vectors of whole rows, of the vectors of their elements at each place: those at even places and
// those at odd ones alternate in memory, and are made in the same way.
std::vector<Value*> Tiles::Weave(const std::vector<Value*>& places, llvm::Type* elem) {
  if (places.size() == 1) return places;
  std::vector<Value*> of[2], rows;
  for (size_t k = 0; k < places.size(); ++k) of[k % 2].push_back(places[k]);
  for (std::vector<Value*>& half : of) half = Weave(half, elem);
  for (size_t j = 0; j < of[0].size(); ++j) {
    for (int from : {0, lanes_ / 2}) {
      std::vector<Lane> lanes;
      for (int i = 0; i < lanes_; ++i) lanes.push_back({of[i % 2][j], from + i / 2});
      rows.push_back(Fence(Shuffle(lanes, elem)));
    }
  }
  return rows;
}
// The other way round.
std::vector<Value*> Tiles::Unweave(const std::vector<Value*>& rows, llvm::Type* elem) {
  if (rows.size() == 1) return rows;
  std::vector<Value*> of[2], places(rows.size());
  for (int odd : {0, 1}) {
    for (size_t j = 0; j < rows.size(); j += 2) {
      std::vector<Lane> lanes;
      for (int i = 0; i < lanes_; ++i) {
        const int at = 2 * i + odd;
        lanes.push_back({rows[j + static_cast<size_t>(at / lanes_)], at % lanes_});
      }
      of[odd].push_back(Fence(Shuffle(lanes, elem)));
    }
    of[odd] = Unweave(of[odd], elem);
    for (size_t k = 0; k < of[odd].size(); ++k)
      places[2 * k + static_cast<size_t>(odd)] = of[odd][k];
  }
  return places;
}

// An index without the constants that are added to it, and their sum.
static std::pair<Value*, int64_t> SumOf(Value* index) {
  int64_t sum = 0;
  for (;;) {
    auto* add = llvm::dyn_cast<llvm::BinaryOperator>(index);
    if (add == nullptr || add->getOpcode() != llvm::Instruction::Add) break;
    const bool is_first = llvm::isa<llvm::ConstantInt>(add->getOperand(0));
    auto* constant = llvm::dyn_cast<llvm::ConstantInt>(add->getOperand(is_first ? 0 : 1));
    if (constant == nullptr) break;
    sum += constant->getSExtValue();
    index = add->getOperand(is_first ? 1 : 0);
  }
  return {index, sum};
}

// A chunk's element at a place in its rows, loaded once for all places of a part.
Value* Tiles::LoadFromRows(const Site& site, const RowPlace& place, int chunk) {
  const bool is_constant = !kernel_.buffers[static_cast<size_t>(place.buffer)].written;
  RowsKey key{b_.GetInsertBlock(), place.buffer, chunk, {}};
  for (kernel::Value index : place.indices)
    std::get<3>(key).push_back(index == kernel::kNone ? std::pair<Value*, int64_t>()
                                                      : SumOf(Scalar(index)));
  const auto at_place = static_cast<size_t>(place.at);
  if (is_constant) {
    const auto known = rows_.find(key);
    if (known != rows_.end() && known->second[at_place] != nullptr) return known->second[at_place];
  }
  llvm::Type* elem = Memory(site.type.elem);
  Value* start = Pointer(site.op, site.access, 0, chunk * lanes_);
  auto load = [&](int64_t from, Value* mask) {
    Value* p = b_.CreateConstGEP1_64(elem, start, static_cast<uint64_t>(from - place.at));
    Value* zero = llvm::Constant::getNullValue(Memory(site.type.elem, lanes_));
    return LoadContiguous(site, p, lanes_, mask, zero);
  };
  std::vector<Value*> rows, places;
  if (WeavesRows(place.length)) {
    for (int64_t k = 0; k < place.length; ++k) rows.push_back(load(k * lanes_, nullptr));
    places = Unweave(rows, elem);
  } else if (PermutesRows(place.length)) {
    for (int64_t k = 0; k < place.length; ++k) rows.push_back(load(k * lanes_, nullptr));
    for (int64_t k = 0; k < place.length; ++k) {
      std::vector<Lane> lanes;
      for (int64_t i = 0; i < lanes_; ++i) {
        const int64_t at = i * place.length + k;
        lanes.push_back({rows[static_cast<size_t>(at / lanes_)], static_cast<int>(at % lanes_)});
      }
      places.push_back(Fence(Shuffle(lanes, elem)));
    }
  } else {
    Value* mask = LanesOfRow(place.length);
    const std::vector<int64_t> parts = PartsOfRow(place.length);
    const int64_t part =
        *absl::c_find_if(parts, [&](int64_t first) { return place.at < first + lanes_; });
    for (int64_t i = 0; i < lanes_; ++i) rows.push_back(load(i * place.length + part, mask));
    places.resize(static_cast<size_t>(std::max<int64_t>(place.length, lanes_)));
    absl::c_copy(TransposeBlock(rows, elem), places.begin() + part);
  }
  Value* here = places[at_place];
  if (is_constant) {
    std::vector<Value*>& known = rows_[std::move(key)];
    known.resize(places.size());
    for (size_t k = 0; k < places.size(); ++k)
      known[k] = known[k] == nullptr ? places[k] : known[k];
  }
  return here;
}

// Stores of one block that fill whole rows, each place once, of a buffer that nothing reads.
void Tiles::FindRowStores() {
  absl::flat_hash_set<int> read;
  Visit(kernel_.top, [&](const kernel::Block& block) {
    for (const Op& op : block.ops)
      if (op.code == kernel::OpCode::kLoad) read.insert(op.buffer);
  });
  // Masks are written anew for each store: equal ones say the same.
  auto mask_of = [&](const Op& op) -> std::vector<kernel::Value> {
    if (!op.masked) return {};
    const Op* mask = facts_.Definition(op.operands.back());
    if (mask == nullptr || mask->code != kernel::OpCode::kMask) return {op.operands.back()};
    std::vector<kernel::Value> bounds(mask->operands.begin(), mask->operands.end());
    bounds.push_back(static_cast<kernel::Value>(mask->axis));
    return bounds;
  };
  Visit(kernel_.top, [&](const kernel::Block& block) {
    // By buffer, columns, indices and mask.
    absl::flat_hash_map<
        std::tuple<int, int, std::vector<kernel::Value>, std::vector<kernel::Value>>,
        std::vector<std::pair<const Op*, RowPlace>>>
        groups;
    for (const Op& op : block.ops) {
      if (op.code != kernel::OpCode::kStore || read.contains(op.buffer)) continue;
      std::optional<RowPlace> place = RowPlaceOf(op);
      if (!place) continue;
      auto& group = groups[{place->buffer, type(op.operands[0]).cols, place->indices, mask_of(op)}];
      group.emplace_back(&op, *std::move(place));
    }
    for (auto& [key, stores] : groups) {
      const int64_t length = stores[0].second.length;
      std::vector<bool> has(static_cast<size_t>(length));
      for (const auto& [op, place] : stores) has[static_cast<size_t>(place.at)] = true;
      if (static_cast<int64_t>(stores.size()) != length ||
          !absl::c_all_of(has, [](bool b) { return b; }))
        continue;
      const Op* last = stores.back().first;
      for (const auto& [op, place] : stores) row_stores_[op] = last;
    }
  });
}

bool Tiles::StoreToRows(const Site& site, const RowPlace& place) {
  if (!found_row_stores_) {
    found_row_stores_ = true;
    FindRowStores();
  }
  const auto group = row_stores_.find(&site.op);
  if (group == row_stores_.end()) return false;
  std::vector<Parts>& waiting = waiting_rows_[group->second];
  waiting.resize(static_cast<size_t>(place.length));
  for (int chunk = 0; chunk < Chunks(site.type); ++chunk) {
    waiting[static_cast<size_t>(place.at)].push_back(
        ToMemory(PartAt(site.op.operands[0], 0, chunk, site.type)));
  }
  if (group->second != &site.op) return true;
  llvm::Type* elem = Memory(site.type.elem);
  for (int chunk = 0; chunk < Chunks(site.type); ++chunk) {
    Value* start = Pointer(site.op, site.access, 0, chunk * lanes_);
    auto store = [&](Value* x, int64_t to, Value* mask) {
      Value* p = b_.CreateConstGEP1_64(elem, start, static_cast<uint64_t>(to - place.at));
      StoreContiguous(site, p, x, mask);
    };
    std::vector<Value*> places;
    for (const Parts& parts : waiting) places.push_back(parts[static_cast<size_t>(chunk)]);
    if (WeavesRows(place.length)) {
      const std::vector<Value*> rows = Weave(places, elem);
      for (int64_t k = 0; k < place.length; ++k)
        store(rows[static_cast<size_t>(k)], k * lanes_, nullptr);
    } else if (PermutesRows(place.length)) {
      for (int64_t k = 0; k < place.length; ++k) {
        std::vector<Lane> lanes;
        for (int64_t i = 0; i < lanes_; ++i) {
          const int64_t at = k * lanes_ + i;
          lanes.push_back({places[static_cast<size_t>(at % place.length)],
                           static_cast<int>(at / place.length)});
        }
        store(Shuffle(lanes, elem), k * lanes_, nullptr);
      }
    } else {
      Value* mask = LanesOfRow(place.length);
      places.resize(static_cast<size_t>(std::max<int64_t>(place.length, lanes_)),
                    llvm::Constant::getNullValue(Memory(site.type.elem, lanes_)));
      for (int64_t part : PartsOfRow(place.length)) {
        const auto first = places.begin() + part;
        const std::vector<Value*> rows = TransposeBlock({first, first + lanes_}, elem);
        for (int64_t i = 0; i < lanes_; ++i)
          store(rows[static_cast<size_t>(i)], i * place.length + part, mask);
      }
    }
  }
  waiting_rows_.erase(group->second);
  return true;
}

}  // namespace sinter::cpu
