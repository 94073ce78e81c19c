// Values of sinter/lib/prng.h; references of a program of our own in integers, which gives the
// known answers of Random123 for zeros and ones.
#include <cmath>

#include "sinter/lib/constants.h"
#include "sinter/lib/prng.h"
#include "sinter/ops.h"
#include "unit/builder/lib/run.h"

namespace sinter {
namespace {

using Words = std::vector<uint64_t>;

constexpr uint64_t kKey = 0x123456789abcdef0, kState = 0xfffffffffffffffe;

Literal Scalar(uint64_t value) { return Literal::R0<uint64_t>(value); }

// The results, integers of 32 or 64 bits, bit for bit.
void CheckWords(Builder& b, absl::Span<const Op> results, const std::vector<Literal>& arguments,
                const std::vector<Words>& expected) {
  std::vector<Op> wide;
  for (Op x : results) wide.push_back(ConvertElementType(x, ElementType::U64));
  for (const Computed& c : RunEverywhere(b, wide, arguments)) {
    INFO(c.device);
    for (size_t i = 0; i < expected.size(); ++i) {
      INFO("result " << i);
      auto is = c.values.tuple()[i].data<uint64_t>();
      CHECK(Words(is.begin(), is.end()) == expected[i]);
    }
  }
}

TEST_CASE("bits of Threefry") {
  struct Case {
    Shape shape;
    Words bits;
    uint64_t state;
  };
  const Case cases[] = {
      {Shape(ElementType::U32, {}), {1010520186ull}, 18446744073709551615ull},
      {Shape(ElementType::U32, {5}),
       {1010520186ull, 1888741164ull, 2754706343ull, 569486026ull, 1593802813ull},
       1ull},
      {Shape(ElementType::U32, {6}),
       {1010520186ull, 1888741164ull, 2754706343ull, 569486026ull, 1593802813ull, 1289978105ull},
       1ull},
      {Shape(ElementType::F32, {3, 4, 2}),
       {1010520186ull, 2754706343ull, 1888741164ull, 569486026ull,  1593802813ull, 961273596ull,
        1289978105ull, 1692389550ull, 1379882886ull, 1430061416ull, 1076419981ull, 3815015690ull,
        523829269ull,  2165775106ull, 4191198393ull, 1106935068ull, 2207507590ull, 1354277001ull,
        2177532566ull, 2579920119ull, 2790650682ull, 2301495697ull, 1008500922ull, 1588315084ull},
       10ull},
      {Shape(ElementType::U32, {3, 5}),
       {1010520186ull, 1888741164ull, 2754706343ull, 569486026ull, 1593802813ull, 961273596ull,
        1692389550ull, 1379882886ull, 1076419981ull, 1430061416ull, 523829269ull, 4191198393ull,
        2165775106ull, 1106935068ull, 2207507590ull},
       7ull},
      {Shape(ElementType::U64, {}), {8112081530999492730ull}, 18446744073709551615ull},
      {Shape(ElementType::U64, {2, 3}),
       {8112081530999492730ull, 2445923859953712039ull, 5540413775124856893ull,
        7268757770303430396ull, 4623188616535824262ull, 16385367623706935656ull},
       4ull},
  };
  for (const Case& c : cases) {
    INFO(c.shape.ToString());
    Builder b("t");
    Op key = Argument(b, 0, Scalar(kKey)), state = Argument(b, 1, Scalar(kState));
    RngOutput r = ThreeFryBitGenerator(key, state, c.shape);
    CheckWords(b, {r.value, r.state}, {Scalar(kKey), Scalar(kState)}, {c.bits, {c.state}});
  }
}

TEST_CASE("bits of Philox") {
  struct Case {
    Shape shape;
    Words bits, state;
  };
  // The counter carries into its high half.
  const Case cases[] = {
      {Shape(ElementType::U32, {}), {633975504ull}, {18446744073709551615ull, 7ull}},
      {Shape(ElementType::U32, {5}),
       {633975504ull, 212267098ull, 1682909136ull, 406308850ull, 87988195ull},
       {0ull, 8ull}},
      {Shape(ElementType::F32, {2, 6}),
       {633975504ull, 212267098ull, 1682909136ull, 406308850ull, 87988195ull, 1883009519ull,
        4068655794ull, 782684394ull, 931624823ull, 3518797315ull, 143297159ull, 1882727350ull},
       {1ull, 8ull}},
      {Shape(ElementType::U64, {}), {911680244560802512ull}, {18446744073709551615ull, 7ull}},
      {Shape(ElementType::U64, {5}),
       {911680244560802512ull, 1745083224508278736ull, 8087464302249678819ull,
        3361603879388234418ull, 15113119390109235063ull},
       {1ull, 8ull}},
  };
  const Literal state = Literal::R1<uint64_t>({kState, 7});
  for (const Case& c : cases) {
    INFO(c.shape.ToString());
    Builder b("t");
    RngOutput r = PhiloxBitGenerator(Argument(b, 0, Scalar(kKey)), Argument(b, 1, state), c.shape);
    CheckWords(b, {r.value, r.state}, {Scalar(kKey), state}, {c.bits, c.state});
  }
  Builder b("t");
  Op key = Argument(b, 0, Scalar(kKey)), counter = Argument(b, 1, state);
  auto [scrambled, scrambled_key] = ScramblePhiloxKey(key);
  Op halves = PhiloxBitGenerator(key, counter, Shape(ElementType::BF16, {5})).value;
  Op bytes = PhiloxBitGenerator(key, counter, Shape(ElementType::S8, {5})).value;
  CHECK(halves.shape()->element_type() == ElementType::U16);
  CHECK(bytes.shape()->element_type() == ElementType::U8);
  CheckWords(b,
             {scrambled, scrambled_key, PhiloxIncreaseCounter(counter, ConstantR0<uint64_t>(&b, 5)),
              halves, bytes},
             {Scalar(kKey), state},
             {{0ull, 6389434000623693339ull},
              {12212996845050011061ull},
              {3ull, 8ull},
              {45776ull, 61530ull, 10192ull, 51186ull, 38883ull},
              {208ull, 90ull, 208ull, 242ull, 227ull}});
}

TEST_CASE("bits of types that have none") {
  for (ElementType type : {ElementType::PRED, ElementType::C64, ElementType::S4}) {
    Builder b("t");
    Op key = Parameter(&b, 0, Shape(ElementType::U64), "key");
    ThreeFryBitGenerator(key, key, Shape(type, {2}));
    CHECK(b.first_error().code() == absl::StatusCode::kUnimplemented);
  }
}

TEST_CASE("uniform numbers") {
  const Literal state = Literal::R1<uint64_t>({kState, 7});
  Builder b("t");
  Op key = Argument(b, 0, Scalar(kKey)), s = Argument(b, 1, state);
  auto floats = [&](ElementType type) {
    return UniformFloatingPointDistribution(key, s, PhiloxBitGenerator,
                                            ConstantR0WithType(&b, type, -3),
                                            ConstantR0WithType(&b, type, 5), Shape(type, {2, 3}));
  };
  auto integers = [&](ElementType type, int64_t from, int64_t to) {
    return UniformIntDistribution(key, s, PhiloxBitGenerator, ConstantR0WithType(&b, type, from),
                                  ConstantR0WithType(&b, type, to), Shape(type, {2, 3}));
  };
  CheckValues(
      b,
      {floats(kF32).value, floats(ElementType::F64).value, floats(ElementType::F16).value,
       integers(ElementType::S32, -7, 20).value,
       integers(ElementType::S64, -1000000000000, 2000000000000).value},
      {Scalar(kKey), state},
      {{-1.8191289901733398, -2.6046218872070312, 0.13466167449951172, -2.243191719055176,
        -2.8361101150512695, 0.5073776245117188},
       {-2.604621719294025, -2.243190790728047, 0.5073785465592255, -1.542136708372631,
        3.554270750315693, 0.5068529658640983},
       {0.703125, 0.087890625, 0.953125, 0.986328125, 0.9716796875, 0.4833984375},
       {-1, 3, -7, 18, -6, 1},
       {244560802512, 224508278736, 302249678819, 879388234418, 390109235063, 395678042759}});
}

TEST_CASE("normal numbers") {
  struct Case {
    Shape shape;
    std::vector<double> is;
  };
  const Case cases[] = {
      {Shape(ElementType::F32, {}), {0.5977150248842625}},
      {Shape(ElementType::F32, {3, 5}),
       {0.5977150248842625, 1.8625560963844308, 0.7665858424778074, 1.1341017285013144,
        1.0521856296625403, 0.29965393135925156, 0.13590490994145374, -1.5852390423752127,
        0.7372625428299402, 0.9849769992228237, 0.35433310571747884, 0.30972361149180055,
        -1.418232540039598, -2.7516279670791093, 0.2979281245906075}},
      {Shape(ElementType::F64, {3, 4}),
       {1.3734163240446182, 2.031855133510897, 1.1695269443520198, 0.530426242346702,
        0.23847816870234798, -0.5846174186329227, -0.9157099450200945, -1.7766408035807912,
        -1.0752676566094692, 0.6071145014389369, 1.3318024447587316, -0.028254074912970002}},
  };
  const Literal state = Literal::R1<uint64_t>({kState, 7});
  for (const Case& c : cases) {
    INFO(c.shape.ToString());
    Builder b("t");
    RngOutput r = NormalFloatingPointDistribution(
        Argument(b, 0, Scalar(kKey)), Argument(b, 1, state), PhiloxBitGenerator, c.shape);
    const double tolerance = c.shape.element_type() == kF32 ? 1e-6 : 1e-14;
    CheckValues(b, {r.value}, {Scalar(kKey), state}, {c.is}, {tolerance, 1});
  }
  Builder b("t");
  Op key = Parameter(&b, 0, Shape(ElementType::U64), "key");
  NormalFloatingPointDistribution(key, key, ThreeFryBitGenerator, Shape(ElementType::S32, {2}));
  CHECK(b.first_error().code() == absl::StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace sinter
