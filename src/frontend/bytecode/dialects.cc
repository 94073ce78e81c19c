#include "frontend/bytecode/dialects.h"

namespace sinter::stablehlo {
namespace {

constexpr DialectEncoding kEncodings[] = {
    {"builtin", ReadBuiltinAttribute, ReadBuiltinType},
    {"chlo", ReadChloAttribute, nullptr},
    {"quant", nullptr, ReadQuantType},
    {"sdy", ReadSdyAttribute, nullptr},
    {"stablehlo", ReadStablehloAttribute, ReadStablehloType},
    {"vhlo", ReadVhloAttribute, ReadVhloType},
};

}  // namespace

const DialectEncoding* FindDialect(std::string_view name) {
  for (const DialectEncoding& d : kEncodings) {
    if (d.name == name) return &d;
  }
  return nullptr;
}

}  // namespace sinter::stablehlo
