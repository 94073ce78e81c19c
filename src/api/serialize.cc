// Executables as bytes.
#include "program/serialize.h"

#include "api/client_core.h"
#include "base/build_id.h"
#include "sinter/executable.h"

namespace sinter {
namespace {

absl::StatusOr<std::string> Build() {
  if (BuildId().empty()) return Unimplemented("the library was linked without a build id");
  return BuildId();
}

}  // namespace

absl::StatusOr<std::string> Executable::Serialize() const {
  return api::Guarded([&]() -> absl::StatusOr<std::string> {
    if (impl_ == nullptr) return InvalidArgument("an empty executable");
    if (!client_->compiles())
      return Unimplemented("{}: the client '{}' does not compile", name(), client_->platform());
    ASSIGN_OR_RETURN(const std::string build, Build());
    program::Image image;
    image.platform = client_->platform();
    image.flush_denormals = impl_->flushes_denormals();
    image.donated = impl_->donated();
    image.devices = impl_->devices();
    ASSIGN_OR_RETURN(image.program, impl_->ProgramWithConstants());
    return program::Serialize(image, build);
  });
}

absl::StatusOr<Executable> Client::LoadSerialized(std::string_view bytes) {
  return api::Guarded([&] { return core_->LoadSerialized(bytes); });
}

namespace api {

absl::StatusOr<Executable> ClientCore::LoadSerialized(std::string_view bytes) {
  if (!compiles()) return Unimplemented("the client '{}' runs no compiled code", platform_);
  ASSIGN_OR_RETURN(const std::string build, Build());
  ASSIGN_OR_RETURN(program::Image image, program::Deserialize(bytes, build));
  if (image.platform != platform_) {
    return Unavailable("{} was compiled for a client of {}, this is one of {}", image.program.name,
                       image.platform, platform_);
  }
  for (const program::Code& code : image.program.codes)
    RETURN_IF_ERROR(compiler_.check_target(code.target));
  CompileOptions options;
  options.flush_denormals = image.flush_denormals;
  options.replicas = image.program.grid.replicas;
  options.partitions = image.program.grid.partitions;
  options.device_assignment = std::move(image.devices);
  Compiled compiled;
  compiled.program = std::move(image.program);
  compiled.donated = std::move(image.donated);
  ASSIGN_OR_RETURN(ExecutablePtr made, Load(std::move(compiled), options));
  return Executable(std::move(made), shared_from_this());
}

}  // namespace api
}  // namespace sinter
