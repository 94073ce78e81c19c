#include "codegen/gpu/target.h"

#include <algorithm>

#include "base/status.h"

namespace sinter::gpu {
namespace {

// The lowest version of PTX that knows each GPU, and the shared memory of a block (CUDA C++
// Programming Guide, "Technical Specifications per Compute Capability").
struct Gpu {
  std::string_view name;
  int sm, ptx, shared_kib;
};
constexpr Gpu kGpus[] = {
    {"sm_70", 70, 60, 96},    {"sm_72", 72, 61, 96},     {"sm_75", 75, 63, 64},
    {"sm_80", 80, 70, 163},   {"sm_86", 86, 71, 99},     {"sm_87", 87, 74, 163},
    {"sm_89", 89, 78, 99},    {"sm_90", 90, 78, 227},    {"sm_90a", 90, 80, 227},
    {"sm_100", 100, 86, 227}, {"sm_100a", 100, 86, 227}, {"sm_103", 103, 88, 227},
    {"sm_120", 120, 87, 99},
};

// The version of PTX that each release of CUDA introduced (PTX ISA, "Release Notes").
struct Release {
  int cuda, ptx;
};
constexpr Release kReleases[] = {
    {11000, 70}, {11010, 71}, {11020, 72}, {11030, 73}, {11040, 74}, {11050, 75}, {11060, 76},
    {11070, 77}, {11080, 78}, {12000, 80}, {12010, 81}, {12020, 82}, {12030, 83}, {12040, 84},
    {12050, 85}, {12070, 86}, {12080, 87}, {12090, 88}, {13000, 90},
};
constexpr int kLowestPtx = 70;  // of what the generated code uses

}  // namespace

absl::StatusOr<Target> Target::Parse(std::string_view name, int driver_version) {
  const auto* gpu = std::find_if(std::begin(kGpus), std::end(kGpus),
                                 [&](const Gpu& g) { return g.name == name; });
  if (gpu == std::end(kGpus))
    return InvalidArgument("unknown GPU \"{}\": there are {}", name, Join(Names(), ", "));
  Target t;
  t.name = name;
  t.sm = gpu->sm;
  t.ptx = std::max(gpu->ptx, kLowestPtx);
  t.shared_bytes = int64_t{gpu->shared_kib} << 10;
  if (driver_version == 0) return t;
  int newest = 0;
  for (const Release& r : kReleases)
    if (r.cuda <= driver_version) newest = r.ptx;
  if (newest < t.ptx) {
    return Unavailable("the driver for CUDA {}.{} knows no {}: PTX {}.{} is needed",
                       driver_version / 1000, driver_version % 1000 / 10, name, t.ptx / 10,
                       t.ptx % 10);
  }
  t.ptx = newest;
  return t;
}

std::vector<std::string> Target::Names() {
  std::vector<std::string> names;
  for (const Gpu& g : kGpus) names.emplace_back(g.name);
  return names;
}

std::string Target::Key() const { return Format("{}/ptx{}", name, ptx); }

}  // namespace sinter::gpu
