"builtin.module"() <{sym_name = "resources"}> ({
  "func.func"() <{function_type = () -> tensor<2x3xf32>, sym_name = "floats", sym_visibility = "public"}> ({
    %1 = "stablehlo.constant"() <{value = dense_resource<floats> : tensor<2x3xf32>}> : () -> tensor<2x3xf32>
    "func.return"(%1) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> tensor<5xui8>, sym_name = "bytes", sym_visibility = "public"}> ({
    %0 = "stablehlo.constant"() <{value = dense_resource<bytes> : tensor<5xui8>}> : () -> tensor<5xui8>
    "func.return"(%0) : (tensor<5xui8>) -> ()
  }) : () -> ()
}) : () -> ()

{-#
  dialect_resources: {
    builtin: {
      floats: "0x400000000000803F0000004000004040000080400000A0400000C040",
      bytes: "0x01000000010203FEFF"
    }
  }
#-}
