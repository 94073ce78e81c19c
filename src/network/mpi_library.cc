#include "network/mpi_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/status.h"

namespace sinter::network {
namespace {

// Of MPICH's mpi.h.
constexpr MpiLibrary::Handle kMpichWorld = 0x44000000, kMpichByte = 0x4c00010d,
                             kMpichErrorsReturn = 0x54000001;

bool IsSet(const char* variable) { return std::getenv(variable) != nullptr; }

absl::StatusOr<void*> Open(const std::string& path) {
  if (!path.empty()) {
    // Open MPI's own plugins look for its symbols among those of all.
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (library != nullptr) return library;
    return Unavailable("MPI: {}", dlerror());
  }
  if (dlsym(RTLD_DEFAULT, "MPI_Init_thread") != nullptr) return RTLD_DEFAULT;
  std::vector<const char*> names{"libmpi.so.40", "libmpich.so.12", "libmpi.so.12"};
  if (IsSet("PMI_RANK") && !IsSet("OMPI_COMM_WORLD_RANK"))
    std::rotate(names.begin(), names.begin() + 1, names.end());
  for (int flags : {RTLD_NOLOAD, 0}) {
    for (const char* name : names) {
      void* library = dlopen(name, RTLD_NOW | RTLD_GLOBAL | flags);
      if (library != nullptr) return library;
    }
  }
  return Unavailable(
      "there is no MPI library: neither libmpi.so.40 (Open MPI) nor libmpich.so.12 or libmpi.so.12 "
      "(MPICH) can be loaded");
}

}  // namespace

MpiLibrary::Handle MpiLibrary::CommunicatorAt(const void* communicator) const {
  if (communicator == nullptr) return world;
  Handle handle = 0;
  std::memcpy(&handle, communicator, handles_are_pointers ? sizeof(void*) : sizeof(int));
  return handle;
}

std::string MpiLibrary::ErrorText(int code) const {
  char text[kMostErrorText + 1] = {};
  int size = 0;
  if (error_string(code, text, &size) != 0 || size <= 0) return Format("error {}", code);
  return std::string(text, static_cast<size_t>(std::min(size, kMostErrorText)));
}

absl::StatusOr<std::shared_ptr<const MpiLibrary>> FindMpi(const std::string& path) {
  ASSIGN_OR_RETURN(void* const library, Open(path));
  auto mpi = std::make_shared<MpiLibrary>();
  std::string missing;
  auto find = [&](const char* name, auto& function) {
    void* symbol = dlsym(library, name);
    if (symbol == nullptr && missing.empty()) missing = name;
    std::memcpy(&function, &symbol, sizeof symbol);
  };
  find("MPI_Initialized", mpi->initialized);
  find("MPI_Finalized", mpi->finalized);
  find("MPI_Init_thread", mpi->init_thread);
  find("MPI_Query_thread", mpi->query_thread);
  find("MPI_Finalize", mpi->finalize);
  find("MPI_Comm_rank", mpi->comm_rank);
  find("MPI_Comm_size", mpi->comm_size);
  find("MPI_Comm_idup", mpi->comm_idup);
  find("MPI_Comm_free", mpi->comm_free);
  find("MPI_Comm_set_errhandler", mpi->comm_set_errhandler);
  find("MPI_Isend", mpi->isend);
  find("MPI_Improbe", mpi->improbe);
  find("MPI_Imrecv", mpi->imrecv);
  find("MPI_Get_count", mpi->get_count);
  find("MPI_Test", mpi->test);
  find("MPI_Ibarrier", mpi->ibarrier);
  find("MPI_Error_string", mpi->error_string);
  if (!missing.empty())
    return Unavailable("the MPI library has no {}: it is older than MPI 3", missing);
  if (void* world = dlsym(library, "ompi_mpi_comm_world"); world != nullptr) {
    mpi->name = "Open MPI";
    mpi->handles_are_pointers = true;
    mpi->world = reinterpret_cast<uintptr_t>(world);
    mpi->byte = reinterpret_cast<uintptr_t>(dlsym(library, "ompi_mpi_byte"));
    mpi->errors_return = reinterpret_cast<uintptr_t>(dlsym(library, "ompi_mpi_errors_return"));
  } else if (dlsym(library, "MPIR_F08_MPI_STATUS_IGNORE_OBJ") != nullptr ||
             dlsym(library, "MPIR_Process") != nullptr ||
             dlsym(library, "MPIX_Comm_agree") != nullptr) {
    mpi->name = "MPICH";
    mpi->world = kMpichWorld;
    mpi->byte = kMpichByte;
    mpi->errors_return = kMpichErrorsReturn;
  } else {
    return Unavailable(
        "the MPI library is not known: Open MPI and MPICH, with its descendants, are; that of the "
        "standard binary interface (libmpi_abi.so) is not");
  }
  if (mpi->byte == 0 || mpi->errors_return == 0)
    return Unavailable("the MPI library has the symbols of {} only in part", mpi->name);
  return mpi;
}

}  // namespace sinter::network
