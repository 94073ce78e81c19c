#loc = loc(unknown)
#loc1 = loc("x")
#loc2 = loc("y")
module @jit__lambda attributes {jax.uses_shape_polymorphism = true, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<i32> {jax.global_constant = "_platform_index"} loc(unknown), %arg1: tensor<3xf32> loc("x"), %arg2: tensor<3xf32> {tf.aliasing_output = 0 : i32} loc("y")) -> (tensor<3xf32> {jax.result_info = "result[0]"}, tensor<3xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32> loc(#loc)
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32> loc(#loc)
    %c = stablehlo.constant dense<1> : tensor<i32> loc(#loc)
    %c_1 = stablehlo.constant dense<0> : tensor<i32> loc(#loc)
    %0 = "stablehlo.case"(%arg0) ({
      stablehlo.return %c_1 : tensor<i32> loc(#loc11)
    }, {
      stablehlo.return %c : tensor<i32> loc(#loc11)
    }) : (tensor<i32>) -> tensor<i32> loc(#loc11)
    %1 = "stablehlo.case"(%0) ({
      stablehlo.return %c_1 : tensor<i32> loc(#loc11)
    }, {
      stablehlo.return %c : tensor<i32> loc(#loc11)
    }) : (tensor<i32>) -> tensor<i32> loc(#loc11)
    %2 = "stablehlo.case"(%1) ({
      stablehlo.return %c_1 : tensor<i32> loc(#loc12)
    }, {
      stablehlo.return %c : tensor<i32> loc(#loc12)
    }) : (tensor<i32>) -> tensor<i32> loc(#loc12)
    %3 = "stablehlo.case"(%2) ({
      %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3xf32> loc(#loc16)
      %5 = stablehlo.add %arg1, %4 : tensor<3xf32> loc(#loc16)
      stablehlo.return %5 : tensor<3xf32> loc(#loc12)
    }, {
      %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32> loc(#loc17)
      %5 = stablehlo.add %arg1, %4 : tensor<3xf32> loc(#loc17)
      stablehlo.return %5 : tensor<3xf32> loc(#loc12)
    }) : (tensor<i32>) -> tensor<3xf32> loc(#loc12)
    return %3, %arg2 : tensor<3xf32>, tensor<3xf32> loc(#loc15)
  } loc(#loc)
} loc(#loc)
#loc3 = loc("make.py":58:30 to :102)
#loc4 = loc("make.py":58:75 to :80)
#loc5 = loc("make.py":58:96 to :101)
#loc6 = loc("make.py":57:23 to 59:40)
#loc7 = loc("main.<locals>.<lambda>"(#loc3))
#loc8 = loc("main.<locals>.<lambda>.<locals>.<lambda>"(#loc4))
#loc9 = loc("main.<locals>.<lambda>.<locals>.<lambda>"(#loc5))
#loc10 = loc("main"(#loc6))
#loc11 = loc("jit(<lambda>)/platform_index"(#loc7))
#loc12 = loc("jit(<lambda>)/cond"(#loc7))
#loc13 = loc(callsite(#loc8 at #loc7))
#loc14 = loc(callsite(#loc9 at #loc7))
#loc15 = loc("jit(<lambda>)"(#loc10))
#loc16 = loc("jit(<lambda>)/cond/branch_0_fun/add"(#loc13))
#loc17 = loc("jit(<lambda>)/cond/branch_1_fun/add"(#loc14))
