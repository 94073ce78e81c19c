#include "frontend/jax_export/jax_export.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "base/status.h"
#include "frontend/jax_export/exported_generated.h"

namespace sinter {
namespace {

constexpr uint16_t kFirstConvention = 9;
constexpr size_t kMostRank = 64, kMostValues = 65536;  // JAX numbers arguments with 16 bits
constexpr size_t kMostText = size_t{1} << 22;          // of all dimensions
constexpr uint32_t kMostTables = 1 << 20;

// Assertions about shapes are calls in the module, which lowering answers.
bool IsHarmless(std::string_view effect) {
  return effect.find("ShapeAssertionEffect") != std::string_view::npos;
}

class Reader {
 public:
  Reader(std::string_view bytes, std::string_view filename) : bytes_(bytes), filename_(filename) {}

  absl::StatusOr<JaxExport> Read();

 private:
  using Avals = flatbuffers::Vector<flatbuffers::Offset<jax_export::AbstractValue>>;
  using Indices = flatbuffers::Vector<uint32_t>;

  template <class... Args>
  absl::Status Invalid(fmt::format_string<Args...> f, Args&&... args) const {
    return InvalidArgument("{}: {}", filename_, Format(f, std::forward<Args>(args)...));
  }
  template <class... Args>
  absl::Status Unsupported(fmt::format_string<Args...> f, Args&&... args) const {
    return Unimplemented("{}: {}", filename_, Format(f, std::forward<Args>(args)...));
  }
  absl::Status NotOne() const { return Invalid("not a file of jax.export, or a damaged one"); }

  static std::string Text(const flatbuffers::String* s) { return s ? s->str() : std::string(); }
  absl::Status CheckEffects(
      const flatbuffers::Vector<flatbuffers::Offset<jax_export::Effect>>* effects,
      std::string_view kind) const;
  absl::StatusOr<std::vector<std::string>> ReadPlatforms() const;
  absl::StatusOr<SymbolicDims> ReadDims(const jax_export::AbstractValue& value);
  // By numbers of unique values where there are such, else one by one.
  absl::StatusOr<std::vector<SymbolicDims>> ReadValues(const Avals* values, const Indices* numbers);
  absl::Status ReadKept(JaxExport* out) const;

  std::string_view bytes_, filename_;
  const uint8_t* begin_ = nullptr;
  flatbuffers::Verifier* verifier_ = nullptr;
  const jax_export::Exported* root_ = nullptr;
  size_t text_ = 0;  // of dimensions, so far
};

absl::Status Reader::CheckEffects(
    const flatbuffers::Vector<flatbuffers::Offset<jax_export::Effect>>* effects,
    std::string_view kind) const {
  if (effects == nullptr) return absl::OkStatus();
  for (const jax_export::Effect* effect : *effects) {
    const std::string name = Text(effect->type_name());
    if (!IsHarmless(name)) return Unsupported("the program has the {} effect {}", kind, name);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> Reader::ReadPlatforms() const {
  std::vector<std::string> platforms;
  if (root_->platforms() == nullptr) return platforms;
  size_t length = 0;
  for (const flatbuffers::String* p : *root_->platforms()) {
    length += p->size() + 1;
    if (length > kMostText) return ResourceExhausted("{}: too many platforms", filename_);
    platforms.push_back(p->str());
  }
  return platforms;
}

absl::StatusOr<SymbolicDims> Reader::ReadDims(const jax_export::AbstractValue& value) {
  SymbolicDims dims;
  const Indices* offsets = value.shape();
  if (offsets == nullptr) return dims;
  if (offsets->size() > kMostRank)
    return ResourceExhausted("{}: an array of more than {} dimensions", filename_, kMostRank);
  for (uint32_t i = 0; i < offsets->size(); ++i) {
    const uint8_t* at = offsets->Data() + i * sizeof(uint32_t);
    const uint32_t offset = verifier_->VerifyOffset(static_cast<size_t>(at - begin_));
    if (offset == 0) return NotOne();
    const auto* text = reinterpret_cast<const flatbuffers::String*>(at + offset);
    if (!verifier_->VerifyString(text)) return NotOne();
    text_ += text->size() + 1;
    if (text_ > kMostText) return ResourceExhausted("{}: too many dimensions", filename_);
    dims.push_back(text->str());
  }
  return dims;
}

absl::StatusOr<std::vector<SymbolicDims>> Reader::ReadValues(const Avals* values,
                                                             const Indices* numbers) {
  std::vector<SymbolicDims> out;
  const Avals* unique = root_->unique_avals();
  const bool numbered = numbers != nullptr && numbers->size() > 0;
  const uint32_t count = numbered ? numbers->size() : values ? values->size() : 0;
  if (count > kMostValues)
    return ResourceExhausted("{}: more than {} values", filename_, kMostValues);
  for (uint32_t i = 0; i < count; ++i) {
    const jax_export::AbstractValue* value = nullptr;
    if (!numbered) {
      value = values->Get(i);
    } else if (unique != nullptr && numbers->Get(i) < unique->size()) {
      value = unique->Get(numbers->Get(i));
    }
    if (value == nullptr) return Invalid("there is no value {} for value {}", numbers->Get(i), i);
    ASSIGN_OR_RETURN(out.emplace_back(), ReadDims(*value));
  }
  return out;
}

absl::Status Reader::ReadKept(JaxExport* out) const {
  if (root_->module_kept_var_idx() == nullptr) return absl::OkStatus();
  for (const int64_t kept : *root_->module_kept_var_idx()) {
    if (kept >= static_cast<int64_t>(out->arguments.size()))
      return Invalid("the module takes argument {} of {}", kept, out->arguments.size());
    if (!out->kept.empty() && kept <= out->kept.back())
      return Invalid("the arguments that the module takes are not in order");
    out->kept.push_back(kept);
  }
  return absl::OkStatus();
}

absl::StatusOr<JaxExport> Reader::Read() {
  if (bytes_.size() >= FLATBUFFERS_MAX_BUFFER_SIZE)
    return ResourceExhausted("{}: more than 2 GiB", filename_);
  // Numbers are read where they stand.
  std::unique_ptr<uint64_t[]> aligned;
  begin_ = reinterpret_cast<const uint8_t*>(bytes_.data());
  if (reinterpret_cast<uintptr_t>(begin_) % sizeof(uint64_t) != 0) {
    aligned = std::make_unique<uint64_t[]>(bytes_.size() / sizeof(uint64_t) + 1);
    std::memcpy(aligned.get(), bytes_.data(), bytes_.size());
    begin_ = reinterpret_cast<const uint8_t*>(aligned.get());
  }
  flatbuffers::Verifier verifier(begin_, bytes_.size(), 16, kMostTables);
  verifier_ = &verifier;
  if (!jax_export::VerifyExportedBuffer(verifier)) return NotOne();
  root_ = jax_export::GetExported(begin_);

  const auto* module = root_->mlir_module_serialized();
  if (module == nullptr || module->size() == 0) return NotOne();
  if (const uint16_t convention = root_->calling_convention_version();
      convention < kFirstConvention) {
    return Unsupported("calling convention {}, the first known is {}", convention,
                       kFirstConvention);
  }
  const int64_t devices = std::max<int64_t>(root_->nr_devices(), root_->nr_devices_short());
  if (devices > 1) return Unsupported("the program was exported for {} devices", devices);
  RETURN_IF_ERROR(CheckEffects(root_->ordered_effects(), "ordered"));
  RETURN_IF_ERROR(CheckEffects(root_->unordered_effects(), "unordered"));

  JaxExport out;
  out.function_name = Text(root_->function_name());
  out.jax_version = Text(root_->jax_version());
  out.module = bytes_.substr(static_cast<size_t>(module->Data() - begin_), module->size());
  ASSIGN_OR_RETURN(out.platforms, ReadPlatforms());
  ASSIGN_OR_RETURN(out.arguments, ReadValues(root_->in_avals(), root_->in_avals_idxs()));
  ASSIGN_OR_RETURN(out.results, ReadValues(root_->out_avals(), root_->out_avals_idxs()));
  RETURN_IF_ERROR(ReadKept(&out));
  return out;
}

}  // namespace

absl::StatusOr<JaxExport> ReadJaxExport(std::string_view bytes, std::string_view filename) {
  return Reader(bytes, filename).Read();
}

}  // namespace sinter
