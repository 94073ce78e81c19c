#include "base/thread/cpu_count.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>
#include <thread>

namespace sinter {
namespace {

int AffinityCpus() {
  // The kernel refuses masks smaller than its own, so the size doubles until it fits.
  for (int cpus = 1024; cpus <= 1 << 20; cpus *= 2) {
    cpu_set_t* set = CPU_ALLOC(cpus);
    if (set == nullptr) break;
    size_t bytes = CPU_ALLOC_SIZE(cpus);
    int failed = sched_getaffinity(0, bytes, set);
    int count = failed ? 0 : CPU_COUNT_S(bytes, set);
    CPU_FREE(set);
    if (count > 0) return count;
  }
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

std::string FirstLine(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

// The least quota of the group and its parents; 0 for none.
int QuotaAlong(const std::string& root, std::string group, bool version2) {
  int least = 0;
  while (true) {
    std::string folder = root + group;
    std::string text = version2 ? FirstLine(folder + "/cpu.max")
                                : FirstLine(folder + "/cpu.cfs_quota_us") + " " +
                                      FirstLine(folder + "/cpu.cfs_period_us");
    int cpus = CpusOfCgroupQuota(text);
    if (cpus > 0) least = least == 0 ? cpus : std::min(least, cpus);
    size_t slash = group.rfind('/');
    if (group.empty() || slash == std::string::npos) return least;
    group.resize(slash);
  }
}

int CgroupCpus() {
  std::ifstream in("/proc/self/cgroup");
  std::string line;
  int least = 0;
  auto take = [&](int cpus) {
    if (cpus > 0) least = least == 0 ? cpus : std::min(least, cpus);
  };
  while (std::getline(in, line)) {  // "0::/group" or "4:cpu,cpuacct:/group"
    size_t first = line.find(':');
    size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    std::string group = line.substr(second + 1);
    if (group == "/") group.clear();
    if (controllers == ",,") take(QuotaAlong("/sys/fs/cgroup", group, true));
    if (controllers.find(",cpu,") != std::string::npos) {
      take(QuotaAlong("/sys/fs/cgroup/cpu", group, false));
    }
  }
  return least;
}

}  // namespace

int CpusOfCgroupQuota(std::string_view cpu_max) {
  long quota = 0, period = 0;
  const char* end = cpu_max.data() + cpu_max.size();
  auto [p, error] = std::from_chars(cpu_max.data(), end, quota);
  if (error != std::errc() || p == end || quota <= 0) return 0;
  auto [q, error2] = std::from_chars(p + 1, end, period);
  if (error2 != std::errc() || period <= 0) return 0;
  return static_cast<int>((quota + period - 1) / period);
}

int AvailableCpus() {
  int cpus = AffinityCpus();
  int quota = CgroupCpus();
  return std::max(1, quota > 0 ? std::min(cpus, quota) : cpus);
}

}  // namespace sinter
