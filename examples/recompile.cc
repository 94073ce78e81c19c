// One function for arguments of any shape: Jit compiles it once for each shape it meets and finds
// the executable in the client's cache after that, as the cache's counters show.
#include "example.h"
#include "sinter/builder.h"
#include "sinter/client.h"
#include "sinter/jit.h"
#include "sinter/testing.h"

using sinter::Buffer, sinter::Literal, sinter::Op;

int main() {
  auto client = Check(sinter::Client::Cpu());
  sinter::Jit scaled_square(
      [](sinter::Builder&, absl::Span<const Op> in) { return in[0] * in[0] * 0.5; });

  for (int64_t size : {8, 1000, 8, 100000, 1000, 8}) {
    Literal x(sinter::Shape(sinter::ElementType::F32, {size})), expected(x.shape());
    for (size_t i = 0; i < static_cast<size_t>(size); ++i) {
      x.data<float>()[i] = static_cast<float>(i % 100);
      expected.data<float>()[i] = x.data<float>()[i] * x.data<float>()[i] * 0.5f;
    }
    Buffer argument = Check(client->BufferFromLiteral(x));
    Timer timer;
    std::vector<Buffer> result = Check(scaled_square(client, {argument}));
    double ms = timer.Milliseconds();
    Literal y = Check(result[0].ToLiteral());
    Check(ExpectEqual(y, expected));
    sinter::CacheStats stats = client->cache_stats();
    std::printf("f32[%d]: %8.3f ms, traced %d times; cache: %d hits, %d misses, %d entries; %s\n",
                static_cast<int>(size), ms, static_cast<int>(scaled_square.traces()),
                static_cast<int>(stats.hits), static_cast<int>(stats.misses),
                static_cast<int>(stats.entries), y.ToString(4).c_str());
  }
  std::printf("compiling took %.2f ms in all\n", client->cache_stats().compile_milliseconds);
  Expect(scaled_square.traces() == 3, "expected a trace for each of three shapes");
  Expect(client->cache_stats().misses == 3, "expected a compilation for each of three shapes");

  // What was fused, the same for each shape.
  sinter::Executable f =
      Check(scaled_square.Get(client, {sinter::Shape(sinter::ElementType::F32, {1000})}));
  std::printf("%s", Check(f.Explain()).ToString().c_str());
}
