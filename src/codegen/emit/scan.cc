// Scans: cumulative reduce-windows, whose accumulators a loop carries.
#include "base/status.h"
#include "codegen/emit/elementwise.h"
#include "codegen/emit/region.h"
#include "codegen/emit/scalar_computation.h"

namespace sinter::emit {

using kernel::Type;
using kernel::Value;
using kernel::Values;

Values Region::ScanStart(const Frame& frame) {
  const HloInstruction* scan = plan_.scan;
  const size_t n = scan->operands().size() / 2;
  Values carries;
  for (size_t k = 0; k < n; ++k) {
    const HloInstruction* initial = scan->operand(n + k);
    const ElementType type = AccumulatorOf(*scan, k);
    Parts x = EmitConvert(b_, Eval(initial, {}, Frame{}), initial->shape().element_type(), type);
    const Type tile{RealPart(type), 1, frame.cols};
    carries.push_back(Widen(x.re, tile));
    if (x.complex()) carries.push_back(Widen(x.im, tile));
  }
  return carries;
}

// Backwards the element comes before what has been accumulated, as it does in its window.
Values Region::ScanStep(const Coords& at, const Frame& frame, const Values& carries) {
  const HloInstruction* scan = plan_.scan;
  const size_t n = scan->operands().size() / 2;
  std::vector<Parts> sums, elements;
  size_t next = 0;
  for (size_t k = 0; k < n; ++k) {
    const ElementType type = AccumulatorOf(*scan, k);
    Parts sum{carries[next++]};
    if (IsComplex(type)) sum.im = carries[next++];
    sums.push_back(sum);
    elements.push_back(EmitConvert(b_, Eval(scan->operand(k), at, frame),
                                   scan->operand(k)->shape().element_type(), type));
  }
  if (plan_.scan_backwards) std::swap(sums, elements);
  sums.insert(sums.end(), elements.begin(), elements.end());
  auto y = EvalScalarComputation(b_, *scan->called(0), sums, true);
  if (!y.ok()) {
    Fail(y.status(), ElementType::F32);
    return carries;
  }
  Values result;
  for (size_t k = 0; k < n; ++k) {
    const Parts& sum = (*y)[k];
    for (Value part : {sum.re, sum.im}) {
      if (part == kernel::kNone) continue;
      result.push_back(Widen(part, b_.type(carries[result.size()])));
    }
    const Shape& to = n == 1 ? scan->shape() : scan->shape().tuple_shapes()[k];
    Bind(scan, at, frame, EmitConvert(b_, sum, AccumulatorOf(*scan, k), to.element_type()),
         static_cast<int64_t>(k));
  }
  return result;
}

}  // namespace sinter::emit
