#include "codegen/llvm/walk.h"

#include <algorithm>

#include "base/status.h"
#include "sinter/float_types.h"

namespace sinter::codegen {

using kernel::Op;
using kernel::OpCode;

Walk::Walk(const kernel::Kernel& kernel, llvm::Function& function, llvm::IRBuilder<>& builder,
           Pointwise& pointwise)
    : kernel_(kernel),
      function_(function),
      b_(builder),
      pointwise_(pointwise),
      facts_(kernel),
      pointers_(kernel.buffers.size()),
      env_(kernel.types.size()) {}

absl::Status Walk::status() const { return status_.ok() ? pointwise_.status() : status_; }

llvm::Value* Walk::Scalar(kernel::Value v) {
  const Parts& p = parts(v);
  if (p.size() != 1) {
    Fail(Internal("kernel {}: value %{} is used as a scalar but has {} parts", kernel_.name, v,
                  p.size()));
    return llvm::PoisonValue::get(Register(type(v).elem));
  }
  return p[0];
}

llvm::Value* Walk::Splat(llvm::Value* x, int width) {
  if (width == 1 || x->getType()->isVectorTy()) return x;
  return b_.CreateVectorSplat(static_cast<unsigned>(width), x);
}

std::optional<int64_t> Walk::ConstantOf(const llvm::Value* v) {
  const auto* c = llvm::dyn_cast<llvm::ConstantInt>(v);
  if (c == nullptr || c->getBitWidth() > 64) return std::nullopt;
  return c->getSExtValue();
}

bool Walk::AllTrue(const llvm::Value* mask) {
  const auto* c = llvm::dyn_cast<llvm::Constant>(mask);
  return c != nullptr && c->isAllOnesValue();
}

llvm::Constant* Walk::Literal(const Op& op, ElementType elem, int width) {
  llvm::Type* to = Register(elem, width);
  switch (elem) {
    case ElementType::F32:
    case ElementType::F64:
      return llvm::ConstantFP::get(to, op.float_value);
    case ElementType::F16:
      return llvm::ConstantInt::get(to, half(static_cast<float>(op.float_value)).bits);
    case ElementType::BF16:
      return llvm::ConstantInt::get(to, bfloat16(static_cast<float>(op.float_value)).bits);
    case ElementType::PRED:
      return llvm::ConstantInt::get(to, op.int_value != 0);
    default: {
      const llvm::APInt bits(64, static_cast<uint64_t>(op.int_value));
      return llvm::ConstantInt::get(to, bits.trunc(static_cast<unsigned>(BitWidth(elem))));
    }
  }
}

void Walk::Run(const kernel::Block& block) {
  for (const Op& op : block.ops) Emit(op);
}

// Values that a body defines; its arguments are bound anew anyway.
void Walk::Clear(const kernel::Block& block) {
  for (const Op& op : block.ops) {
    for (kernel::Value v : op.results) Bind(v, {});
    for (const kernel::Block& region : op.regions) Clear(region);
  }
}

void Walk::Emit(const Op& op) {
  switch (op.code) {
    case OpCode::kConst: {
      const kernel::Type& t = type(op.results[0]);
      Parts out;
      for (int i = 0; i < Count(t); i++) out.push_back(Literal(op, t.elem, Width(t, i)));
      return Bind(op.results[0], std::move(out));
    }
    case OpCode::kSplat: {
      const kernel::Type& t = type(op.results[0]);
      Parts out;
      for (int i = 0; i < Count(t); i++) out.push_back(Part(op.operands[0], i, t));
      return Bind(op.results[0], std::move(out));
    }
    case OpCode::kFor:
      return EmitOwnLoop(op) ? void() : EmitFor(op);
    case OpCode::kWhile:
      return EmitWhile(op);
    case OpCode::kIf:
      return EmitConditional(op);
    default:
      if (kernel::IsPointwise(op.code)) return EmitPointwise(op);
      return EmitOwn(op);
  }
}

void Walk::EmitPointwise(const Op& op) {
  if (EmitOwnPointwise(op)) return;
  const kernel::Type& t = type(op.results[0]);
  const ElementType in = type(op.operands[op.code == OpCode::kSelect ? 1 : 0]).elem;
  llvm::SmallVector<llvm::Value*, 3> last;
  Parts out;
  for (int part = 0; part < Count(t); part++) {
    llvm::SmallVector<llvm::Value*, 3> x;
    for (kernel::Value v : op.operands) x.push_back(Part(v, part, t));
    // What neighbours share (a mask of rows, say) stays shared.
    out.push_back(part > 0 && x == last ? out.back() : pointwise_.Emit(op, in, t.elem, x));
    last = x;
  }
  Bind(op.results[0], std::move(out));
}

Parts Walk::Combine(const kernel::Block& combiner, llvm::ArrayRef<llvm::Value*> args) {
  absl::flat_hash_map<kernel::Value, llvm::Value*> local;
  const int width = WidthOf(args[0]->getType());
  for (size_t i = 0; i < args.size(); i++) local[combiner.args[i]] = args[i];
  auto get = [&](kernel::Value v) {
    const auto it = local.find(v);
    return it != local.end() ? it->second : Splat(Scalar(v), width);
  };
  for (const Op& op : combiner.ops) {
    const kernel::Type& t = type(op.results[0]);
    if (op.code == OpCode::kConst) {
      local[op.results[0]] = Literal(op, t.elem, width);
      continue;
    }
    if (!kernel::IsPointwise(op.code)) {
      Fail(Internal("kernel {}: a combiner contains {}", kernel_.name, kernel::Name(op.code)));
      continue;
    }
    llvm::SmallVector<llvm::Value*, 3> x;
    for (kernel::Value v : op.operands) x.push_back(get(v));
    const ElementType in = type(op.operands[op.code == OpCode::kSelect ? 1 : 0]).elem;
    local[op.results[0]] = pointwise_.Emit(op, in, t.elem, x);
  }
  Parts out;
  for (kernel::Value v : combiner.yield) out.push_back(get(v));
  return out;
}

// --- lists of parts

Parts Walk::Flat(llvm::ArrayRef<kernel::Value> values, llvm::ArrayRef<kernel::Value> as) {
  Parts out;
  for (size_t i = 0; i < values.size(); i++) {
    const kernel::Type& t = type(as[i]);
    for (int part = 0; part < Count(t); part++) out.push_back(Part(values[i], part, t));
  }
  return out;
}

void Walk::BindFlat(llvm::ArrayRef<kernel::Value> values, const Parts& parts) {
  auto at = parts.begin();
  for (kernel::Value v : values) {
    const auto end = at + Count(type(v));
    Bind(v, Parts(at, end));
    at = end;
  }
}

std::vector<llvm::PHINode*> Walk::Phis(llvm::ArrayRef<kernel::Value> values) {
  std::vector<llvm::PHINode*> out;
  for (kernel::Value v : values) {
    const kernel::Type& t = type(v);
    Parts own;
    for (int part = 0; part < Count(t); part++) {
      out.push_back(b_.CreatePHI(Register(t.elem, Width(t, part)), 2));
      own.push_back(out.back());
    }
    Bind(v, std::move(own));
  }
  return out;
}

std::vector<llvm::PHINode*> Walk::PhisLike(const Parts& parts) {
  std::vector<llvm::PHINode*> out;
  for (llvm::Value* v : parts) out.push_back(b_.CreatePHI(v->getType(), 2));
  return out;
}

}  // namespace sinter::codegen
