#include "codegen/cpu/target.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

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
// Of the processor; whether the process may use them, MayUseTiles says.
bool HasTiles(const llvm::StringMap<bool>& f) {
  return HasAvx512(f) && HasAll(f, {"amx-tile", "amx-bf16", "amx-int8"});
}
// Intel's processors with AVX512_BF16 but the first, which are those with AMX, take four
// micro-operations for vdpbf16ps, which then does half of what two multiply-adds of F32 do: 172
// against 350 GFLOP/s on Sapphire Rapids. Virtual machines hide the name, or AMX.
bool DotBf16Pays(const llvm::StringMap<bool>& f, std::string_view cpu) {
  return !HasTiles(f) && cpu != "sapphirerapids" && cpu != "emeraldrapids" &&
         cpu != "graniterapids" && cpu != "graniterapids-d" && cpu != "diamondrapids";
}

// Linux gives the eight kilobytes of tile registers to the threads of a process that has asked for
// them, which it may refuse: where a thread has a stack for signals that has no room for them.
// Asked once: a process that has them keeps them.
bool MayUseTiles() {
  static const bool may = [] {
    constexpr unsigned long kAsk = 0x1023 /* ARCH_REQ_XCOMP_PERM */, kTileData = 18;
    return syscall(SYS_arch_prctl, kAsk, kTileData) == 0;
  }();
  return may;
}

bool HasDotBytes(const llvm::StringMap<bool>& f, bool avx512) {
  return HasAll(f, {avx512 ? "avx512vnni" : "avxvnni"});
}

// Levels by name, lowest first.
struct FeatureLevel {
  std::string_view name;
  const char* cpu;
  const char* features;  // beyond what the processor's name implies
  bool avx2, avx512, dot_bytes, dot_bf16, dot_tiles;

  bool RunsOn(const llvm::StringMap<bool>& f) const {
    return HasAll(f, {"sse4.2", "popcnt"}) && (!avx2 || HasAvx2(f)) && (!avx512 || HasAvx512(f)) &&
           (!dot_bytes || HasDotBytes(f, avx512)) && (!dot_bf16 || HasDotBf16(f)) &&
           (!dot_tiles || (HasTiles(f) && MayUseTiles()));
  }
};
constexpr FeatureLevel kLevels[] = {
    {"sse4.2", "x86-64-v2", "", false, false, false, false, false},
    {"avx2", "x86-64-v3", "", true, false, false, false, false},
    {"avx2-vnni", "x86-64-v3", "+avxvnni", true, false, true, false, false},
    {"avx512", "x86-64-v4", "", true, true, false, false, false},
    {"avx512-bf16", "x86-64-v4", "+avx512bf16,+avx512vnni", true, true, true, true, false},
    {"avx512-amx", "x86-64-v4", "+avx512bf16,+avx512vnni,+amx-tile,+amx-bf16,+amx-int8", true, true,
     true, false, true},
};

const FeatureLevel* FindLevel(std::string_view name) {
  const auto* level = std::find_if(std::begin(kLevels), std::end(kLevels),
                                   [&](const FeatureLevel& l) { return l.name == name; });
  return level == std::end(kLevels) ? nullptr : level;
}

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
  const FeatureLevel* level = FindLevel(name);
  if (level == nullptr) {
    return InvalidArgument("unknown instruction set level \"{}\": {}", name, Join(Levels(), ", "));
  }
  Target t;
  t.triple = kTriple;
  t.cpu = level->cpu;
  t.features = level->features;
  t.dot_bytes = level->dot_bytes;
  t.dot_bf16 = level->dot_bf16;
  t.dot_tiles = level->dot_tiles;
  SetLevel(t, level->avx2, level->avx512);
  return t;
}

absl::StatusOr<Target> Target::Host() {
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  if (!HasAll(features, {"sse4.2", "popcnt"})) return Unimplemented("this processor lacks SSE4.2");
  Target t;
  t.triple = kTriple;
  t.cpu = llvm::sys::getHostCPUName().str();
  t.dot_bf16 = HasDotBf16(features) && DotBf16Pays(features, t.cpu);
  t.dot_tiles = HasTiles(features) && MayUseTiles();
  if (!t.dot_tiles) {
    for (auto& entry : features)
      if (entry.first().starts_with("amx-")) entry.second = false;
  }
  // Of its instructions LLVM 22 takes insertq to put parts of vectors together, which takes 110 ns
  // on Zen 3 where an upper half of a register is not zero.
  features["sse4a"] = false;
  std::vector<std::string> list;
  for (const auto& entry : features)
    list.push_back((entry.second ? "+" : "-") + entry.first().str());
  std::sort(list.begin(), list.end());
  t.features = Join(list, ",");
  SetLevel(t, HasAvx2(features), HasAvx512(features));
  t.dot_bytes = (t.avx512 || HasAvx2(features)) && HasDotBytes(features, t.avx512);
  t.half_arithmetic = t.avx512 && HasAll(features, {"avx512fp16"});
  return t;
}

std::vector<std::string> Target::Levels() {
  std::vector<std::string> names;
  for (const FeatureLevel& level : kLevels) names.emplace_back(level.name);
  return names;
}

absl::Status Target::CheckRunnable(const std::string& key) {
  // Levels first: the host's key says what the process may use, which it then asks for.
  for (const FeatureLevel& level : kLevels) {
    ASSIGN_OR_RETURN(const Target target, Level(level.name));
    if (key == target.Key() && RunsLevel(level.name)) return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const Target host, Host());
  if (key == host.Key()) return absl::OkStatus();
  return Unavailable("the code is for {}, this processor is {}", key, host.Key());
}

bool Target::RunsLevel(std::string_view name) {
  const FeatureLevel* level = FindLevel(name);
  return level != nullptr && level->RunsOn(llvm::sys::getHostCPUFeatures());
}

std::vector<std::string> Target::RunnableLevels() {
  const llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  std::vector<std::string> levels;
  for (const FeatureLevel& level : kLevels)
    if (level.RunsOn(features)) levels.emplace_back(level.name);
  return levels;
}

}  // namespace sinter::cpu
