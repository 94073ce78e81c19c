#include "passes/expand/batch_norm.h"

#include "base/status.h"
#include "pass/expansion.h"
#include "pass/graph.h"

namespace sinter {
namespace expand {
namespace {

class Normalization {
 public:
  Normalization(HloComputation& c, const HloInstruction& i,
                absl::Span<HloInstruction* const> operands, HloInstruction* present,
                HloInstruction* count)
      : g_(c, i),
        i_(i),
        operands_(operands),
        present_(present),
        count_(count),
        type_(i.operand(0)->shape().element_type()),
        wide_(Wide(type_)),
        dims_(i.operand(0)->shape().dimensions()),
        feature_(i.attrs<BatchNormAttrs>().feature_index) {
    for (int64_t d = 0; d < static_cast<int64_t>(dims_.size()); ++d) {
      if (d == feature_) continue;
      others_.push_back(d);
      per_feature_ *= static_cast<double>(dims_[static_cast<size_t>(d)]);
    }
  }

  absl::StatusOr<HloInstruction*> Make() {
    HloInstruction* result = i_.op() == HloOpcode::BatchNormTraining    ? Training()
                             : i_.op() == HloOpcode::BatchNormInference ? Inference()
                                                                        : Grad();
    RETURN_IF_ERROR(g_.status());
    return result;
  }

 private:
  HloInstruction* Operand(size_t k) { return g_.Convert(operands_[k], wide_); }
  HloInstruction* Narrow(HloInstruction* x) { return g_.Convert(x, type_); }
  HloInstruction* Each(HloInstruction* vector) { return g_.Broadcast(vector, dims_, {feature_}); }
  HloInstruction* Add(HloInstruction* x, HloInstruction* y) {
    return g_.Add(HloOpcode::Add, {x, y});
  }
  HloInstruction* Sub(HloInstruction* x, HloInstruction* y) {
    return g_.Add(HloOpcode::Subtract, {x, y});
  }
  HloInstruction* Mul(HloInstruction* x, HloInstruction* y) {
    return g_.Add(HloOpcode::Multiply, {x, y});
  }
  HloInstruction* Div(HloInstruction* x, HloInstruction* y) {
    return g_.Add(HloOpcode::Divide, {x, y});
  }
  HloInstruction* PerFeature(const Shape& like) {
    return g_.Splat(count_ ? count_ : g_.Scalar(wide_, per_feature_), like.dimensions());
  }
  HloInstruction* Sum(HloInstruction* x) {
    if (present_) x = g_.Add(HloOpcode::Select, {present_, x, g_.Splat(g_.Zero(wide_), dims_)});
    return g_.Sum(x, others_);
  }
  HloInstruction* Mean(HloInstruction* x) {
    HloInstruction* sum = Sum(x);
    return Div(sum, PerFeature(sum->shape()));
  }
  HloInstruction* WithEpsilon(HloInstruction* variance) {
    const double epsilon = i_.attrs<BatchNormAttrs>().epsilon;
    return Add(variance, g_.Splat(g_.Scalar(wide_, epsilon), variance->shape().dimensions()));
  }
  HloInstruction* Deviation(HloInstruction* variance) {
    return g_.Add(HloOpcode::Sqrt, {WithEpsilon(variance)});
  }

  HloInstruction* Normalized(HloInstruction* centered, HloInstruction* variance,
                             HloInstruction* scale, HloInstruction* offset) {
    HloInstruction* normal = Div(centered, Each(Deviation(variance)));
    return Narrow(Add(Mul(Each(scale), normal), Each(offset)));
  }

  HloInstruction* Inference() {
    HloInstruction* centered = Sub(Operand(0), Each(Operand(3)));
    return Normalized(centered, Operand(4), Operand(1), Operand(2));
  }

  HloInstruction* Training() {
    HloInstruction *x = Operand(0), *mean = Mean(x), *centered = Sub(x, Each(mean)),
                   *variance = Mean(Mul(centered, centered));
    HloInstruction* y = Normalized(centered, variance, Operand(1), Operand(2));
    return g_.Add(HloOpcode::Tuple, {y, Narrow(mean), Narrow(variance)});
  }

  HloInstruction* Grad() {
    HloInstruction *scale = Operand(1), *variance = Operand(3), *grad = Operand(4),
                   *centered = Sub(Operand(0), Each(Operand(2))), *deviation = Deviation(variance);
    HloInstruction *grad_offset = Sum(grad), *products = Sum(Mul(grad, centered));
    HloInstruction* grad_scale = Sum(Mul(grad, Div(centered, Each(deviation))));
    HloInstruction* count = PerFeature(operands_[0]->shape());
    HloInstruction* rest = Sub(Sub(Mul(grad, count), Each(grad_offset)),
                               Div(Mul(Each(products), centered), Each(WithEpsilon(variance))));
    HloInstruction* factor = Div(Div(scale, deviation), PerFeature(scale->shape()));
    return g_.Add(HloOpcode::Tuple,
                  {Narrow(Mul(Each(factor), rest)), Narrow(grad_scale), Narrow(grad_offset)});
  }

  Graph g_;
  const HloInstruction& i_;
  const absl::Span<HloInstruction* const> operands_;
  HloInstruction *const present_, *const count_;
  const ElementType type_, wide_;
  const Dims dims_;
  const int64_t feature_;
  Dims others_;
  double per_feature_ = 1;
};

}  // namespace

absl::StatusOr<HloInstruction*> BatchNorm(HloComputation& c, const HloInstruction& i,
                                          absl::Span<HloInstruction* const> operands,
                                          HloInstruction* present, HloInstruction* count) {
  return Normalization(c, i, operands, present, count).Make();
}

}  // namespace expand

std::unique_ptr<Pass> MakeExpandBatchNormPass() {
  return MakeExpansionPass(
      "expand-batch-norm",
      [](HloComputation& c, HloInstruction& i) -> absl::StatusOr<HloInstruction*> {
        if (i.op() != HloOpcode::BatchNormTraining && i.op() != HloOpcode::BatchNormInference &&
            i.op() != HloOpcode::BatchNormGrad)
          return nullptr;
        return expand::BatchNorm(c, i, i.operands(), nullptr, nullptr);
      });
}

}  // namespace sinter
