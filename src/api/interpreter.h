// The interpreter as a compiler: a program of one step, a call that evaluates the module.
#pragma once

#include <memory>
#include <string_view>

#include "api/compiler.h"
#include "custom_call/call.h"
#include "ir/module.h"
#include "transfer/queues.h"

namespace sinter::api {

Compiler InterpreterCompiler();

// The target of the call in such a program, and the function behind it: it evaluates `module` on
// the operands, the leaves of its parameters and the sizes of their dynamic dimensions, and writes
// the leaves of the result and their sizes.
inline constexpr std::string_view kInterpreterTarget = "sinter.interpret";
OwnTarget Interpreting(std::shared_ptr<const HloModule> module,
                       std::shared_ptr<const CustomCallRegistry> custom_calls,
                       std::shared_ptr<TransferQueues> transfers);

}  // namespace sinter::api
