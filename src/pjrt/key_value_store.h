// The host's key-value store, by which the processes of one program find each other.
#pragma once

#include "sinter/distributed.h"
#include "sinter/pjrt_c_api.h"

namespace sinter::pjrt {

// The callbacks that PJRT_Client_Create is given; they are called while it runs.
struct KeyValueStore {
  PJRT_KeyValueGetCallback get = nullptr;
  void* get_argument = nullptr;
  PJRT_KeyValuePutCallback put = nullptr;
  void* put_argument = nullptr;
};

// Process `id` of `count`, which are connected by TCP. Of one process, or none where there is no
// store, nothing is connected.
DistributedOptions ProcessesOf(const KeyValueStore& store, int id, int count);

}  // namespace sinter::pjrt
