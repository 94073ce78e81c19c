// Control flow of the walk: loops with their tails, while, if.
#include "base/status.h"
#include "codegen/llvm/walk.h"

namespace sinter::codegen {
namespace {

using kernel::LoopKind;
using kernel::Op;
using kernel::Tail;
using llvm::BasicBlock;
using llvm::PHINode;
using llvm::Value;

void AddIncoming(const std::vector<PHINode*>& phis, const Parts& values, BasicBlock* from) {
  for (size_t i = 0; i < phis.size(); i++) phis[i]->addIncoming(values[i], from);
}
Parts ValuesOf(const std::vector<PHINode*>& phis) { return {phis.begin(), phis.end()}; }

llvm::ArrayRef<kernel::Value> Slice(const kernel::Values& v, size_t from) {
  return llvm::ArrayRef<kernel::Value>(v.data(), v.size()).drop_front(from);
}

}  // namespace

BasicBlock* Walk::NewBlock(const char* name) {
  auto* block = BasicBlock::Create(b_.getContext(), name, &function_);
  depth_[block] = static_cast<int>(preheaders_.size());
  return block;
}

// Rotated: a test before the loop, unless it is known to run, and one at its end.
Parts Walk::EmitRotated(Value* lo, Value* hi, int64_t step, const Parts& init, bool runs,
                        const std::function<Parts(Value*, const Parts&)>& body) {
  const auto first = ConstantOf(lo), end = ConstantOf(hi);
  runs |= first && end && *first < *end;
  BasicBlock* before = b_.GetInsertBlock();
  BasicBlock* done = NewBlock("done");
  BasicBlock* preheader = before;
  if (!runs) {
    preheader = NewBlock("preheader");
    b_.CreateCondBr(b_.CreateICmpSLT(lo, hi), preheader, done);
    b_.SetInsertPoint(preheader);
  }
  preheaders_.push_back(nullptr);
  BasicBlock* head = NewBlock("loop");
  preheaders_.back() = b_.CreateBr(head);
  b_.SetInsertPoint(head);
  PHINode* iv = b_.CreatePHI(b_.getInt64Ty(), 2);
  const auto phis = PhisLike(init);
  iv->addIncoming(lo, preheader);
  AddIncoming(phis, init, preheader);
  const Parts next = body(iv, ValuesOf(phis));
  Value* next_iv = b_.CreateAdd(iv, b_.getInt64(static_cast<uint64_t>(step)));
  BasicBlock* latch = b_.GetInsertBlock();
  iv->addIncoming(next_iv, latch);
  AddIncoming(phis, next, latch);
  b_.CreateCondBr(b_.CreateICmpSLT(next_iv, hi), head, done);
  preheaders_.pop_back();
  b_.SetInsertPoint(done);
  if (runs) return next;
  const auto results = PhisLike(init);
  AddIncoming(results, init, before);
  AddIncoming(results, next, latch);
  return ValuesOf(results);
}

Parts Walk::EmitLoop(const Op& op, Value* lo, Value* hi, int64_t step, Parts init,
                     const std::function<Value*(Value*)>& iv_of, bool runs) {
  const kernel::Block& block = op.regions[0];
  const auto carries = Slice(block.args, 1);
  auto body = [&](Value* iv) {
    Clear(block);
    Bind(block.args[0], {iv_of ? iv_of(iv) : iv});
    Run(block);
    return Flat(Slice(block.yield, 0), carries);
  };
  const auto first = ConstantOf(lo), end = ConstantOf(hi);
  if (first && end && *first >= *end) return init;
  if (first && end && *end - *first <= step) {  // one step: no loop
    BindFlat(carries, init);
    return body(lo);
  }
  return EmitRotated(lo, hi, step, init, runs, [&](Value* iv, const Parts& parts) {
    BindFlat(carries, parts);
    return body(iv);
  });
}

Parts Walk::EmitOnce(const Op& op, Value* iv, Value* enter, Parts init) {
  const kernel::Block& block = op.regions[0];
  const auto carries = Slice(block.args, 1);
  auto run = [&] {
    Clear(block);
    Bind(block.args[0], {iv});
    BindFlat(carries, init);
    Run(block);
    return Flat(Slice(block.yield, 0), carries);
  };
  if (const auto known = ConstantOf(enter); known) return *known != 0 ? run() : init;
  BasicBlock *before = b_.GetInsertBlock(), *body = NewBlock("tail"), *done = NewBlock("done");
  b_.CreateCondBr(enter, body, done);
  b_.SetInsertPoint(body);
  const Parts next = run();
  BasicBlock* end = b_.GetInsertBlock();
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
  const auto results = PhisLike(init);
  AddIncoming(results, init, before);
  AddIncoming(results, next, end);
  return ValuesOf(results);
}

void Walk::EmitFor(const Op& op) {
  const kernel::Block& block = op.regions[0];
  const auto carries = Slice(block.args, 1);
  Value *lo = Scalar(op.operands[0]), *hi = Scalar(op.operands[1]);
  const int64_t step = op.int_value;
  Parts state = Flat(Slice(op.operands, 2), carries);
  if (step <= 0) return Fail(Internal("kernel {}: a loop steps by {}", kernel_.name, step));

  if (op.loop == LoopKind::kUnroll) {
    const auto first = ConstantOf(lo), end = ConstantOf(hi);
    if (!first || !end)
      return Fail(Internal("kernel {}: an unrolled loop needs constant bounds", kernel_.name));
    for (int64_t i = *first; i < *end; i += step) {
      const bool whole = i + step <= *end;
      if (whole) facts_.EnterFull(op);
      Clear(block);
      Bind(block.args[0], {b_.getInt64(static_cast<uint64_t>(i))});
      BindFlat(carries, state);
      Run(block);
      state = Flat(Slice(block.yield, 0), carries);
      if (whole) facts_.LeaveFull();
    }
    return BindFlat(Slice(op.results, 0), state);
  }

  const bool exact = op.tail == Tail::kExact || step == 1;
  if (!exact && op.tail == Tail::kPeel) {
    Value* range = b_.CreateSub(hi, lo);
    Value* rest = b_.CreateSRem(range, b_.getInt64(static_cast<uint64_t>(step)));
    Value* middle = b_.CreateSub(hi, rest);
    const bool runs = facts_.Runs(op.operands[0], op.operands[1], step);
    facts_.EnterFull(op);
    state = EmitLoop(op, lo, middle, step, std::move(state), nullptr, runs);
    facts_.LeaveFull();
    state = EmitOnce(op, middle, b_.CreateICmpSLT(middle, hi), std::move(state));
    return BindFlat(Slice(op.results, 0), state);
  }
  const bool runs = facts_.Runs(op.operands[0], op.operands[1]);
  if (exact) facts_.EnterFull(op);
  state = EmitLoop(op, lo, hi, step, std::move(state), nullptr, runs);
  if (exact) facts_.LeaveFull();
  BindFlat(Slice(op.results, 0), state);
}

// Rotated: test, then do { body; test }.
void Walk::EmitWhile(const Op& op) {
  const kernel::Block &test = op.regions[0], &body = op.regions[1];
  const auto args = Slice(body.args, 0);
  const Parts init = Flat(Slice(op.operands, 0), args);
  auto run_test = [&](const Parts& state) {
    Clear(test);
    BindFlat(Slice(test.args, 0), state);
    Run(test);
    return Scalar(test.yield[0]);
  };
  Value* enter = run_test(init);
  BasicBlock *before = b_.GetInsertBlock(), *done = NewBlock("done");
  BasicBlock* preheader = NewBlock("preheader");
  b_.CreateCondBr(enter, preheader, done);
  b_.SetInsertPoint(preheader);
  preheaders_.push_back(nullptr);
  BasicBlock* head = NewBlock("while");
  preheaders_.back() = b_.CreateBr(head);
  b_.SetInsertPoint(head);
  const auto phis = PhisLike(init);
  AddIncoming(phis, init, preheader);
  BindFlat(args, ValuesOf(phis));
  Clear(body);
  Run(body);
  const Parts next = Flat(Slice(body.yield, 0), args);
  Value* again = run_test(next);
  BasicBlock* latch = b_.GetInsertBlock();
  AddIncoming(phis, next, latch);
  b_.CreateCondBr(again, head, done);
  preheaders_.pop_back();
  b_.SetInsertPoint(done);
  const auto results = PhisLike(init);
  AddIncoming(results, init, before);
  AddIncoming(results, next, latch);
  BindFlat(Slice(op.results, 0), ValuesOf(results));
}

void Walk::EmitConditional(const Op& op) {
  Value* condition = Scalar(op.operands[0]);
  const auto results = Slice(op.results, 0);
  if (const auto known = ConstantOf(condition); known) {
    const kernel::Block& taken = op.regions[*known != 0 ? 0 : 1];
    Run(taken);
    return BindFlat(results, Flat(Slice(taken.yield, 0), results));
  }
  BasicBlock *start[] = {NewBlock("then"), NewBlock("else")}, *done = NewBlock("endif");
  b_.CreateCondBr(condition, start[0], start[1]);
  BasicBlock* end[2];
  Parts values[2];
  for (size_t i = 0; i < 2; i++) {
    b_.SetInsertPoint(start[i]);
    Run(op.regions[i]);
    values[i] = Flat(Slice(op.regions[i].yield, 0), results);
    end[i] = b_.GetInsertBlock();
    b_.CreateBr(done);
  }
  b_.SetInsertPoint(done);
  const auto phis = Phis(results);
  for (size_t i = 0; i < 2; i++) AddIncoming(phis, values[i], end[i]);
}

Value* Walk::EmitIf(Value* condition, const std::function<Value*()>& then, Value* otherwise) {
  BasicBlock *before = b_.GetInsertBlock(), *body = NewBlock("then"), *done = NewBlock("endif");
  b_.CreateCondBr(condition, body, done);
  b_.SetInsertPoint(body);
  Value* value = then();
  BasicBlock* end = b_.GetInsertBlock();
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
  if (otherwise == nullptr) return nullptr;
  PHINode* phi = b_.CreatePHI(otherwise->getType(), 2);
  phi->addIncoming(otherwise, before);
  phi->addIncoming(value, end);
  return phi;
}

}  // namespace sinter::codegen
