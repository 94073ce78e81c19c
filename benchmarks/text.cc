// Reading programs as text: a large constant in each of its spellings, and many small operations.
// Bytes a second are those of text.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "sinter/import.h"

namespace {

// About 100 MB of text each.
constexpr int64_t kListed = 9'000'000, kHexBytes = 50'000'000, kOperations = 1'500'000;

uint32_t Next(uint32_t& state) { return state = state * 1664525 + 1013904223; }

std::string FloatList() {
  std::string list;
  uint32_t state = 1;
  char text[32];
  for (int64_t i = 0; i < kListed; ++i) {
    double v = static_cast<double>(Next(state)) / 4294967296.0 - 0.5;
    list.append(text, static_cast<size_t>(std::snprintf(
                          text, sizeof text, i % 2 ? "%s%.6e" : "%s%.6f", i ? ", " : "", v)));
  }
  return list;
}

std::string HexBlob() {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string hex = "\"0x";
  uint32_t state = 1;
  for (int64_t i = 0; i < 2 * kHexBytes; ++i) hex += kDigits[Next(state) >> 28];
  return hex + "\"";
}

std::string Stablehlo(const std::string& value, int64_t elements, const char* type) {
  std::string t = "tensor<" + std::to_string(elements) + "x" + type + ">";
  return "func.func @main() -> " + t + " {\n  %0 = stablehlo.constant dense<" + value + "> : " + t +
         "\n  return %0 : " + t + "\n}\n";
}

template <class Load>
void Read(benchmark::State& state, const std::string& text, Load load) {
  for (auto _ : state) {
    auto computation = load(text);
    if (!computation.ok()) std::abort();
    benchmark::DoNotOptimize(computation);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.size()));
}

auto kLoadStablehlo = [](const std::string& text) { return sinter::LoadStablehlo(text); };
auto kLoadHlo = [](const std::string& text) { return sinter::LoadHlo(text); };

void StablehloList(benchmark::State& state) {
  Read(state, Stablehlo("[" + FloatList() + "]", kListed, "f32"), kLoadStablehlo);
}
BENCHMARK(StablehloList)->Unit(benchmark::kMillisecond);

void StablehloHex(benchmark::State& state) {
  Read(state, Stablehlo(HexBlob(), kHexBytes / 4, "i32"), kLoadStablehlo);
}
BENCHMARK(StablehloHex)->Unit(benchmark::kMillisecond);

void HloList(benchmark::State& state) {
  std::string shape = "f32[" + std::to_string(kListed) + "]";
  Read(state,
       "HloModule m\nENTRY e {\n  ROOT c = " + shape + " constant({" + FloatList() + "})\n}\n",
       kLoadHlo);
}
BENCHMARK(HloList)->Unit(benchmark::kMillisecond);

void StablehloOperations(benchmark::State& state) {
  std::string text = "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n";
  std::string last = "%a";
  for (int64_t i = 0; i < kOperations; ++i) {
    std::string name = "%" + std::to_string(i);
    text += "  " + name + " = stablehlo.add " + last + ", %a : tensor<4xf32>\n";
    last = name;
  }
  text += "  return " + last + " : tensor<4xf32>\n}\n";
  Read(state, text, kLoadStablehlo);
}
BENCHMARK(StablehloOperations)->Unit(benchmark::kMillisecond);

void HloOperations(benchmark::State& state) {
  std::string text = "HloModule m\nENTRY e {\n  a = f32[4]{0} parameter(0)\n";
  std::string last = "a";
  for (int64_t i = 0; i < kOperations; ++i) {
    std::string name = "add." + std::to_string(i);
    text += "  " + name + " = f32[4]{0} add(" + last + ", a)\n";
    last = name;
  }
  Read(state, text + "}\n", kLoadHlo);
}
BENCHMARK(HloOperations)->Unit(benchmark::kMillisecond);

}  // namespace
