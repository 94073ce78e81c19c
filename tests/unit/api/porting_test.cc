// A program as written for XLA's builder: only the includes and this import are ours.
#include "sinter/xla_compat.h"

namespace xla {
using namespace sinter::xla_names;
}  // namespace xla

#include <vector>

#include "unit/api/porting.h"

namespace porting {
namespace {

xla::XlaComputation CreateMax(xla::XlaBuilder* parent) {
  auto b = parent->CreateSubBuilder("max_f32");
  xla::XlaOp x = xla::Parameter(b.get(), 0, xla::ShapeUtil::MakeShape(xla::F32, {}), "x");
  xla::XlaOp y = xla::Parameter(b.get(), 1, xla::ShapeUtil::MakeShape(xla::F32, {}), "y");
  xla::Max(x, y);
  return b->BuildAndNoteError();
}

}  // namespace

absl::StatusOr<xla::XlaComputation> Softmax() {
  xla::XlaBuilder b("softmax");
  const xla::Shape shape = xla::ShapeUtil::MakeShape(xla::F32, {2, 3});
  xla::XlaOp logits = xla::Parameter(&b, 0, shape, "logits");
  xla::XlaOp max =
      xla::Reduce(logits, xla::MinValue(&b, xla::F32), CreateMax(&b), /*dimensions_to_reduce=*/{1});
  xla::XlaOp shifted = xla::Sub(logits, max, /*broadcast_dimensions=*/{0});
  xla::XlaOp e = xla::Exp(shifted);
  xla::XlaOp sum =
      xla::Reduce(e, xla::Zero(&b, xla::F32), xla::CreateScalarAddComputation(xla::F32, &b), {1});
  xla::Div(e, sum, {0});
  return b.Build();
}

absl::StatusOr<xla::XlaComputation> PowersOfTwo() {
  const xla::Shape state = xla::ShapeUtil::MakeTupleShape(
      {xla::ShapeUtil::MakeShape(xla::S32, {}), xla::ShapeUtil::MakeShape(xla::S32, {})});
  xla::XlaComputation condition, body;
  {
    xla::XlaBuilder b("condition");
    auto s = xla::Parameter(&b, 0, state, "s");
    xla::Lt(xla::GetTupleElement(s, 0), xla::ConstantR0<int32_t>(&b, 10));
    condition = b.Build().value();
  }
  {
    xla::XlaBuilder b("body");
    auto s = xla::Parameter(&b, 0, state, "s");
    auto i = xla::GetTupleElement(s, 0) + xla::One(&b, xla::S32);
    auto p = xla::GetTupleElement(s, 1) << xla::ScalarLike(i, 1);
    xla::Tuple(&b, {i, p});
    body = b.Build().value();
  }
  xla::XlaBuilder b("powers");
  auto init = xla::Tuple(&b, {xla::ConstantR0<int32_t>(&b, 0), xla::ConstantR0<int32_t>(&b, 1)});
  xla::GetTupleElement(xla::While(condition, body, init), 1);
  return b.Build();
}

absl::StatusOr<xla::XlaComputation> Assorted() {
  xla::XlaBuilder b("assorted");
  auto m = xla::ConstantR2FromArray2D<float>(&b, xla::Array2D<float>({{1, 2, 3}, {4, 5, 6}}));
  auto v = xla::ConstantR1<float>(&b, {1, 10, 100});
  auto sum = xla::Add(m, v, {1});
  auto dot = xla::Dot(sum, xla::Transpose(m, {1, 0}));
  xla::PaddingConfig padding;
  for (int i = 0; i < 2; ++i) {
    auto* d = padding.add_dimensions();
    d->set_edge_padding_low(1);
    d->set_edge_padding_high(0);
    d->set_interior_padding(0);
  }
  auto padded = xla::Pad(dot, xla::ConstantR0<float>(&b, -1), padding);
  auto best = xla::ArgMax(padded, xla::S32, 1);
  auto mask = xla::Compare(padded, xla::ZerosLike(padded), xla::ComparisonDirection::kGt);
  xla::Tuple(&b, {padded, best, xla::Any(mask), xla::All(mask),
                  xla::ConvertElementType(xla::Square(v), xla::S32)});
  return b.Build();
}

}  // namespace porting
