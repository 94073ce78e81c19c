"builtin.module"() <{sym_name = "attributes"}> ({
  "func.func"() <{arg_attrs = [{x.array = array<i8: 1, -2>, x.dense = dense<[[1.500000e+00, 2.000000e+00]]> : tensor<1x2xf64>, x.flags = array<i1: true, false>, x.huge = 1.000000e+300 : f64, x.list = [1.000000e+00, 2 : i8, "a", {b = 2 : ui64}], x.nan = 0x7FC00000 : f32, "x.odd name" = -1 : index, x.reals = array<f32: 1.000000e+00, 2.500000e+00>, x.shape = tensor<*xf32>, x.small = 1.500000e+00 : f8E4M3FN, x.symbol = @one::@two, x.type = (i1, tensor<2xf32>) -> none, x.unit, x.wide = -3 : i3}], function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "attributes", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<2x3xf32>):
    "func.return"(%arg0) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
}) : () -> ()
