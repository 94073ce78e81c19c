// XLA's names for what sinter names otherwise, in namespace sinter::xla_names. A program written
// for XlaBuilder includes this instead of XLA's headers and says
//
//   namespace xla { using namespace sinter::xla_names; }
//
// Then xla::XlaBuilder, xla::XlaOp, xla::F32, xla::ShapeUtil::MakeShape,
// xla::LiteralUtil::CreateR1, xla::Array2D and the functions of xla_builder.h and of the headers of
// lib/ that sinter/lib/ has mean what they mean there. The program may reopen namespace xla: names
// found there, in its own code or through arguments, are as if they were declared in it, but for
//   - declarations such as `class XlaBuilder;` in namespace xla, which would declare another class:
//     include this header instead;
//   - a function that the program declares in xla under a name of ours: qualified calls then see
//     only that one, unless `using sinter::F;` stands beside it. (Not for the elementwise
//     functions, which are objects: sinter/ops.h.)
// A program that does not reopen it may as well say `namespace xla = sinter::xla_names;`.
//
// What sinter does not have has no name here, so that its use does not compile.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "sinter/array.h"
#include "sinter/builder.h"
#include "sinter/collective_ops.h"
#include "sinter/lib/approx_topk.h"
#include "sinter/lib/approx_topk_shape.h"
#include "sinter/lib/arithmetic.h"
#include "sinter/lib/comparators.h"
#include "sinter/lib/constants.h"
#include "sinter/lib/dynamic_shaped_ops.h"
#include "sinter/lib/logdet.h"
#include "sinter/lib/loops.h"
#include "sinter/lib/lu_decomposition.h"
#include "sinter/lib/math.h"
#include "sinter/lib/matrix.h"
#include "sinter/lib/pooling.h"
#include "sinter/lib/prng.h"
#include "sinter/lib/qr.h"
#include "sinter/lib/quantize.h"
#include "sinter/lib/self_adjoint_eig.h"
#include "sinter/lib/slicing.h"
#include "sinter/lib/sorting.h"
#include "sinter/lib/svd.h"
#include "sinter/lib/tridiagonal.h"
#include "sinter/literal.h"
#include "sinter/xla/literal_util.h"
#include "sinter/xla/messages.h"
#include "sinter/xla/shape_util.h"

namespace sinter {
namespace xla_names {

using namespace ::sinter;  // all other names are the same

using XlaBuilder = Builder;
using XlaOp = Op;
using XlaComputation = Computation;
using XlaComputationId = ComputationId;
using XlaOpGenerator = OpGenerator;
using XlaScopedOpMetadataAssignment = ScopedOpMetadata;
using XlaScopedFrontendAttributesAssignment = ScopedFrontendAttributes;
using XlaScopedShardingAssignment = ScopedSharding;
using FrontendAttributes = FrontendAttributeMap;

using complex64 = std::complex<float>;
using complex128 = std::complex<double>;

using DimensionVector = std::vector<int64_t>;

struct Comparison {
  using Type = ComparisonType;
  using Direction = ComparisonDirection;
};

// The kinds of Builder::SetUpAlias.
struct HloInputOutputAliasConfig {
  enum AliasKind { kMayAlias, kMustAlias };
};

}  // namespace xla_names

// For programs that say `namespace xla = sinter;`.
using namespace xla_names;

}  // namespace sinter
