#include "codegen/emit/math/internal.h"

namespace sinter::emit {

Expr Erf(Expr x) {
  const bool wide = IsF64(x);
  Expr a = AtMost(Abs(x), wide ? 5.95 : 3.95f);  // 1 from there on
  // Small: x + x p(x^2).
  Expr y = a * a;
  Expr p = wide ? Horner(y, {-0x1.a215e8c0167a0p-31, 0x1.d3d35734be9cap-27, -0x1.5b8b4fc8a9733p-23,
                             0x1.b96b35e259e1dp-20, -0x1.f4c82ca62bf5fp-17, 0x1.f9a2969a5fa8fp-14,
                             -0x1.c02daeb6549f9p-11, 0x1.565bcceed78ffp-8, -0x1.b82ce311a972cp-6,
                             0x1.ce2f21a03f8b8p-4, -0x1.812746b03799dp-2, 0x1.06eba8214db68p-3})
                : Horner(y, {-0x1.4cd860p-11, 0x1.4b7630p-8, -0x1.b735eap-6, 0x1.ce256ap-4,
                             -0x1.812726p-2, 0x1.06eba8p-3});
  Expr small = Fma(p, a, a);
  // Else: 1 - 2^q with a polynomial for q = log2 erfc(x), good where erfc is not small, which is
  // where it matters.
  Expr q = wide ? Horner(a, {0x1.c150867175cecp-36, -0x1.02797f43c5147p-30, 0x1.0e3ae7208dbadp-26,
                             -0x1.4f454252693b8p-23, 0x1.0a5562dc61e9fp-20, -0x1.02c78b62daf05p-18,
                             0x1.5d951881c045bp-18, 0x1.52d415511592cp-15, -0x1.5ce8e0fa4fea8p-12,
                             0x1.5be91f3e11598p-10, -0x1.8cddd4012296dp-9, 0x1.b9c0ec553d522p-11,
                             0x1.bdec85be3c976p-6, -0x1.2f41de166caa5p-3, -0x1.d647e13de0428p-1,
                             -0x1.a0bd86d3e7a05p+0, -0x1.9bd5f0b80a896p-20})
                : Horner(a, {0x1.341c24p-12, -0x1.26c8ecp-8, 0x1.0a2434p-5, -0x1.34d600p-3,
                             -0x1.d62bccp-1, -0x1.a0a06ep+0, -0x1.3c3f84p-13});
  Rounded n = Round(q);
  Expr f = q - n.value;
  Expr e = wide ? Horner(f, {0x1.f0e7d696a310dp-32, 0x1.e63ba9458cefdp-28, 0x1.b52082d1156e9p-24,
                             0x1.62bfb49204831p-20, 0x1.ffcbfe666715ep-17, 0x1.4309131682a5ep-13,
                             0x1.5d87fe784580ap-10, 0x1.3b2ab6fb9daacp-7, 0x1.c6b08d704a26fp-5,
                             0x1.ebfbdff82c5b3p-3, 0x1.62e42fefa39efp-1, 1})
                : Horner(f, {0x1.6637aap-10, 0x1.3d5a1ap-7, 0x1.c6a170p-5, 0x1.ebf80ap-3,
                             0x1.62e438p-1, 0x1.000002p+0});
  Expr large = Fma(-PowerOfTwo(n), e, 1);
  return CopySign(Select(Cmp(Predicate::kLt, a, wide ? 1 : 0.85f), small, large), x);
}

}  // namespace sinter::emit
