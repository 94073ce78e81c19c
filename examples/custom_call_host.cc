// Functions of the host's inside a computation: a softmax over 128 floats in the classic signature,
// and a typed one whose attribute and status are checked.
#include <algorithm>
#include <cmath>

#include "example.h"
#include "sinter/builder.h"
#include "sinter/client.h"
#include "sinter/custom_call.h"

using sinter::ElementType, sinter::Literal, sinter::Op, sinter::Shape;

namespace {

void Softmax128(void* out, const void** in) {
  const float* x = static_cast<const float*>(in[0]);
  float* y = static_cast<float*>(out);
  float max = *std::max_element(x, x + 128), sum = 0;
  for (int i = 0; i < 128; ++i) sum += y[i] = std::exp(x[i] - max);
  for (int i = 0; i < 128; ++i) y[i] /= sum;
}
SINTER_REGISTER_CUSTOM_CALL_TARGET(Softmax128, "Host");

absl::Status Scale(sinter::CustomCallBuffer<const float> x, sinter::CustomCallBuffer<float> y,
                   float by) {
  if (by == 0) return absl::InvalidArgumentError("a scale of 0");
  for (int64_t i = 0; i < x.size(); ++i) y.data[i] = x.data[i] * by;
  return absl::OkStatus();
}
SINTER_REGISTER_TYPED_CUSTOM_CALL(
    "scale", "Host",
    sinter::BindCustomCall().Operand<float>().Result<float>().Attribute<float>("by").To(Scale));

sinter::Computation Program(const std::string& scale) {
  const Shape shape(ElementType::F32, {128});
  sinter::Builder b("custom_calls");
  Op x = Parameter(&b, 0, shape, "x");
  Op softmax = CustomCall(&b, "Softmax128", {x + 1}, shape);
  CustomCall(&b, "scale", {softmax}, shape, "{by = " + scale + " : f32}") - 1;
  return Check(b.Build());
}

}  // namespace

int main() {
  auto client = Check(sinter::Client::Cpu());
  Literal x(Shape(ElementType::F32, {128}));
  for (size_t i = 0; i < 128; ++i) x.data<float>()[i] = static_cast<float>(i % 10);
  Literal y = Check(Check(client->Compile(Program("128"))).Evaluate({x}));
  float sum = 0;
  for (float v : y.data<float>()) sum += v;
  std::printf("the mean of 128 * softmax(x + 1) - 1 is %.6f\n", std::abs(sum) / 128);

  absl::Status refused = Check(client->Compile(Program("0"))).Evaluate({x}).status();
  std::printf("a target's status is the caller's: %s\n", refused.ToString().c_str());
  return std::abs(sum) < 1e-3f && refused.code() == absl::StatusCode::kInvalidArgument ? 0 : 1;
}
