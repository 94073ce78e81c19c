// The host's processor as a device.
#pragma once

#include <memory>

#include "program/program.h"
#include "runtime/device.h"

namespace sinter::runtime::cpu {

// `loader` makes the code of programs runnable.
std::shared_ptr<Device> MakeCpuDevice(std::shared_ptr<program::Loader> loader,
                                      std::shared_ptr<MemoryPool> pool,
                                      std::shared_ptr<Workers> workers);

}  // namespace sinter::runtime::cpu
