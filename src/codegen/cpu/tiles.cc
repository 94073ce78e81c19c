#include "codegen/cpu/tiles.h"

#include "base/status.h"

namespace sinter::cpu {

using kernel::Op;
using kernel::OpCode;
using llvm::Value;

Value* Tiles::PartAt(kernel::Value v, int row, int chunk, const kernel::Type& t) {
  const kernel::Type& own = type(v);
  const Parts& p = parts(v);
  const int from_row = own.rows == 1 ? 0 : row;
  const int per_row = Chunks(own);
  const int at = from_row * per_row + (own.cols == 1 ? 0 : chunk);
  if (at >= static_cast<int>(p.size())) {
    Fail(Internal("kernel {}: value %{} is used before it is defined or with another shape",
                  kernel_.name, v));
    return llvm::PoisonValue::get(Register(own.elem, ChunkWidth(t, chunk)));
  }
  Value* part = p[static_cast<size_t>(at)];
  return own.cols == 1 ? Splat(part, ChunkWidth(t, chunk)) : part;
}

Value* Tiles::Part(kernel::Value v, int part, const kernel::Type& t) {
  return PartAt(v, part / Chunks(t), part % Chunks(t), t);
}

bool Tiles::EmitOwnPointwise(const Op& op) {
  switch (op.code) {
    case OpCode::kDiv:
      return EmitDivide(op);
    case OpCode::kLdexp:
      return EmitLdexp(op);
    case OpCode::kRem:
      return EmitRemainder(op);
    default:
      return false;
  }
}

void Tiles::EmitOwn(const Op& op) {
  switch (op.code) {
    case OpCode::kIota:
      return EmitIota(op);
    case OpCode::kMask:
      return EmitMask(op);
    case OpCode::kLoad:
      return EmitLoad(op);
    case OpCode::kStore:
      return EmitStore(op);
    case OpCode::kReduce:
      return EmitReduce(op);
    case OpCode::kTranspose:
      return EmitTranspose(op);
    case OpCode::kInterleave:
      return EmitInterleave(op);
    case OpCode::kDeinterleave:
      return EmitDeinterleave(op);
    case OpCode::kPack:
      return EmitPack(op);
    case OpCode::kRelayout: {  // the CPU's layout follows from the shape
      const kernel::Type& t = type(op.results[0]);
      Parts parts;
      for (int i = 0; i < Count(t); i++) parts.push_back(Part(op.operands[0], i, t));
      return Bind(op.results[0], std::move(parts));
    }
    case OpCode::kSync:  // a task is one thread
      return;
    default:
      Fail(Internal("kernel {}: the CPU has no {}", kernel_.name, kernel::Name(op.code)));
  }
}

}  // namespace sinter::cpu
