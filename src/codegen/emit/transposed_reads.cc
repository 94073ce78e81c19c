// What is read transposed goes through task buffers, block by block (Plan::transposed_reads).
#include "codegen/emit/region.h"

namespace sinter::emit {

using kernel::OpCode;
using kernel::Type;
using kernel::Value;

void Region::BeginBlock(const Coords& origin) {
  const auto col = static_cast<size_t>(plan_->col_dim);
  const int64_t n = plan_->domain.empty() ? outputs_[0]->shape().dimension(plan_->col_dim)
                                          : plan_->domain[col].size();
  // Masked lanes of a row's last tile are read as well.
  const bool overhangs = n % plan_->col_block != 0 || plan_->col_block % plan_->tile_cols != 0;
  for (const auto& [parameter, map] : plan_->transposed_reads) {
    TransposedBlock& block = blocks_[parameter];
    block.width = plan_->col_block + (overhangs ? plan_->tile_cols : 0);
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

void Region::KeepSquare(const Coords& at, const Frame& frame, Value row, Value col) {
  for (const auto& [parameter, map] : plan_->transposed_reads) {
    // Rows of the square are loaded as they are in memory.
    Coords there = MapCoords(map, at);
    for (Coord& c : there) std::swap(c.rows, c.cols);
    const auto number = static_cast<size_t>(parameter->attrs<ParameterAttrs>().number);
    const Parts square = LoadBuffer(parameter_buffers_[number], parameter->shape().element_type(),
                                    there, frame);
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
  auto within = [&](size_t d, int64_t last) {
    const Value place = IndexOp(OpCode::kSub, at[d].base, block.origin[d].base);
    return IndexOp(OpCode::kMin, IndexOp(OpCode::kMax, place, Int(0)), Int(last));
  };
  const std::vector<kernel::Index> index = {
      {within(at.size() - 1, plan_->row_block - 1)},
      {within(block.col_dim, block.width - frame.cols), 0, 1}};
  Parts parts;
  for (size_t k = 0; k < block.buffers.size(); ++k) {
    const int buffer = block.buffers[k];
    const ElementType elem = b_.kernel().buffers[static_cast<size_t>(buffer)].elem;
    (k == 0 ? parts.re : parts.im) = b_.Load(buffer, index, Type{elem, 1, frame.cols});
  }
  return parts;
}

}  // namespace sinter::emit
