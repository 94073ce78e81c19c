#include "codegen/cpu/target.h"

#include "base/status.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"

namespace sinter::cpu {
namespace {

// Code for Linux is ELF; nothing else of the system enters it, as it calls nothing.
constexpr std::string_view kTriple = "x86_64-unknown-linux-gnu";

bool HasAll(const llvm::StringMap<bool>& features, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (!features.lookup(name)) return false;
  return true;
}
bool HasAvx512(const llvm::StringMap<bool>& f) {
  return HasAll(f, {"avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512cd"});
}
bool HasAvx2(const llvm::StringMap<bool>& f) {
  return HasAll(f, {"avx2", "fma", "f16c", "bmi", "bmi2", "lzcnt", "movbe", "popcnt"});
}

void SetLevel(Target& t, std::string_view level) {
  t.avx512 = level == "avx512";
  t.masked_memory = t.fma = t.half = t.avx512 || level == "avx2";
  t.vector_bytes = t.avx512 ? 64 : t.masked_memory ? 32 : 16;
  // Some processors are tuned to leave 512-bit vectors alone; the kernel's planner has decided
  // already.
  if (t.avx512) t.features += (t.features.empty() ? "" : ",") + std::string("-prefer-256-bit");
}

}  // namespace

absl::StatusOr<Target> Target::Level(std::string_view name) {
  Target t;
  t.triple = kTriple;
  if (name == "avx512") {
    t.cpu = "x86-64-v4";
  } else if (name == "avx2") {
    t.cpu = "x86-64-v3";
  } else if (name == "sse4.2") {
    t.cpu = "x86-64-v2";
  } else {
    return InvalidArgument("unknown instruction set level \"{}\": sse4.2, avx2 or avx512", name);
  }
  SetLevel(t, name);
  return t;
}

absl::StatusOr<Target> Target::Host() {
  const llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  if (!HasAll(features, {"sse4.2", "popcnt"})) return Unimplemented("this processor lacks SSE4.2");
  Target t;
  t.triple = kTriple;
  t.cpu = llvm::sys::getHostCPUName().str();
  std::vector<std::string> list;
  for (const auto& entry : features)
    list.push_back((entry.second ? "+" : "-") + entry.first().str());
  std::sort(list.begin(), list.end());
  t.features = Join(list, ",");
  SetLevel(t, HasAvx512(features) ? "avx512" : HasAvx2(features) ? "avx2" : "sse4.2");
  return t;
}

std::vector<std::string> Target::RunnableLevels() {
  const llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  std::vector<std::string> levels;
  if (HasAll(features, {"sse4.2", "popcnt"})) levels.push_back("sse4.2");
  if (HasAvx2(features)) levels.push_back("avx2");
  if (HasAvx512(features)) levels.push_back("avx512");
  return levels;
}

}  // namespace sinter::cpu
