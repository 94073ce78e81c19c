// Modules, functions, regions, locations, aliases.
#include "frontend/stablehlo_text/printer.h"
#include "helpers.h"

namespace sinter {
namespace {

TEST_CASE("Modules and functions") {
  auto m = Parse(R"(
    #unused = #stablehlo.bounds<4>
    !t = tensor<2xf32>
    module @name attributes {mhlo.num_replicas = 1 : i32, jax.uses_shape_polymorphism = false} {
      sdy.mesh @mesh = <["x"=2]>
      func.func public @main(%arg0: !t {jax.buffer_donor = true, sdy.sharding =
          #sdy.sharding<@mesh, [{"x"}]>}, %arg1: !t {tf.aliasing_output = 0 : i32})
          -> (!t {jax.result_info = "a"}, !t) attributes {x} {
        %0:2 = call @f(%arg0, %arg1) : (!t, !t) -> (!t, !t)
        %1 = stablehlo.add %0#0, %0#1 : !t
        %2 = sdy.sharding_constraint %1 <@mesh, [{"x"}]> : !t
        return %2, %0#1 : !t, !t
      }
      func.func private @f(%a: !t, %b: !t) -> (!t, !t) { return %b, %a : !t, !t }
      func.func private @unused(%a: tensor<?xf32>) -> tensor<?xf32> { return %a : tensor<?xf32> }
    })");
  CHECK(m->name() == "name");
  CHECK(m->entry()->name() == "main");
  CHECK(m->entry()->parameter(0)->name() == "arg0");
  CHECK(Dump(*m) ==
        "parameter f32[2]\nparameter f32[2]\n"
        "call (f32[2], f32[2]) 0 1 {\n"
        "parameter f32[2]\nparameter f32[2]\ntuple (f32[2], f32[2]) 1 0 ROOT\n}\n"
        "get-tuple-element f32[2] 2\nget-tuple-element f32[2] 2\nadd f32[2] 3 4\n"
        "copy f32[2] 5\ntuple (f32[2], f32[2]) 6 4 ROOT\n");
  CHECK(m->aliases() == std::vector<InputOutputAlias>{{{0}, 1, {}, false}, {{1}, 0, {}, false}});
  CHECK(m->computations().size() == 2);
}

TEST_CASE("The generic form of everything") {
  auto m = Parse(R"(
    "builtin.module"() <{sym_name = "g"}> ({
      "func.func"() <{function_type = (tensor<f32>) -> tensor<f32>, sym_name = "main"}> ({
      ^bb0(%arg0: tensor<f32>):
        %0 = "func.call"(%arg0) <{callee = @f}> : (tensor<f32>) -> tensor<f32>
        "func.return"(%0) : (tensor<f32>) -> ()
      }) {arg_attrs = [{tf.aliasing_output = 0 : i32}]} : () -> ()
      "func.func"() <{function_type = (tensor<f32>) -> tensor<f32>, sym_name = "f",
                      sym_visibility = "private"}> ({
      ^bb0(%arg0: tensor<f32>):
        "func.return"(%arg0) : (tensor<f32>) -> ()
      }) : () -> ()
    }) {mhlo.num_partitions = 1 : i32} : () -> ())");
  CHECK(m->name() == "g");
  CHECK(Dump(*m) == "parameter f32[]\ncall f32[] 0 ROOT {\nparameter f32[] ROOT\n}\n");
  CHECK(m->aliases() == std::vector<InputOutputAlias>{{{}, 0, {}, false}});
}

TEST_CASE("The entry") {
  std::string text =
      "func.func @a() { return }\nfunc.func private @b(%x: tensor<f32>) -> "
      "tensor<f32> { return %x : tensor<f32> }";
  CHECK(Parse(text)->entry()->name() == "a");  // the only public one
  CHECK(Parse(text, "b")->entry()->name() == "b");
  CHECK(FirstLine(MessageOf(ParseStablehlo(text, "t", {.entry = "c"}).status())) ==
        "t:1:1: there is no function @c");
}

TEST_CASE("A while carries what it captures; constants are copied") {
  auto m = Parse(R"(func.func @main(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
    %c = stablehlo.constant dense<10> : tensor<i32>
    %z = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%i = %z, %a = %x) : tensor<i32>, tensor<f32>
     cond {
      %1 = stablehlo.compare LT, %i, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.add %a, %y : tensor<f32>
      stablehlo.return %i, %1 : tensor<i32>, tensor<f32>
    }
    return %0#1 : tensor<f32>
  })");
  CHECK(Dump(*m) ==
        "parameter f32[]\nparameter f32[]\nconstant s32[]\ntuple (s32[], f32[], f32[]) 2 0 1\n"
        "while (s32[], f32[], f32[]) 3 {\n"
        "parameter (s32[], f32[], f32[])\nget-tuple-element s32[] 0\nconstant s32[]\n"
        "compare pred[] 1 2 ROOT\n} {\n"
        "parameter (s32[], f32[], f32[])\nget-tuple-element s32[] 0\nget-tuple-element f32[] 0\n"
        "get-tuple-element f32[] 0\nadd f32[] 2 3\ntuple (s32[], f32[], f32[]) 1 4 3 ROOT\n}\n"
        "get-tuple-element f32[] 4 ROOT\n");
}

TEST_CASE("A while of one value carries no tuple") {
  auto m = Parse(R"(func.func @main(%x: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.while(%i = %x) : tensor<i32> attributes {mhlo.frontend_attributes = {a = "b"}}
     cond { %1 = stablehlo.compare NE, %i, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1> }
     do { stablehlo.return %i : tensor<i32> }
    return %0 : tensor<i32>
  })");
  CHECK(m->entry()->root()->op() == HloOpcode::While);
  CHECK(m->entry()->root()->shape().ToString() == "s32[]");
}

TEST_CASE("Branches take what they capture") {
  auto m = Parse(R"(
  func.func @main(%i: tensor<i32>, %p: tensor<i1>, %x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
    %0:2 = "stablehlo.case"(%i) ({
      %1 = "stablehlo.if"(%p) ({ stablehlo.return %x : tensor<f32> },
                              { stablehlo.return %x : tensor<f32> }) : (tensor<i1>) -> tensor<f32>
      stablehlo.return %1, %x : tensor<f32>, tensor<f32>
    }, {
      stablehlo.return %x, %x : tensor<f32>, tensor<f32>
    }) : (tensor<i32>) -> (tensor<f32>, tensor<f32>)
    return %0#0, %0#1 : tensor<f32>, tensor<f32>
  })");
  std::string dump = Dump(*m);
  CHECK(dump.find("tuple (pred[], f32[]) 1 2\nconditional (f32[], f32[]) 0 3 2 {") != dump.npos);
  CHECK(dump.find("conditional f32[] 1 2 2 {\nparameter f32[] ROOT\n}") != dump.npos);
}

TEST_CASE("A reduction of several operands") {
  auto m = Parse(R"(func.func @main(%x: tensor<4xf32>, %y: tensor<4xi32>, %a: tensor<f32>,
                                    %b: tensor<i32>) -> (tensor<f32>, tensor<i32>) {
    %0:2 = stablehlo.reduce(%x init: %a), (%y init: %b) across dimensions = [0]
      : (tensor<4xf32>, tensor<4xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
     reducer(%p: tensor<f32>, %q: tensor<f32>) (%r: tensor<i32>, %s: tensor<i32>)  {
      %1 = stablehlo.add %p, %q : tensor<f32>
      %2 = stablehlo.multiply %r, %s : tensor<i32>
      stablehlo.return %1, %2 : tensor<f32>, tensor<i32>
    }
    return %0#0, %0#1 : tensor<f32>, tensor<i32>
  })");
  CHECK(Dump(*m).find("parameter f32[]\nparameter s32[]\nparameter f32[]\nparameter s32[]\n"
                      "add f32[] 0 2\nmultiply s32[] 1 3\n") != std::string::npos);
}

TEST_CASE("A composite is its decomposition") {
  auto m = Parse(R"(module {
    func.func @main(%x: tensor<f32>) -> tensor<f32> {
      %0 = stablehlo.composite "my.op" %x {composite_attributes = {n = 1 : i64},
        decomposition = @impl, version = 1 : i32} : (tensor<f32>) -> tensor<f32>
      return %0 : tensor<f32>
    }
    func.func private @impl(%x: tensor<f32>) -> tensor<f32> {
      %0 = stablehlo.negate %x : tensor<f32>
      return %0 : tensor<f32>
    }
  })");
  CHECK(Dump(*m) ==
        "parameter f32[]\ncall f32[] 0 ROOT {\nparameter f32[]\nnegate f32[] 0 ROOT\n}\n");
}

// What JAX exports of a scan along a dimension, which it has as an operation on other platforms.
std::string CompositeOfRegion(std::string_view name) {
  return Format(R"(module {{
    func.func @main(%x: tensor<3x2xf32>, %c: tensor<2xf32>) -> tensor<3x2xf32> {{
      %0:2 = stablehlo.composite "{}" %x, %c ({{
      ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>):
        %1 = stablehlo.add %a, %b : tensor<2xf32>
        stablehlo.return %1, %1 : tensor<2xf32>, tensor<2xf32>
      }}) {{composite_attributes = {{dimension = 0 : i64, is_associative = true, is_reverse = false,
          operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}},
          decomposition = @impl, version = 1 : i32}}
          : (tensor<3x2xf32>, tensor<2xf32>) -> (tensor<3x2xf32>, tensor<2xf32>)
      return %0#0 : tensor<3x2xf32>
    }}
    func.func private @impl(%x: tensor<3x2xf32>, %c: tensor<2xf32>)
        -> (tensor<3x2xf32>, tensor<2xf32>) {{
      return %x, %c : tensor<3x2xf32>, tensor<2xf32>
    }}
  }})",
                name);
}

TEST_CASE("A composite with a region is the operation of that name, or its decomposition") {
  auto scan = Parse(CompositeOfRegion("chlo.scan"));
  CHECK_THAT(Dump(*scan), Catch::Contains("scan (f32[3,2], f32[2]) 0 1"));
  auto text = PrintStablehlo(*scan);
  REQUIRE(MessageOf(text.status()) == "");
  CHECK_THAT(*text, Catch::Contains("chlo.scan"));
  CHECK(Dump(*Parse(*text)) == Dump(*scan));
  auto other = Parse(CompositeOfRegion("my.scan"));
  CHECK_THAT(Dump(*other), Catch::Contains("call (f32[3,2], f32[2]) 0 1"));
  text = PrintStablehlo(*other);
  REQUIRE(MessageOf(text.status()) == "");
  CHECK_THAT(*text, Catch::Contains("call @impl"));
}

TEST_CASE("Locations") {
  auto m = Parse(R"(#loc1 = loc("x")
  func.func @main(%a: tensor<f32> loc("x")) -> tensor<f32> {
    %0 = stablehlo.negate %a : tensor<f32> loc(#loc4)
    %1 = stablehlo.negate %0 : tensor<f32> loc(callsite("f"("b.py":7:1) at "c.py":8:1))
    %2 = stablehlo.negate %1 : tensor<f32> loc(fused<"p">[unknown, "d.py":9:2 to 10:3])
    %3 = stablehlo.negate %2 : tensor<f32> loc(#circle)
    return %3 : tensor<f32> loc(unknown)
  } loc(#loc)
  #loc = loc(unknown)
  #loc3 = loc("a.py":3:4 to :9)
  #loc4 = loc("jit(f)/neg"(#loc3))
  #circle = loc(#circle))");
  std::vector<std::string> places;
  for (const auto& i : m->entry()->instructions()) {
    const Metadata& d = i->metadata();
    places.push_back(Format("{} {}:{}", d.op_name, d.source_file, d.source_line));
  }
  CHECK(places == std::vector<std::string>{"x t.mlir:2", "jit(f)/neg a.py:3", "f b.py:7", " d.py:9",
                                           " t.mlir:6"});
}

TEST_CASE("Attributes of other dialects are skipped") {
  auto m = Parse(R"(func.func @main(%x: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{replicated}",
      a = affine_map<(d0) -> (d0)>, b = #foo.bar<[1, "]"] -> {x}>, c = [], d = @s::@t, e = i32,
      f = (i32) -> f32, g = array<f32: 1.0, -2.0>, h = dense<[1, 2]> : tensor<2xindex>,
      sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], []) {i=512}, custom>,
      j = 1.5 : f64, k, l = #stablehlo.output_operand_alias<output_tuple_indices = [0]>,
      m = vector<4xf32>, "n o" = unit, p = !foo.type<3>, q = 0x7FC00000 : f32}
      : (tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  })");
  CHECK(Dump(*m) == "parameter f32[]\ncopy f32[] 0 ROOT\n");
}

}  // namespace
}  // namespace sinter
