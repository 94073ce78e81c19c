// LLVM must never get an instruction for which it ends the process.
#include <catch2/catch.hpp>

#include "base/status.h"
#include "codegen/gpu/generator.h"
#include "llvm/IR/IRBuilder.h"

namespace sinter::gpu {
namespace {

using llvm::IRBuilder;
using llvm::Value;

// What the check says of a function that stores what `emit` makes of a float, an i64 and a pointer.
absl::Status Check(const std::function<Value*(IRBuilder<>&, Value*, Value*)>& emit) {
  llvm::LLVMContext context;
  auto generator = Generator::Create(Target::Parse("sm_80").value()).value();
  auto module = generator->NewModule(context, "m");
  auto* pointer = llvm::PointerType::get(context, 1);
  auto* type = llvm::FunctionType::get(
      llvm::Type::getVoidTy(context),
      {llvm::Type::getFloatTy(context), llvm::Type::getInt64Ty(context), pointer}, false);
  auto* f = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "f", *module);
  IRBuilder<> b(llvm::BasicBlock::Create(context, "entry", f));
  b.CreateStore(emit(b, f->getArg(0), f->getArg(1)), f->getArg(2));
  b.CreateRetVoid();
  return generator->Generate(*module).status();
}

TEST_CASE("what the walk emits passes") {
  CHECK(Check([](IRBuilder<>& b, Value* x, Value*) { return b.CreateFMul(x, x); }).ok());
  CHECK(Check([](IRBuilder<>& b, Value* x, Value*) {
          return b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x);
        }).ok());
  CHECK(Check([](IRBuilder<>& b, Value*, Value* n) {  // the upper half of a product
          Value* wide = b.CreateZExt(n, b.getInt128Ty());
          return b.CreateTrunc(b.CreateLShr(b.CreateMul(wide, wide), 64), b.getInt64Ty());
        })
            .ok());
}

TEST_CASE("what LLVM cannot select is refused") {
  const std::function<Value*(IRBuilder<>&, Value*, Value*)> bad[] = {
      [](IRBuilder<>& b, Value* x, Value*) {
        return b.CreateUnaryIntrinsic(llvm::Intrinsic::sin, x);
      },
      [](IRBuilder<>& b, Value* x, Value*) {
        return b.CreateUnaryIntrinsic(llvm::Intrinsic::exp, x);
      },
      [](IRBuilder<>& b, Value* x, Value*) { return b.CreateFRem(x, x); },
      [](IRBuilder<>& b, Value*, Value* n) {
        Value* wide = b.CreateZExt(n, b.getInt128Ty());
        return b.CreateTrunc(b.CreateUDiv(wide, wide), b.getInt64Ty());
      },
      [](IRBuilder<>& b, Value* x, Value*) {
        auto* type = llvm::FunctionType::get(x->getType(), {x->getType()}, false);
        auto callee = b.GetInsertBlock()->getModule()->getOrInsertFunction("sinf", type);
        return b.CreateCall(callee, {x});
      }};
  for (const auto& emit : bad) {
    const absl::Status s = Check(emit);
    CHECK(s.code() == absl::StatusCode::kInternal);
    CHECK(MessageOf(s).find("not for NVPTX") != std::string::npos);
  }
}

}  // namespace
}  // namespace sinter::gpu
