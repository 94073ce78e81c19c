// Operations that take more code than belongs inline, as internal functions of the module being
// emitted: each is emitted once a module and width, when first used. They are what other compilers
// call the C library for; a kernel refers to no symbol outside its object.
#pragma once

#include <functional>
#include <string>

#include "codegen/llvm/expr.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace sinter::codegen {

class SoftFunctions {
 public:
  // `prepare` sets the attributes that every function of the module has.
  SoftFunctions(llvm::Module& module, std::function<void(llvm::Function&)> prepare)
      : module_(module), prepare_(std::move(prepare)) {}

  // x y + z rounded once, for targets without such an instruction. f32 or f64, any width.
  llvm::Value* Fma(llvm::IRBuilder<>& b, llvm::Value* x, llvm::Value* y, llvm::Value* z);
  // C's fmod: x - y trunc(x / y), which is exact. f32 or f64, any width.
  llvm::Value* Fmod(llvm::IRBuilder<>& b, llvm::Value* x, llvm::Value* y);

 private:
  using Body = std::function<Expr(llvm::IRBuilder<>&, llvm::ArrayRef<Expr>)>;
  // Calls the function `name` on `args`, all of one type, which is also the result's; emits it if
  // the module lacks it.
  llvm::Value* Call(llvm::IRBuilder<>& b, const std::string& name,
                    llvm::ArrayRef<llvm::Value*> args, const Body& body);
  // The same for vectors, lane by lane, of a scalar function.
  llvm::Value* CallLanes(llvm::IRBuilder<>& b, const std::string& name,
                         llvm::ArrayRef<llvm::Value*> args, const Body& scalar);

  llvm::Module& module_;
  std::function<void(llvm::Function&)> prepare_;
};

}  // namespace sinter::codegen
