#include "cuda/nccl/combine.h"

#include <cstdint>
#include <cstring>

#include "sinter/float_types.h"

namespace sinter::fake_nccl {

using runtime::cuda::NcclReduction;
using runtime::cuda::NcclType;

size_t WidthOf(NcclType t) {
  switch (t) {
    case NcclType::kS8:
    case NcclType::kU8:
      return 1;
    case NcclType::kF16:
    case NcclType::kBF16:
      return 2;
    case NcclType::kS32:
    case NcclType::kU32:
    case NcclType::kF32:
      return 4;
    default:
      return 8;
  }
}

namespace {

template <class T>
void CombineAs(NcclReduction op, std::vector<char>& sum, const std::vector<char>& part) {
  for (size_t k = 0; k + sizeof(T) <= sum.size(); k += sizeof(T)) {
    T a, b;
    std::memcpy(&a, &sum[k], sizeof a);
    std::memcpy(&b, &part[k], sizeof b);
    switch (op) {
      case NcclReduction::kSum:
        a = static_cast<T>(a + b);
        break;
      case NcclReduction::kProduct:
        a = static_cast<T>(a * b);
        break;
      case NcclReduction::kMaximum:
        a = a < b ? b : a;
        break;
      case NcclReduction::kMinimum:
        a = b < a ? b : a;
        break;
    }
    std::memcpy(&sum[k], &a, sizeof a);
  }
}
template <class T>
void CombineAsFloats(NcclReduction op, std::vector<char>& sum, const std::vector<char>& part) {
  for (size_t k = 0; k + sizeof(T) <= sum.size(); k += sizeof(T)) {
    T a, b;
    std::memcpy(&a, &sum[k], sizeof a);
    std::memcpy(&b, &part[k], sizeof b);
    const auto x = static_cast<float>(a), y = static_cast<float>(b);
    a = T(op == NcclReduction::kSum ? x + y : x * y);
    std::memcpy(&sum[k], &a, sizeof a);
  }
}

}  // namespace

void Combine(NcclType type, NcclReduction op, std::vector<char>& sum,
             const std::vector<char>& part) {
  switch (type) {
    case NcclType::kS8:
      return CombineAs<int8_t>(op, sum, part);
    case NcclType::kU8:
      return CombineAs<uint8_t>(op, sum, part);
    case NcclType::kS32:
      return CombineAs<int32_t>(op, sum, part);
    case NcclType::kU32:
      return CombineAs<uint32_t>(op, sum, part);
    case NcclType::kS64:
      return CombineAs<int64_t>(op, sum, part);
    case NcclType::kU64:
      return CombineAs<uint64_t>(op, sum, part);
    case NcclType::kF32:
      return CombineAs<float>(op, sum, part);
    case NcclType::kF64:
      return CombineAs<double>(op, sum, part);
    case NcclType::kF16:
      return CombineAsFloats<half>(op, sum, part);
    case NcclType::kBF16:
      return CombineAsFloats<bfloat16>(op, sum, part);
  }
}

}  // namespace sinter::fake_nccl
