// Computations of two scalars for Reduce, and reductions made with them
// (xla/hlo/builder/lib/arithmetic.h).
//
//   sinter::Op sum = sinter::Reduce(x, 0, sinter::CreateScalarAddComputation(F32, &builder), {0});
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "sinter/builder.h"
#include "sinter/element_type.h"
#include "sinter/export.h"
#include "sinter/op.h"

namespace sinter {

// What a computation makes of its two scalars (xla::XlaOpGenerator).
using OpGenerator = std::function<Op(Op, Op)>;

// Two scalars of `type` in, what `generator` makes of them out; of CreateScalarGeComputation that
// is a predicate. An error, say for a type that does not have the operation, goes to the builder,
// and the computation is null.
SINTER_API Computation CreateScalarComputation(const std::string& name, ElementType type,
                                               Builder* builder, const OpGenerator& generator);
SINTER_API Computation CreateScalarAddComputation(ElementType type, Builder* builder);
SINTER_API Computation CreateScalarMultiplyComputation(ElementType type, Builder* builder);
SINTER_API Computation CreateScalarGeComputation(ElementType type, Builder* builder);
SINTER_API Computation CreateScalarMaxComputation(ElementType type, Builder* builder);
SINTER_API Computation CreateScalarMinComputation(ElementType type, Builder* builder);
SINTER_API Computation CreateScalarAndComputation(ElementType type, Builder* builder);
SINTER_API Computation CreateScalarOrComputation(ElementType type, Builder* builder);
// Of zeros and one other value that value: or for integers and predicates, else the sum.
SINTER_API Computation CreateScalarIdentityWithZeroComputation(ElementType type, Builder* builder);

// Whether any, all of the predicates are true: a scalar.
SINTER_API Op Any(const Operand& predicates);
SINTER_API Op All(const Operand& predicates);

// Where along `axis` the greatest, the least value stands: the first of equal ones, of NaNs if
// there are any. Integers and floats. `output_type` is an integer type; the result lacks the axis.
SINTER_API Op ArgMax(const Operand& input, ElementType output_type, int64_t axis);
SINTER_API Op ArgMin(const Operand& input, ElementType output_type, int64_t axis);
SINTER_API Op ArgMinMax(const Operand& input, ElementType output_type, int64_t axis, bool is_min);

}  // namespace sinter
