"builtin.module"() <{sym_name = "dynamic"}> ({
  "func.func"() <{function_type = (tensor<?x3xf32>) -> tensor<?x3xf32>, sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<?x3xf32>):
    %0 = "stablehlo.add"(%arg0, %arg0) : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
    %1 = "stablehlo.get_dimension_size"(%0) <{dimension = 0 : i64}> : (tensor<?x3xf32>) -> tensor<i32>
    %2 = "stablehlo.reshape"(%1) : (tensor<i32>) -> tensor<1xi32>
    %3 = "stablehlo.constant"() <{value = dense<3> : tensor<1xi32>}> : () -> tensor<1xi32>
    %4 = "stablehlo.concatenate"(%2, %3) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %5 = "stablehlo.dynamic_iota"(%4) <{iota_dimension = 0 : i64}> : (tensor<2xi32>) -> tensor<?x3xf32>
    %6 = "stablehlo.multiply"(%0, %5) : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
    "func.return"(%6) : (tensor<?x3xf32>) -> ()
  }) : () -> ()
}) : () -> ()
