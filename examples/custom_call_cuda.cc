// A kernel of the host's own inside a computation for CUDA: a softmax over 128 floats by one warp.
// The target submits it to the client's stream; device memory goes in and out.
//
// A host that has the CUDA toolkit includes cuda.h; this example declares the four entry points
// that it calls, so that it can be built anywhere. Without a CUDA driver it says so and ends well.
#include <dlfcn.h>

#include <algorithm>
#include <cmath>

#include "example.h"
#include "sinter/builder.h"
#include "sinter/client.h"
#include "sinter/custom_call.h"

using sinter::ElementType, sinter::Literal, sinter::Op, sinter::Shape;

namespace {

constexpr const char* kSoftmax = R"ptx(
.version 6.0
.target sm_70
.address_size 64
.visible .entry softmax_128(
	.param .u64 .ptr .global .align 1 softmax_128_param_0,
	.param .u64 .ptr .global .align 1 softmax_128_param_1
)
.maxntid 32
{
	.reg .pred 	%p<9>;
	.reg .b32 	%r<96>;
	.reg .b64 	%rd<6>;
	ld.param.b64 	%rd1, [softmax_128_param_0];
	ld.param.b64 	%rd2, [softmax_128_param_1];
	mov.u32 	%r1, %tid.x;
	mul.wide.u32 	%rd3, %r1, 16;
	add.s64 	%rd4, %rd1, %rd3;
	add.s64 	%rd5, %rd2, %rd3;
	ld.global.v4.b32 	{%r2, %r3, %r4, %r5}, [%rd4];
	setp.gt.f32 	%p1, %r2, %r3;
	selp.f32 	%r6, %r2, %r3, %p1;
	setp.gt.f32 	%p2, %r4, %r5;
	selp.f32 	%r7, %r4, %r5, %p2;
	setp.gt.f32 	%p3, %r6, %r7;
	selp.f32 	%r8, %r6, %r7, %p3;
	shfl.sync.bfly.b32 	%r9, %r8, 16, 31, -1;
	setp.gt.f32 	%p4, %r8, %r9;
	selp.f32 	%r10, %r8, %r9, %p4;
	shfl.sync.bfly.b32 	%r11, %r10, 8, 31, -1;
	setp.gt.f32 	%p5, %r10, %r11;
	selp.f32 	%r12, %r10, %r11, %p5;
	shfl.sync.bfly.b32 	%r13, %r12, 4, 31, -1;
	setp.gt.f32 	%p6, %r12, %r13;
	selp.f32 	%r14, %r12, %r13, %p6;
	shfl.sync.bfly.b32 	%r15, %r14, 2, 31, -1;
	setp.gt.f32 	%p7, %r14, %r15;
	selp.f32 	%r16, %r14, %r15, %p7;
	shfl.sync.bfly.b32 	%r17, %r16, 1, 31, -1;
	setp.gt.f32 	%p8, %r16, %r17;
	selp.f32 	%r18, %r16, %r17, %p8;
	sub.rn.f32 	%r19, %r2, %r18;
	mul.rn.f32 	%r20, %r19, 0f3FB8AA3B;
	max.f32 	%r21, %r20, 0fC2FC0000;
	cvt.rni.f32.f32 	%r22, %r21;
	sub.rn.f32 	%r23, %r21, %r22;
	fma.rn.f32 	%r24, %r23, 0f39218489, 0f3AAEC3FF;
	fma.rn.f32 	%r25, %r24, %r23, 0f3C1D955B;
	fma.rn.f32 	%r26, %r25, %r23, 0f3D635847;
	fma.rn.f32 	%r27, %r26, %r23, 0f3E75FDF0;
	fma.rn.f32 	%r28, %r27, %r23, 0f3F317218;
	fma.rn.f32 	%r29, %r28, %r23, 0f3F800000;
	cvt.rzi.s32.f32 	%r30, %r22;
	shl.b32 	%r31, %r30, 23;
	add.s32 	%r32, %r31, 1065353216;
	mul.rn.f32 	%r33, %r29, %r32;
	sub.rn.f32 	%r34, %r3, %r18;
	mul.rn.f32 	%r35, %r34, 0f3FB8AA3B;
	max.f32 	%r36, %r35, 0fC2FC0000;
	cvt.rni.f32.f32 	%r37, %r36;
	sub.rn.f32 	%r38, %r36, %r37;
	fma.rn.f32 	%r39, %r38, 0f39218489, 0f3AAEC3FF;
	fma.rn.f32 	%r40, %r39, %r38, 0f3C1D955B;
	fma.rn.f32 	%r41, %r40, %r38, 0f3D635847;
	fma.rn.f32 	%r42, %r41, %r38, 0f3E75FDF0;
	fma.rn.f32 	%r43, %r42, %r38, 0f3F317218;
	fma.rn.f32 	%r44, %r43, %r38, 0f3F800000;
	cvt.rzi.s32.f32 	%r45, %r37;
	shl.b32 	%r46, %r45, 23;
	add.s32 	%r47, %r46, 1065353216;
	mul.rn.f32 	%r48, %r44, %r47;
	sub.rn.f32 	%r49, %r4, %r18;
	mul.rn.f32 	%r50, %r49, 0f3FB8AA3B;
	max.f32 	%r51, %r50, 0fC2FC0000;
	cvt.rni.f32.f32 	%r52, %r51;
	sub.rn.f32 	%r53, %r51, %r52;
	fma.rn.f32 	%r54, %r53, 0f39218489, 0f3AAEC3FF;
	fma.rn.f32 	%r55, %r54, %r53, 0f3C1D955B;
	fma.rn.f32 	%r56, %r55, %r53, 0f3D635847;
	fma.rn.f32 	%r57, %r56, %r53, 0f3E75FDF0;
	fma.rn.f32 	%r58, %r57, %r53, 0f3F317218;
	fma.rn.f32 	%r59, %r58, %r53, 0f3F800000;
	cvt.rzi.s32.f32 	%r60, %r52;
	shl.b32 	%r61, %r60, 23;
	add.s32 	%r62, %r61, 1065353216;
	mul.rn.f32 	%r63, %r59, %r62;
	sub.rn.f32 	%r64, %r5, %r18;
	mul.rn.f32 	%r65, %r64, 0f3FB8AA3B;
	max.f32 	%r66, %r65, 0fC2FC0000;
	cvt.rni.f32.f32 	%r67, %r66;
	sub.rn.f32 	%r68, %r66, %r67;
	fma.rn.f32 	%r69, %r68, 0f39218489, 0f3AAEC3FF;
	fma.rn.f32 	%r70, %r69, %r68, 0f3C1D955B;
	fma.rn.f32 	%r71, %r70, %r68, 0f3D635847;
	fma.rn.f32 	%r72, %r71, %r68, 0f3E75FDF0;
	fma.rn.f32 	%r73, %r72, %r68, 0f3F317218;
	fma.rn.f32 	%r74, %r73, %r68, 0f3F800000;
	cvt.rzi.s32.f32 	%r75, %r67;
	shl.b32 	%r76, %r75, 23;
	add.s32 	%r77, %r76, 1065353216;
	mul.rn.f32 	%r78, %r74, %r77;
	add.rn.f32 	%r79, %r33, %r48;
	add.rn.f32 	%r80, %r63, %r78;
	add.rn.f32 	%r81, %r79, %r80;
	shfl.sync.bfly.b32 	%r82, %r81, 16, 31, -1;
	add.rn.f32 	%r83, %r81, %r82;
	shfl.sync.bfly.b32 	%r84, %r83, 8, 31, -1;
	add.rn.f32 	%r85, %r83, %r84;
	shfl.sync.bfly.b32 	%r86, %r85, 4, 31, -1;
	add.rn.f32 	%r87, %r85, %r86;
	shfl.sync.bfly.b32 	%r88, %r87, 2, 31, -1;
	add.rn.f32 	%r89, %r87, %r88;
	shfl.sync.bfly.b32 	%r90, %r89, 1, 31, -1;
	add.rn.f32 	%r91, %r89, %r90;
	div.rn.f32 	%r92, %r33, %r91;
	div.rn.f32 	%r93, %r48, %r91;
	div.rn.f32 	%r94, %r63, %r91;
	div.rn.f32 	%r95, %r78, %r91;
	st.global.v4.b32 	[%rd5], {%r92, %r93, %r94, %r95};
	ret;
}
)ptx";

template <class Function>
Function* Find(const char* name) {
  // The client has loaded the driver.
  static void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  return driver == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(driver, name));
}

absl::Status Softmax128(sinter::CustomCallBuffer<const float> x, sinter::CustomCallBuffer<float> y,
                        CUstream_st* stream) {
  auto* load = Find<int(void**, const void*)>("cuModuleLoadData");
  auto* function_of = Find<int(void**, void*, const char*)>("cuModuleGetFunction");
  auto* launch = Find<int(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                          unsigned, void*, void**, void**)>("cuLaunchKernel");
  if (load == nullptr || function_of == nullptr || launch == nullptr)
    return absl::UnavailableError("no CUDA driver");
  // The client's context is current here. The module stays loaded as long as that.
  static void* function = [&] {
    void *module = nullptr, *found = nullptr;
    if (load(&module, kSoftmax) == 0) function_of(&found, module, "softmax_128");
    return found;
  }();
  if (function == nullptr) return absl::InternalError("the kernel cannot be loaded");
  const void* in = x.data;
  void* out = y.data;
  void* parameters[] = {&in, &out};
  int error = launch(function, 1, 1, 1, 32, 1, 1, 0, stream, parameters, nullptr);
  if (error != 0) return absl::InternalError("cuLaunchKernel: error " + std::to_string(error));
  return absl::OkStatus();
}
SINTER_REGISTER_TYPED_CUSTOM_CALL(
    "softmax_128", "CUDA",
    sinter::BindCustomCall().Operand<float>().Result<float>().Stream().To(Softmax128));

}  // namespace

int main() {
  auto client = sinter::Client::Cuda();
  if (client.status().code() == absl::StatusCode::kUnavailable) {
    std::printf("skipped: %s\n", client.status().ToString().c_str());
    return 0;
  }
  Check(client.status());

  const Shape shape(ElementType::F32, {128});
  sinter::Builder b("softmax_of_sum");
  Op x = Parameter(&b, 0, shape, "x");
  CustomCall(&b, "softmax_128", {x + 1}, shape) * 2;
  sinter::Executable f = Check((*client)->Compile(Check(b.Build())));

  Literal input(shape);
  for (size_t i = 0; i < 128; ++i) input.data<float>()[i] = static_cast<float>(i * 37 % 100) / 10;
  Literal y = Check(f.Evaluate({input}));

  float worst = 0;
  double sum = 0;
  for (float v : input.data<float>()) sum += std::exp(double{v});
  for (size_t i = 0; i < 128; ++i) {
    double expected = 2 * std::exp(double{input.data<float>()[i]}) / sum;
    worst = std::max(worst, static_cast<float>(std::abs(y.data<float>()[i] / expected - 1)));
  }
  std::printf("2 * softmax(x + 1) on cuda: the largest relative error is %.1e\n",
              static_cast<double>(worst));
  return worst < 1e-5f ? 0 : 1;
}
