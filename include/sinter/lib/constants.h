// Scalars of an element type known when the program runs (xla/hlo/builder/lib/constants.h).
//
//   sinter::Op lowest = sinter::MinValue(&builder, sinter::ElementType::F32);   // -inf
#pragma once

#include <cstdint>

#include "sinter/builder.h"
#include "sinter/element_type.h"
#include "sinter/export.h"
#include "sinter/op.h"
#include "sinter/shape.h"

namespace sinter {

// `value` as a scalar of `type`. InvalidArgument where the type cannot hold it (sinter/op.h,
// Number).
SINTER_API Op ConstantR0WithType(Builder* builder, ElementType type, const Number& value);
// Of the prototype's element type: a scalar, and one of the prototype's dimensions.
SINTER_API Op ScalarLike(const Operand& prototype, const Number& value);
SINTER_API Op FullLike(const Operand& prototype, const Number& value);

SINTER_API Op Zero(Builder* builder, ElementType type,
                   SourceLocation where = SourceLocation::current());
SINTER_API Op One(Builder* builder, ElementType type,
                  SourceLocation where = SourceLocation::current());
SINTER_API Op Zeros(Builder* builder, const Shape& shape,
                    SourceLocation where = SourceLocation::current());
SINTER_API Op ZerosLike(const Operand& prototype);
SINTER_API Op OnesLike(const Operand& prototype);

// The least and the greatest value: infinities of floats that have them. Finite: the least and
// greatest finite one. Integers, floats, predicates; else InvalidArgument.
SINTER_API Op MinValue(Builder* builder, ElementType type,
                       SourceLocation where = SourceLocation::current());
SINTER_API Op MinFiniteValue(Builder* builder, ElementType type,
                             SourceLocation where = SourceLocation::current());
SINTER_API Op MaxValue(Builder* builder, ElementType type,
                       SourceLocation where = SourceLocation::current());
SINTER_API Op MaxFiniteValue(Builder* builder, ElementType type,
                             SourceLocation where = SourceLocation::current());
// Floats only. Epsilon: from 1 to the next greater number. MinPositiveNormalValue: the least that
// is not denormal.
SINTER_API Op Epsilon(Builder* builder, ElementType type,
                      SourceLocation where = SourceLocation::current());
SINTER_API Op MinPositiveNormalValue(Builder* builder, ElementType type,
                                     SourceLocation where = SourceLocation::current());
SINTER_API Op NanValue(Builder* builder, ElementType type,
                       SourceLocation where = SourceLocation::current());

}  // namespace sinter
