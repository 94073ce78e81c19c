#include "custom_call/call.h"

#include <exception>
#include <utility>

#include "base/status.h"
#include "custom_call/shape_assertion.h"
#include "custom_call/sparse.h"
#include "custom_call/tridiagonal.h"

namespace sinter {
namespace {

// What the host's code throws is an error of its call.
template <class Body>
absl::Status CatchThrown(const Body& body) {
  try {
    return body();
  } catch (const std::exception& e) {
    return Internal("it throws {}", e.what());
  } catch (...) {
    return Internal("it throws");
  }
}

}  // namespace

absl::StatusOr<ReadyCustomCall> ReadyCustomCall::Make(
    const CustomCallTargets& targets, const std::string& target, const std::string& platform,
    std::string opaque, std::vector<Shape> operands, std::vector<Shape> results,
    bool tuple_result) {
  ReadyCustomCall call;
  if (targets.own) call.own_ = targets.own(target);
  const CustomCallRegistry& registry =
      targets.registry ? *targets.registry : CustomCallRegistry::Global();
  CustomCallFactory factory;
  if (!call.own_) {
    RETURN_IF_ERROR(registry.status(target));
    call.function_ = registry.Find(target, platform);
    if (!call.function_) factory = registry.FindFactory(target, platform);
  }
  const bool may_be_ours = !call.own_ && !factory && platform == "Host";
  if (!call.function_ && may_be_ours) call.function_ = FindTridiagonalSolve(target);
  if (!call.function_ && may_be_ours) call.function_ = FindSparseProduct(target);
  if (!call.function_ && may_be_ours) call.function_ = FindShapeAssertion(target);
  if (!call.function_ && may_be_ours) call.library_ = FindLapack(target);
  if (!call.own_ && !call.function_ && !call.library_ && !factory) {
    return Unimplemented("custom call to \"{}\": no such target is registered for {}", target,
                         platform);
  }
  for (const std::vector<Shape>* shapes : {&operands, &results}) {
    for (const Shape& shape : *shapes) {
      if (shape.has_default_layout()) continue;
      return Unimplemented("custom call to \"{}\": the layout of {}", target, shape.ToString());
    }
  }
  call.target_ = target;
  call.opaque_ = std::move(opaque);
  call.operands_ = std::move(operands);
  call.results_ = std::move(results);
  call.tuple_result_ = tuple_result;
  // What is no dictionary is the target's own business.
  if (auto attributes = CustomCallAttributes::Parse(call.opaque_); attributes.ok())
    call.attributes_ = *std::move(attributes);
  if (factory) RETURN_IF_ERROR(call.Instantiate(factory));
  return call;
}

absl::Status ReadyCustomCall::Instantiate(const CustomCallFactory& factory) {
  const CustomCallSite site{operands_, results_, tuple_result_, opaque_,
                            attributes_ ? &*attributes_ : nullptr};
  const absl::Status status = CatchThrown([&]() -> absl::Status {
    ASSIGN_OR_RETURN(function_, factory(site));
    return function_ ? absl::OkStatus() : Internal("its factory makes no function");
  });
  if (status.ok()) return status;
  return Annotate(status, Format("custom call to \"{}\"", target_));
}

ReadyCustomCall ReadyCustomCall::Missing(absl::Status status) {
  ReadyCustomCall call;
  call.missing_ = std::move(status);
  return call;
}

absl::Status ReadyCustomCall::Call(absl::Span<void* const> pointers, void* stream,
                                   const CallingRun& run,
                                   const linear_algebra::Threads& threads) const {
  if (!missing_.ok()) return missing_;
  RETURN_INTERNAL_IF(pointers.size() != operands_.size() + results_.size(),
                     "custom call to {}: {} buffers for {} operands and {} results", target_,
                     pointers.size(), operands_.size(), results_.size());
  std::vector<CustomCallFrame::Array> arrays;
  for (size_t i = 0; i < pointers.size(); ++i) {
    const Shape& shape = i < operands_.size() ? operands_[i] : results_[i - operands_.size()];
    arrays.push_back({shape.byte_size() == 0 ? nullptr : pointers[i], &shape});
  }
  CustomCallFrame frame;
  frame.stream = stream;
  frame.operands = absl::MakeConstSpan(arrays.data(), operands_.size());
  frame.results = absl::MakeConstSpan(arrays.data() + operands_.size(), results_.size());
  frame.tuple_result = tuple_result_;
  frame.opaque = opaque_;
  frame.attributes = attributes_ ? &*attributes_ : nullptr;
  const absl::Status status = CatchThrown([&] {
    if (own_) return own_(frame, run);
    return library_ ? library_(frame, threads) : function_(frame);
  });
  // Errors of the caller's own targets name them already.
  if (status.ok() || is_own()) return status;
  return Annotate(status, Format("custom call to \"{}\"", target_));
}

}  // namespace sinter
