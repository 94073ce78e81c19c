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

bool HasDotBf16(const llvm::StringMap<bool>& f) {
  return HasAvx512(f) && HasAll(f, {"avx512bf16"});
}
// Intel's processors with AVX512_BF16 but the first take four micro-operations for vdpbf16ps, which
// then does half of what two multiply-adds of F32 do: 172 against 350 GFLOP/s on Sapphire Rapids.
bool DotBf16Pays(const Target& t) {
  return t.cpu != "sapphirerapids" && t.cpu != "emeraldrapids" && t.cpu != "graniterapids" &&
         t.cpu != "graniterapids-d" && t.cpu != "diamondrapids";
}
bool HasDotBytes(const llvm::StringMap<bool>& f, bool avx512) {
  return HasAll(f, {avx512 ? "avx512vnni" : "avxvnni"});
}

// Levels by name, lowest first.
struct FeatureLevel {
  std::string_view name;
  const char* cpu;
  const char* features;  // beyond what the processor's name implies
  bool avx2, avx512, dot_bytes, dot_bf16;

  bool RunsOn(const llvm::StringMap<bool>& f) const {
    return HasAll(f, {"sse4.2", "popcnt"}) && (!avx2 || HasAvx2(f)) && (!avx512 || HasAvx512(f)) &&
           (!dot_bytes || HasDotBytes(f, avx512)) && (!dot_bf16 || HasDotBf16(f));
  }
};
constexpr FeatureLevel kLevels[] = {
    {"sse4.2", "x86-64-v2", "", false, false, false, false},
    {"avx2", "x86-64-v3", "", true, false, false, false},
    {"avx2-vnni", "x86-64-v3", "+avxvnni", true, false, true, false},
    {"avx512", "x86-64-v4", "", true, true, false, false},
    {"avx512-bf16", "x86-64-v4", "+avx512bf16,+avx512vnni", true, true, true, true},
};

void SetLevel(Target& t, bool avx2, bool avx512) {
  t.avx512 = avx512;
  t.masked_memory = t.fma = t.half = avx2 || avx512;
  t.vector_bytes = t.avx512 ? 64 : t.masked_memory ? 32 : 16;
  // Some processors are tuned to leave 512-bit vectors alone; the kernel's planner has decided
  // already.
  if (t.avx512) t.features += (t.features.empty() ? "" : ",") + std::string("-prefer-256-bit");
}

}  // namespace

absl::StatusOr<Target> Target::Level(std::string_view name) {
  for (const FeatureLevel& level : kLevels) {
    if (level.name != name) continue;
    Target t;
    t.triple = kTriple;
    t.cpu = level.cpu;
    t.features = level.features;
    t.dot_bytes = level.dot_bytes;
    t.dot_bf16 = level.dot_bf16;
    SetLevel(t, level.avx2, level.avx512);
    return t;
  }
  return InvalidArgument("unknown instruction set level \"{}\": {}", name, Join(Levels(), ", "));
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
  SetLevel(t, HasAvx2(features), HasAvx512(features));
  t.dot_bytes = (t.avx512 || HasAvx2(features)) && HasDotBytes(features, t.avx512);
  t.dot_bf16 = HasDotBf16(features) && DotBf16Pays(t);
  t.half_arithmetic = t.avx512 && HasAll(features, {"avx512fp16"});
  return t;
}

std::vector<std::string> Target::Levels() {
  std::vector<std::string> names;
  for (const FeatureLevel& level : kLevels) names.emplace_back(level.name);
  return names;
}

absl::Status Target::CheckRunnable(const std::string& key) {
  ASSIGN_OR_RETURN(const Target host, Host());
  if (key == host.Key()) return absl::OkStatus();
  for (const std::string& name : RunnableLevels()) {
    ASSIGN_OR_RETURN(const Target level, Level(name));
    if (key == level.Key()) return absl::OkStatus();
  }
  return Unavailable("the code is for {}, this processor is {}", key, host.Key());
}

std::vector<std::string> Target::RunnableLevels() {
  const llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  std::vector<std::string> levels;
  for (const FeatureLevel& level : kLevels)
    if (level.RunsOn(features)) levels.emplace_back(level.name);
  return levels;
}

}  // namespace sinter::cpu
