// Compiled programs as bytes: everything but the notes, machine code included.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "program/program.h"

namespace sinter::program {

// A program with all that it takes to run it.
struct Image {
  std::string platform;          // of the client that it is for
  bool flush_denormals = false;  // while it runs
  std::vector<int64_t> donated;  // arguments that every run consumes
  std::vector<int> devices;      // of the client, that run the participants
  Program program;
};

// `build` names the build of the library: only the same one reads the bytes, whose layout is not
// kept from one to the next.
std::string Serialize(const Image& image, std::string_view build);

// InvalidArgument for bytes that are no image or have been changed, Unavailable for those of
// another build. Whether code is what it claims to be cannot be checked: the bytes are to be
// trusted as a shared library is.
absl::StatusOr<Image> Deserialize(std::string_view bytes, std::string_view build);

}  // namespace sinter::program
