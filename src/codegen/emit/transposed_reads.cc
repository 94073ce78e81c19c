// What is read transposed goes through task buffers, block by block (Plan::transposed_reads).
#include "codegen/emit/region.h"

namespace sinter::emit {

using kernel::OpCode;
using kernel::Type;
using kernel::Value;
using kernel::Values;

void Region::BeginBlock(const Coords& origin) {
  // Masked lanes of a row's last tile are read as well.
  const int64_t rest = plan_->col_block % plan_->tile_cols == 0 ? 0 : plan_->tile_cols;
  for (const auto& [parameter, map] : plan_->transposed_reads) {
    TransposedBlock& block = blocks_[parameter];
    block.width = plan_->col_block + rest;
    block.origin = MapCoords(map, origin);
    for (size_t d = 0; d < map.size(); ++d) {
      for (const IndexTerm& t : map[d].terms)
        if (t.dimension == plan_->col_dim) block.col_dim = d;
    }
    const ElementType type = parameter->shape().element_type();
    for (int part = 0; part < PartCount(type); ++part) {
      block.buffers.push_back(b_.AddBuffer(Format("q{}_{}", parameter->id(), part), RealPart(type),
                                           Dims{plan_->row_block, block.width},
                                           kernel::Space::kTask));
    }
  }
}

void Region::KeepBlock(const Coords& origin) {
  BeginBlock(origin);
  const int edge = plan_->square;
  // The last square of an axis lies over the one before.
  auto squares = [&](int64_t n, const std::function<void(Value)>& body) {
    const kernel::Tail tail = n % edge == 0 ? kernel::Tail::kExact : kernel::Tail::kMasked;
    Loop(kernel::LoopKind::kSeq, Int(0), Int(n), edge, tail, {}, [&](Value iv, const Values&) {
      body(tail == kernel::Tail::kExact ? iv : IndexOp(OpCode::kMin, iv, Int(n - edge)));
      return Values{};
    });
  };
  squares(plan_->col_block, [&](Value col) {
    squares(plan_->row_block, [&](Value row) {
      Frame frame;
      frame.rows = frame.cols = edge;
      frame.rows_depth = frame.cols_depth = b_.depth();
      Coords at = origin;
      auto place = [&](int d, Value from, int rows, int cols) {
        Coord& c = at[static_cast<size_t>(d)];
        c = Coord{IndexAdd(c.base, from), rows, cols, c.range};
      };
      place(plan_->row_dim, row, 1, 0);
      place(plan_->col_dim, col, 0, 1);
      KeepSquare(at, frame, row, col);
    });
  });
}

void Region::KeepSquare(const Coords& at, const Frame& frame, Value row, Value col) {
  for (const auto& [parameter, map] : plan_->transposed_reads) {
    // Rows of the square are loaded as they are in memory.
    Coords there = MapCoords(map, at);
    for (Coord& c : there) std::swap(c.rows, c.cols);
    const auto number = static_cast<size_t>(parameter->attrs<ParameterAttrs>().number);
    // Of the next block: no row goes on for long enough for the hardware to see where it leads.
    ahead_ = plan_->row_block;
    const Parts square =
        LoadBuffer(parameter_buffers_[number], parameter->shape().element_type(), there, frame);
    ahead_ = 0;
    size_t part = 0;
    for (Value v : {square.re, square.im}) {
      if (v == kernel::kNone) continue;
      b_.Store(b_.Transpose(v), blocks_.at(parameter).buffers[part++],
               std::vector<kernel::Index>{{row, 1, 0}, {col, 0, 1}});
    }
  }
}

std::optional<Parts> Region::FromBlock(const HloInstruction* parameter, const Coords& at,
                                       const Frame& frame) {
  const auto found = blocks_.find(parameter);
  if (found == blocks_.end()) return std::nullopt;
  const TransposedBlock& block = found->second;
  // What is read in order has its columns elsewhere.
  if (at[block.col_dim].cols == 0) return std::nullopt;
  auto in_block = [&](size_t d) { return IndexOp(OpCode::kSub, at[d].base, block.origin[d].base); };
  const std::vector<kernel::Index> index = {{in_block(at.size() - 1)},
                                            {in_block(block.col_dim), 0, 1}};
  Parts parts;
  for (size_t k = 0; k < block.buffers.size(); ++k) {
    const int buffer = block.buffers[k];
    const ElementType elem = b_.kernel().buffers[static_cast<size_t>(buffer)].elem;
    (k == 0 ? parts.re : parts.im) = b_.Load(buffer, index, Type{elem, 1, frame.cols});
  }
  return parts;
}

}  // namespace sinter::emit
