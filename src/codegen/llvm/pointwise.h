// What each pointwise operation of the kernel IR means, in LLVM IR: the only place that knows.
// Every operation is emitted so that no target turns it into a call of a library: what a target's
// instructions cannot do exactly is expanded here.
#pragma once

#include "absl/status/status.h"
#include "codegen/kernel/kernel.h"
#include "codegen/llvm/expr.h"
#include "codegen/llvm/soft_functions.h"
#include "llvm/IR/IRBuilder.h"

namespace sinter::codegen {

// What a target's instructions do exactly as the IR defines it.
struct Abilities {
  bool fma = false;              // fused multiply-add of f32 and f64
  bool half = false;             // f16 <-> f32, denormals included
  bool half_arithmetic = false;  // + - * / and square roots of f16, denormals included
  bool scale = false;            // x * 2^n of vectors, rounded once: llvm.ldexp needs no library
  // A NaN that arithmetic gives is that of an operand, or one without payload.
  bool nan_of_operand = false;
  bool masked_operations = false;  // a choice between two results costs nothing
};

class Pointwise {
 public:
  Pointwise(llvm::IRBuilder<>& builder, const Abilities& abilities, SoftFunctions& soft)
      : b_(builder), can_(abilities), soft_(soft) {}
  virtual ~Pointwise() = default;

  // One operation on one chunk: `x` are the operands, scalars or vectors of one width; `in` is
  // their element type (of a select: of its values), `out` the result's. An operation that the
  // types do not have is an error, kept in status().
  llvm::Value* Emit(const kernel::Op& op, ElementType in, ElementType out,
                    llvm::ArrayRef<llvm::Value*> x);
  const absl::Status& status() const { return status_; }

 protected:
  // IEEE minimum or maximum: NaN wins, -0 < +0.
  virtual Expr FloatMinMax(Expr a, Expr c, bool is_max);
  // x * 2^n, correctly rounded; n of the integer type as wide as x.
  virtual Expr Ldexp(Expr x, Expr n);
  // The same where the operation is marked `in_range`.
  virtual Expr LdexpInRange(Expr x, Expr n);
  virtual Expr Fma(Expr a, Expr m, Expr c);
  virtual Expr DotAdd(Expr a, Expr m, Expr sum);
  // The same of pairs of S16.
  virtual Expr DotAddPairs(Expr a, Expr m, Expr sum);

  llvm::IRBuilder<>& b_;
  const Abilities can_;
  SoftFunctions& soft_;

 private:
  Expr X(llvm::Value* v) { return {&b_, v}; }
  llvm::Value* Fail(const kernel::Op& op, ElementType in, ElementType out, int width);
  llvm::Value* EmitFloat(const kernel::Op& op, llvm::ArrayRef<llvm::Value*> x);
  llvm::Value* EmitInteger(const kernel::Op& op, ElementType elem, llvm::ArrayRef<llvm::Value*> x);
  Expr Compare(kernel::Predicate p, ElementType elem, Expr a, Expr c);
  Expr Shift(Expr a, Expr n, bool left, bool is_signed);
  Expr MulHi(Expr a, Expr c, bool is_signed);
  Expr Divide(Expr a, Expr c, bool is_signed, bool remainder);

  // Conversions (convert.cc).
  Expr Convert(Expr x, ElementType in, ElementType out, bool in_range);
  Expr FloatToInt(Expr x, ElementType out, bool in_range);
  Expr IntToFloat(Expr x, ElementType in, ElementType out);
  Expr NarrowFloat(Expr x, ElementType out);  // f32 or f64 to f16 or bf16
  Expr WidenFloat(Expr x, ElementType in);    // f16 or bf16 to f32
  llvm::Value* HalfOperation(llvm::Value* x);
  Expr RoundToOdd(Expr x);  // f64 to f32

  absl::Status status_;
};

}  // namespace sinter::codegen
