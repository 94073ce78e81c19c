// What tables that are checked when they are compiled need.
#pragma once

namespace sinter {

// Whether a function is stated. True where the compiler cannot say: under its undefined-behaviour
// sanitizer gcc takes no comparison of a function's address for a constant (gcc bug 71962), and
// leaves the check to builds without it.
template <class Function>
constexpr bool IsStated(Function* f) {
  return !__builtin_constant_p(f != nullptr) || f != nullptr;
}

}  // namespace sinter
