"builtin.module"() <{sym_name = "core"}> ({
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "abs", sym_visibility = "public"}> ({
  ^bb0(%arg194: tensor<2x3xf32>):
    %166 = "stablehlo.abs"(%arg194) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%166) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "cbrt", sym_visibility = "public"}> ({
  ^bb0(%arg193: tensor<2x3xf32>):
    %165 = "stablehlo.cbrt"(%arg193) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%165) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "ceil", sym_visibility = "public"}> ({
  ^bb0(%arg192: tensor<2x3xf32>):
    %164 = "stablehlo.ceil"(%arg192) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%164) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "cosine", sym_visibility = "public"}> ({
  ^bb0(%arg191: tensor<2x3xf32>):
    %163 = "stablehlo.cosine"(%arg191) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%163) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "exponential", sym_visibility = "public"}> ({
  ^bb0(%arg190: tensor<2x3xf32>):
    %162 = "stablehlo.exponential"(%arg190) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%162) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "exponential_minus_one", sym_visibility = "public"}> ({
  ^bb0(%arg189: tensor<2x3xf32>):
    %161 = "stablehlo.exponential_minus_one"(%arg189) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%161) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "floor", sym_visibility = "public"}> ({
  ^bb0(%arg188: tensor<2x3xf32>):
    %160 = "stablehlo.floor"(%arg188) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%160) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "log", sym_visibility = "public"}> ({
  ^bb0(%arg187: tensor<2x3xf32>):
    %159 = "stablehlo.log"(%arg187) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%159) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "log_plus_one", sym_visibility = "public"}> ({
  ^bb0(%arg186: tensor<2x3xf32>):
    %158 = "stablehlo.log_plus_one"(%arg186) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%158) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "logistic", sym_visibility = "public"}> ({
  ^bb0(%arg185: tensor<2x3xf32>):
    %157 = "stablehlo.logistic"(%arg185) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%157) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "negate", sym_visibility = "public"}> ({
  ^bb0(%arg184: tensor<2x3xf32>):
    %156 = "stablehlo.negate"(%arg184) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%156) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "round_nearest_afz", sym_visibility = "public"}> ({
  ^bb0(%arg183: tensor<2x3xf32>):
    %155 = "stablehlo.round_nearest_afz"(%arg183) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%155) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "round_nearest_even", sym_visibility = "public"}> ({
  ^bb0(%arg182: tensor<2x3xf32>):
    %154 = "stablehlo.round_nearest_even"(%arg182) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%154) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "rsqrt", sym_visibility = "public"}> ({
  ^bb0(%arg181: tensor<2x3xf32>):
    %153 = "stablehlo.rsqrt"(%arg181) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%153) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "sign", sym_visibility = "public"}> ({
  ^bb0(%arg180: tensor<2x3xf32>):
    %152 = "stablehlo.sign"(%arg180) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%152) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "sine", sym_visibility = "public"}> ({
  ^bb0(%arg179: tensor<2x3xf32>):
    %151 = "stablehlo.sine"(%arg179) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%151) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "sqrt", sym_visibility = "public"}> ({
  ^bb0(%arg178: tensor<2x3xf32>):
    %150 = "stablehlo.sqrt"(%arg178) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%150) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "tanh", sym_visibility = "public"}> ({
  ^bb0(%arg177: tensor<2x3xf32>):
    %149 = "stablehlo.tanh"(%arg177) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%149) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "add", sym_visibility = "public"}> ({
  ^bb0(%arg175: tensor<2x3xf32>, %arg176: tensor<2x3xf32>):
    %148 = "stablehlo.add"(%arg175, %arg176) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%148) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "atan2", sym_visibility = "public"}> ({
  ^bb0(%arg173: tensor<2x3xf32>, %arg174: tensor<2x3xf32>):
    %147 = "stablehlo.atan2"(%arg173, %arg174) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%147) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "divide", sym_visibility = "public"}> ({
  ^bb0(%arg171: tensor<2x3xf32>, %arg172: tensor<2x3xf32>):
    %146 = "stablehlo.divide"(%arg171, %arg172) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%146) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "maximum", sym_visibility = "public"}> ({
  ^bb0(%arg169: tensor<2x3xf32>, %arg170: tensor<2x3xf32>):
    %145 = "stablehlo.maximum"(%arg169, %arg170) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%145) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "minimum", sym_visibility = "public"}> ({
  ^bb0(%arg167: tensor<2x3xf32>, %arg168: tensor<2x3xf32>):
    %144 = "stablehlo.minimum"(%arg167, %arg168) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%144) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "multiply", sym_visibility = "public"}> ({
  ^bb0(%arg165: tensor<2x3xf32>, %arg166: tensor<2x3xf32>):
    %143 = "stablehlo.multiply"(%arg165, %arg166) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%143) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "power", sym_visibility = "public"}> ({
  ^bb0(%arg163: tensor<2x3xf32>, %arg164: tensor<2x3xf32>):
    %142 = "stablehlo.power"(%arg163, %arg164) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%142) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "remainder", sym_visibility = "public"}> ({
  ^bb0(%arg161: tensor<2x3xf32>, %arg162: tensor<2x3xf32>):
    %141 = "stablehlo.remainder"(%arg161, %arg162) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%141) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "subtract", sym_visibility = "public"}> ({
  ^bb0(%arg159: tensor<2x3xf32>, %arg160: tensor<2x3xf32>):
    %140 = "stablehlo.subtract"(%arg159, %arg160) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%140) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>, sym_name = "and", sym_visibility = "public"}> ({
  ^bb0(%arg157: tensor<2x3xi32>, %arg158: tensor<2x3xi32>):
    %139 = "stablehlo.and"(%arg157, %arg158) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    "func.return"(%139) : (tensor<2x3xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>, sym_name = "or", sym_visibility = "public"}> ({
  ^bb0(%arg155: tensor<2x3xi32>, %arg156: tensor<2x3xi32>):
    %138 = "stablehlo.or"(%arg155, %arg156) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    "func.return"(%138) : (tensor<2x3xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>, sym_name = "xor", sym_visibility = "public"}> ({
  ^bb0(%arg153: tensor<2x3xi32>, %arg154: tensor<2x3xi32>):
    %137 = "stablehlo.xor"(%arg153, %arg154) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    "func.return"(%137) : (tensor<2x3xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>, sym_name = "shift_left", sym_visibility = "public"}> ({
  ^bb0(%arg151: tensor<2x3xi32>, %arg152: tensor<2x3xi32>):
    %136 = "stablehlo.shift_left"(%arg151, %arg152) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    "func.return"(%136) : (tensor<2x3xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>, sym_name = "shift_right_arithmetic", sym_visibility = "public"}> ({
  ^bb0(%arg149: tensor<2x3xi32>, %arg150: tensor<2x3xi32>):
    %135 = "stablehlo.shift_right_arithmetic"(%arg149, %arg150) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    "func.return"(%135) : (tensor<2x3xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>, sym_name = "shift_right_logical", sym_visibility = "public"}> ({
  ^bb0(%arg147: tensor<2x3xi32>, %arg148: tensor<2x3xi32>):
    %134 = "stablehlo.shift_right_logical"(%arg147, %arg148) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    "func.return"(%134) : (tensor<2x3xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xi32>) -> tensor<2x3xi32>, sym_name = "not", sym_visibility = "public"}> ({
  ^bb0(%arg146: tensor<2x3xi32>):
    %133 = "stablehlo.not"(%arg146) : (tensor<2x3xi32>) -> tensor<2x3xi32>
    "func.return"(%133) : (tensor<2x3xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xi32>) -> tensor<2x3xi32>, sym_name = "popcnt", sym_visibility = "public"}> ({
  ^bb0(%arg145: tensor<2x3xi32>):
    %132 = "stablehlo.popcnt"(%arg145) : (tensor<2x3xi32>) -> tensor<2x3xi32>
    "func.return"(%132) : (tensor<2x3xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xi32>) -> tensor<2x3xi32>, sym_name = "count_leading_zeros", sym_visibility = "public"}> ({
  ^bb0(%arg144: tensor<2x3xi32>):
    %131 = "stablehlo.count_leading_zeros"(%arg144) : (tensor<2x3xi32>) -> tensor<2x3xi32>
    "func.return"(%131) : (tensor<2x3xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xcomplex<f32>>, sym_name = "complex", sym_visibility = "public"}> ({
  ^bb0(%arg142: tensor<2x3xf32>, %arg143: tensor<2x3xf32>):
    %130 = "stablehlo.complex"(%arg142, %arg143) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xcomplex<f32>>
    "func.return"(%130) : (tensor<2x3xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>, sym_name = "real", sym_visibility = "public"}> ({
  ^bb0(%arg141: tensor<2x3xcomplex<f32>>):
    %129 = "stablehlo.real"(%arg141) : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
    "func.return"(%129) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>, sym_name = "imag", sym_visibility = "public"}> ({
  ^bb0(%arg140: tensor<2x3xcomplex<f32>>):
    %128 = "stablehlo.imag"(%arg140) : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
    "func.return"(%128) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xi1>, sym_name = "is_finite", sym_visibility = "public"}> ({
  ^bb0(%arg139: tensor<2x3xf32>):
    %127 = "stablehlo.is_finite"(%arg139) : (tensor<2x3xf32>) -> tensor<2x3xi1>
    "func.return"(%127) : (tensor<2x3xi1>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>, sym_name = "compare", sym_visibility = "public"}> ({
  ^bb0(%arg137: tensor<2x3xf32>, %arg138: tensor<2x3xf32>):
    %126 = "stablehlo.compare"(%arg137, %arg138) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    "func.return"(%126) : (tensor<2x3xi1>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi1>, sym_name = "compare_plain", sym_visibility = "public"}> ({
  ^bb0(%arg135: tensor<2x3xi32>, %arg136: tensor<2x3xi32>):
    %125 = "stablehlo.compare"(%arg135, %arg136) <{comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi1>
    "func.return"(%125) : (tensor<2x3xi1>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "select", sym_visibility = "public"}> ({
  ^bb0(%arg132: tensor<2x3xi1>, %arg133: tensor<2x3xf32>, %arg134: tensor<2x3xf32>):
    %124 = "stablehlo.select"(%arg132, %arg133, %arg134) : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%124) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "clamp", sym_visibility = "public"}> ({
  ^bb0(%arg129: tensor<2x3xf32>, %arg130: tensor<2x3xf32>, %arg131: tensor<2x3xf32>):
    %123 = "stablehlo.clamp"(%arg129, %arg130, %arg131) : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%123) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xbf16>, sym_name = "convert", sym_visibility = "public"}> ({
  ^bb0(%arg128: tensor<2x3xf32>):
    %122 = "stablehlo.convert"(%arg128) : (tensor<2x3xf32>) -> tensor<2x3xbf16>
    "func.return"(%122) : (tensor<2x3xbf16>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xui32>, sym_name = "bitcast_convert", sym_visibility = "public"}> ({
  ^bb0(%arg127: tensor<2x3xf32>):
    %121 = "stablehlo.bitcast_convert"(%arg127) : (tensor<2x3xf32>) -> tensor<2x3xui32>
    "func.return"(%121) : (tensor<2x3xui32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "reduce_precision", sym_visibility = "public"}> ({
  ^bb0(%arg126: tensor<2x3xf32>):
    %120 = "stablehlo.reduce_precision"(%arg126) <{exponent_bits = 5 : i32, mantissa_bits = 10 : i32}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%120) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (!stablehlo.token) -> !stablehlo.token, sym_name = "after_all", sym_visibility = "public"}> ({
  ^bb0(%arg125: !stablehlo.token):
    %119 = "stablehlo.after_all"(%arg125, %arg125) : (!stablehlo.token, !stablehlo.token) -> !stablehlo.token
    "func.return"(%119) : (!stablehlo.token) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> !stablehlo.token, sym_name = "create_token", sym_visibility = "public"}> ({
    %118 = "stablehlo.create_token"() : () -> !stablehlo.token
    "func.return"(%118) : (!stablehlo.token) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x6xf32>, sym_name = "all_gather", sym_visibility = "public"}> ({
  ^bb0(%arg124: tensor<2x3xf32>):
    %117 = "stablehlo.all_gather"(%arg124) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 7, type = 0>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<2x3xf32>) -> tensor<2x6xf32>
    "func.return"(%117) : (tensor<2x6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x6xf32>, sym_name = "all_gather_plain", sym_visibility = "public"}> ({
  ^bb0(%arg123: tensor<2x3xf32>):
    %116 = "stablehlo.all_gather"(%arg123) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x6xf32>
    "func.return"(%116) : (tensor<2x6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "all_reduce", sym_visibility = "public"}> ({
  ^bb0(%arg120: tensor<2x3xf32>):
    %114 = "stablehlo.all_reduce"(%arg120) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%arg121: tensor<f32>, %arg122: tensor<f32>):
      %115 = "stablehlo.add"(%arg121, %arg122) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%115) : (tensor<f32>) -> ()
    }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%114) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x4xf32>) -> tensor<2x2xf32>, sym_name = "reduce_scatter", sym_visibility = "public"}> ({
  ^bb0(%arg117: tensor<2x4xf32>):
    %112 = "stablehlo.reduce_scatter"(%arg117) <{channel_handle = #stablehlo.channel_handle<handle = 7, type = 0>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 1 : i64, use_global_device_ids}> ({
    ^bb0(%arg118: tensor<f32>, %arg119: tensor<f32>):
      %113 = "stablehlo.add"(%arg118, %arg119) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%113) : (tensor<f32>) -> ()
    }) : (tensor<2x4xf32>) -> tensor<2x2xf32>
    "func.return"(%112) : (tensor<2x2xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x4xf32>) -> tensor<4x2xf32>, sym_name = "all_to_all", sym_visibility = "public"}> ({
  ^bb0(%arg116: tensor<2x4xf32>):
    %111 = "stablehlo.all_to_all"(%arg116) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<2x4xf32>) -> tensor<4x2xf32>
    "func.return"(%111) : (tensor<4x2xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "collective_permute", sym_visibility = "public"}> ({
  ^bb0(%arg115: tensor<2x3xf32>):
    %110 = "stablehlo.collective_permute"(%arg115) <{channel_handle = #stablehlo.channel_handle<handle = 7, type = 0>, source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%110) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>), sym_name = "batch_norm_training", sym_visibility = "public"}> ({
  ^bb0(%arg112: tensor<2x3xf32>, %arg113: tensor<3xf32>, %arg114: tensor<3xf32>):
    %109:3 = "stablehlo.batch_norm_training"(%arg112, %arg113, %arg114) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
    "func.return"(%109#0, %109#1, %109#2) : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>, sym_name = "batch_norm_inference", sym_visibility = "public"}> ({
  ^bb0(%arg107: tensor<2x3xf32>, %arg108: tensor<3xf32>, %arg109: tensor<3xf32>, %arg110: tensor<3xf32>, %arg111: tensor<3xf32>):
    %108 = "stablehlo.batch_norm_inference"(%arg107, %arg108, %arg109, %arg110, %arg111) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    "func.return"(%108) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>), sym_name = "batch_norm_grad", sym_visibility = "public"}> ({
  ^bb0(%arg102: tensor<2x3xf32>, %arg103: tensor<3xf32>, %arg104: tensor<3xf32>, %arg105: tensor<3xf32>, %arg106: tensor<2x3xf32>):
    %107:3 = "stablehlo.batch_norm_grad"(%arg102, %arg103, %arg104, %arg105, %arg106) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
    "func.return"(%107#0, %107#1, %107#2) : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<4x2x3xf32>, sym_name = "broadcast", sym_visibility = "public"}> ({
  ^bb0(%arg101: tensor<2x3xf32>):
    %106 = "stablehlo.broadcast"(%arg101) <{broadcast_sizes = array<i64: 4>}> : (tensor<2x3xf32>) -> tensor<4x2x3xf32>
    "func.return"(%106) : (tensor<4x2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x4x3xf32>, sym_name = "broadcast_in_dim", sym_visibility = "public"}> ({
  ^bb0(%arg100: tensor<2x3xf32>):
    %105 = "stablehlo.broadcast_in_dim"(%arg100) <{broadcast_dimensions = array<i64: 0, 2>}> : (tensor<2x3xf32>) -> tensor<2x4x3xf32>
    "func.return"(%105) : (tensor<2x4x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x4x3xf32>, sym_name = "dynamic_broadcast_in_dim", sym_visibility = "public"}> ({
  ^bb0(%arg99: tensor<2x3xf32>):
    %103 = "stablehlo.constant"() <{value = dense<[2, 4, 3]> : tensor<3xi32>}> : () -> tensor<3xi32>
    %104 = "stablehlo.dynamic_broadcast_in_dim"(%arg99, %103) <{broadcast_dimensions = array<i64: 0, 2>, known_expanding_dimensions = array<i64>, known_nonexpanding_dimensions = array<i64: 0, 1>}> : (tensor<2x3xf32>, tensor<3xi32>) -> tensor<2x4x3xf32>
    "func.return"(%104) : (tensor<2x4x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<6xf32>, sym_name = "reshape", sym_visibility = "public"}> ({
  ^bb0(%arg98: tensor<2x3xf32>):
    %102 = "stablehlo.reshape"(%arg98) : (tensor<2x3xf32>) -> tensor<6xf32>
    "func.return"(%102) : (tensor<6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<3x2xf32>, sym_name = "transpose", sym_visibility = "public"}> ({
  ^bb0(%arg97: tensor<2x3xf32>):
    %101 = "stablehlo.transpose"(%arg97) <{permutation = array<i64: 1, 0>}> : (tensor<2x3xf32>) -> tensor<3x2xf32>
    "func.return"(%101) : (tensor<3x2xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "reverse", sym_visibility = "public"}> ({
  ^bb0(%arg96: tensor<2x3xf32>):
    %100 = "stablehlo.reverse"(%arg96) <{dimensions = array<i64: 0, 1>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%100) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>, sym_name = "concatenate", sym_visibility = "public"}> ({
  ^bb0(%arg94: tensor<2x3xf32>, %arg95: tensor<2x3xf32>):
    %99 = "stablehlo.concatenate"(%arg94, %arg95) <{dimension = 1 : i64}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
    "func.return"(%99) : (tensor<2x6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<1x2xf32>, sym_name = "slice", sym_visibility = "public"}> ({
  ^bb0(%arg93: tensor<2x3xf32>):
    %98 = "stablehlo.slice"(%arg93) <{limit_indices = array<i64: 2, 3>, start_indices = array<i64: 1, 0>, strides = array<i64: 1, 2>}> : (tensor<2x3xf32>) -> tensor<1x2xf32>
    "func.return"(%98) : (tensor<1x2xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>, sym_name = "dynamic_slice", sym_visibility = "public"}> ({
  ^bb0(%arg90: tensor<2x3xf32>, %arg91: tensor<i32>, %arg92: tensor<i32>):
    %97 = "stablehlo.dynamic_slice"(%arg90, %arg91, %arg92) <{slice_sizes = array<i64: 1, 2>}> : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
    "func.return"(%97) : (tensor<1x2xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>, sym_name = "dynamic_update_slice", sym_visibility = "public"}> ({
  ^bb0(%arg86: tensor<2x3xf32>, %arg87: tensor<1x2xf32>, %arg88: tensor<i32>, %arg89: tensor<i32>):
    %96 = "stablehlo.dynamic_update_slice"(%arg86, %arg87, %arg88, %arg89) : (tensor<2x3xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
    "func.return"(%96) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<f32>) -> tensor<4x8xf32>, sym_name = "pad", sym_visibility = "public"}> ({
  ^bb0(%arg84: tensor<2x3xf32>, %arg85: tensor<f32>):
    %95 = "stablehlo.pad"(%arg84, %arg85) <{edge_padding_high = array<i64: 1, 3>, edge_padding_low = array<i64: 1, 0>, interior_padding = array<i64: 0, 1>}> : (tensor<2x3xf32>, tensor<f32>) -> tensor<4x8xf32>
    "func.return"(%95) : (tensor<4x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<f32>) -> tensor<4x8xf32>, sym_name = "dynamic_pad", sym_visibility = "public"}> ({
  ^bb0(%arg82: tensor<2x3xf32>, %arg83: tensor<f32>):
    %91 = "stablehlo.constant"() <{value = dense<[1, 0]> : tensor<2xi32>}> : () -> tensor<2xi32>
    %92 = "stablehlo.constant"() <{value = dense<[1, 3]> : tensor<2xi32>}> : () -> tensor<2xi32>
    %93 = "stablehlo.constant"() <{value = dense<[0, 1]> : tensor<2xi32>}> : () -> tensor<2xi32>
    %94 = "stablehlo.dynamic_pad"(%arg82, %arg83, %91, %92, %93) : (tensor<2x3xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<4x8xf32>
    "func.return"(%94) : (tensor<4x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<6xf32>, sym_name = "dynamic_reshape", sym_visibility = "public"}> ({
  ^bb0(%arg81: tensor<2x3xf32>):
    %89 = "stablehlo.constant"() <{value = dense<6> : tensor<1xi32>}> : () -> tensor<1xi32>
    %90 = "stablehlo.dynamic_reshape"(%arg81, %89) : (tensor<2x3xf32>, tensor<1xi32>) -> tensor<6xf32>
    "func.return"(%90) : (tensor<6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> tensor<2x3xi32>, sym_name = "dynamic_iota", sym_visibility = "public"}> ({
    %87 = "stablehlo.constant"() <{value = dense<[2, 3]> : tensor<2xi64>}> : () -> tensor<2xi64>
    %88 = "stablehlo.dynamic_iota"(%87) <{iota_dimension = 1 : i64}> : (tensor<2xi64>) -> tensor<2x3xi32>
    "func.return"(%88) : (tensor<2x3xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<1x2xf32>, sym_name = "real_dynamic_slice", sym_visibility = "public"}> ({
  ^bb0(%arg80: tensor<2x3xf32>):
    %83 = "stablehlo.constant"() <{value = dense<[1, 0]> : tensor<2xi32>}> : () -> tensor<2xi32>
    %84 = "stablehlo.constant"() <{value = dense<[2, 3]> : tensor<2xi32>}> : () -> tensor<2xi32>
    %85 = "stablehlo.constant"() <{value = dense<[1, 2]> : tensor<2xi32>}> : () -> tensor<2xi32>
    %86 = "stablehlo.real_dynamic_slice"(%arg80, %83, %84, %85) : (tensor<2x3xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<1x2xf32>
    "func.return"(%86) : (tensor<1x2xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> tensor<2x3xi32>, sym_name = "iota", sym_visibility = "public"}> ({
    %82 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<2x3xi32>
    "func.return"(%82) : (tensor<2x3xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<i32>, tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "case", sym_visibility = "public"}> ({
  ^bb0(%arg78: tensor<i32>, %arg79: tensor<2x3xf32>):
    %80 = "stablehlo.case"(%arg78) ({
      "stablehlo.return"(%arg79) : (tensor<2x3xf32>) -> ()
    }, {
      %81 = "stablehlo.negate"(%arg79) : (tensor<2x3xf32>) -> tensor<2x3xf32>
      "stablehlo.return"(%81) : (tensor<2x3xf32>) -> ()
    }) : (tensor<i32>) -> tensor<2x3xf32>
    "func.return"(%80) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<i1>, tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "if", sym_visibility = "public"}> ({
  ^bb0(%arg76: tensor<i1>, %arg77: tensor<2x3xf32>):
    %78 = "stablehlo.if"(%arg76) ({
      "stablehlo.return"(%arg77) : (tensor<2x3xf32>) -> ()
    }, {
      %79 = "stablehlo.negate"(%arg77) : (tensor<2x3xf32>) -> tensor<2x3xf32>
      "stablehlo.return"(%79) : (tensor<2x3xf32>) -> ()
    }) : (tensor<i1>) -> tensor<2x3xf32>
    "func.return"(%78) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<i32>, tensor<2x3xf32>) -> (tensor<i32>, tensor<2x3xf32>), sym_name = "while", sym_visibility = "public"}> ({
  ^bb0(%arg70: tensor<i32>, %arg71: tensor<2x3xf32>):
    %72 = "stablehlo.constant"() <{value = dense<5> : tensor<i32>}> : () -> tensor<i32>
    %73 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %74:2 = "stablehlo.while"(%arg70, %arg71) ({
    ^bb0(%arg74: tensor<i32>, %arg75: tensor<2x3xf32>):
      %77 = "stablehlo.compare"(%arg74, %72) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%77) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg72: tensor<i32>, %arg73: tensor<2x3xf32>):
      %75 = "stablehlo.add"(%arg72, %73) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %76 = "stablehlo.add"(%arg73, %arg71) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
      "stablehlo.return"(%75, %76) : (tensor<i32>, tensor<2x3xf32>) -> ()
    }) : (tensor<i32>, tensor<2x3xf32>) -> (tensor<i32>, tensor<2x3xf32>)
    "func.return"(%74#0, %74#1) : (tensor<i32>, tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<3x3xf32>) -> tensor<3x3xf32>, sym_name = "cholesky", sym_visibility = "public"}> ({
  ^bb0(%arg69: tensor<3x3xf32>):
    %71 = "stablehlo.cholesky"(%arg69) <{lower = true}> : (tensor<3x3xf32>) -> tensor<3x3xf32>
    "func.return"(%71) : (tensor<3x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>, sym_name = "triangular_solve", sym_visibility = "public"}> ({
  ^bb0(%arg67: tensor<3x3xf32>, %arg68: tensor<3x2xf32>):
    %70 = "stablehlo.triangular_solve"(%arg67, %arg68) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    "func.return"(%70) : (tensor<3x2xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>, sym_name = "dot", sym_visibility = "public"}> ({
  ^bb0(%arg65: tensor<2x3xf32>, %arg66: tensor<3x2xf32>):
    %69 = "stablehlo.dot"(%arg65, %arg66) <{precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision HIGHEST>]}> : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
    "func.return"(%69) : (tensor<2x2xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x2x3xf32>, tensor<4x3x2xf32>) -> tensor<4x2x2xf32>, sym_name = "dot_general", sym_visibility = "public"}> ({
  ^bb0(%arg63: tensor<4x2x3xf32>, %arg64: tensor<4x3x2xf32>):
    %68 = "stablehlo.dot_general"(%arg63, %arg64) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4x2x3xf32>, tensor<4x3x2xf32>) -> tensor<4x2x2xf32>
    "func.return"(%68) : (tensor<4x2x2xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>, sym_name = "einsum", sym_visibility = "public"}> ({
  ^bb0(%arg61: tensor<2x3xf32>, %arg62: tensor<3x2xf32>):
    %67 = "stablehlo.einsum"(%arg61, %arg62) <{einsum_config = "ab,bc->ac"}> : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
    "func.return"(%67) : (tensor<2x2xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<3x2xf32>, sym_name = "unary_einsum", sym_visibility = "public"}> ({
  ^bb0(%arg60: tensor<2x3xf32>):
    %66 = "stablehlo.unary_einsum"(%arg60) <{einsum_config = "ab->ba"}> : (tensor<2x3xf32>) -> tensor<3x2xf32>
    "func.return"(%66) : (tensor<3x2xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<1x8x8x4xf32>, tensor<3x3x2x6xf32>) -> tensor<1x4x3x6xf32>, sym_name = "convolution", sym_visibility = "public"}> ({
  ^bb0(%arg58: tensor<1x8x8x4xf32>, %arg59: tensor<3x3x2x6xf32>):
    %65 = "stablehlo.convolution"(%arg58, %arg59) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 2 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: true, false>, window_strides = array<i64: 2, 2>}> : (tensor<1x8x8x4xf32>, tensor<3x3x2x6xf32>) -> tensor<1x4x3x6xf32>
    "func.return"(%65) : (tensor<1x4x3x6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x8x8x6xf32>, sym_name = "dynamic_conv", sym_visibility = "public"}> ({
  ^bb0(%arg56: tensor<1x8x8x4xf32>, %arg57: tensor<3x3x4x6xf32>):
    %63 = "stablehlo.constant"() <{value = dense<1> : tensor<2x2xi32>}> : () -> tensor<2x2xi32>
    %64 = "stablehlo.dynamic_conv"(%arg56, %arg57, %63) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64}> : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>, tensor<2x2xi32>) -> tensor<1x8x8x6xf32>
    "func.return"(%64) : (tensor<1x8x8x6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x8xf32>) -> tensor<2x5xcomplex<f32>>, sym_name = "fft", sym_visibility = "public"}> ({
  ^bb0(%arg55: tensor<2x8xf32>):
    %62 = "stablehlo.fft"(%arg55) <{fft_length = array<i64: 8>, fft_type = #stablehlo<fft_type RFFT>}> : (tensor<2x8xf32>) -> tensor<2x5xcomplex<f32>>
    "func.return"(%62) : (tensor<2x5xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<5x3xf32>, tensor<2x1xi32>) -> tensor<2x3xf32>, sym_name = "gather", sym_visibility = "public"}> ({
  ^bb0(%arg53: tensor<5x3xf32>, %arg54: tensor<2x1xi32>):
    %61 = "stablehlo.gather"(%arg53, %arg54) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1, 3>}> : (tensor<5x3xf32>, tensor<2x1xi32>) -> tensor<2x3xf32>
    "func.return"(%61) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<5x3xf32>, tensor<2x1xi32>) -> tensor<2x3xf32>, sym_name = "dynamic_gather", sym_visibility = "public"}> ({
  ^bb0(%arg51: tensor<5x3xf32>, %arg52: tensor<2x1xi32>):
    %59 = "stablehlo.constant"() <{value = dense<[1, 3]> : tensor<2xi32>}> : () -> tensor<2xi32>
    %60 = "stablehlo.dynamic_gather"(%arg51, %arg52, %59) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<5x3xf32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x3xf32>
    "func.return"(%60) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<5x3xf32>, tensor<2x1xi32>, tensor<2x3xf32>) -> tensor<5x3xf32>, sym_name = "scatter", sym_visibility = "public"}> ({
  ^bb0(%arg46: tensor<5x3xf32>, %arg47: tensor<2x1xi32>, %arg48: tensor<2x3xf32>):
    %57 = "stablehlo.scatter"(%arg46, %arg47, %arg48) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
    ^bb0(%arg49: tensor<f32>, %arg50: tensor<f32>):
      %58 = "stablehlo.add"(%arg49, %arg50) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%58) : (tensor<f32>) -> ()
    }) : (tensor<5x3xf32>, tensor<2x1xi32>, tensor<2x3xf32>) -> tensor<5x3xf32>
    "func.return"(%57) : (tensor<5x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<i32>, sym_name = "get_dimension_size", sym_visibility = "public"}> ({
  ^bb0(%arg45: tensor<2x3xf32>):
    %56 = "stablehlo.get_dimension_size"(%arg45) <{dimension = 1 : i64}> : (tensor<2x3xf32>) -> tensor<i32>
    "func.return"(%56) : (tensor<i32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x3xf32>, tensor<i32>) -> tensor<?x3xf32, #stablehlo.bounds<4, ?>>, sym_name = "set_dimension_size", sym_visibility = "public"}> ({
  ^bb0(%arg43: tensor<4x3xf32>, %arg44: tensor<i32>):
    %55 = "stablehlo.set_dimension_size"(%arg43, %arg44) <{dimension = 0 : i64}> : (tensor<4x3xf32>, tensor<i32>) -> tensor<?x3xf32, #stablehlo.bounds<4, ?>>
    "func.return"(%55) : (tensor<?x3xf32, #stablehlo.bounds<4, ?>>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<2x3xi32>, sym_name = "tuple", sym_visibility = "public"}> ({
  ^bb0(%arg41: tensor<2x3xf32>, %arg42: tensor<2x3xi32>):
    %53 = "stablehlo.tuple"(%arg41, %arg42) : (tensor<2x3xf32>, tensor<2x3xi32>) -> tuple<tensor<2x3xf32>, tensor<2x3xi32>>
    %54 = "stablehlo.get_tuple_element"(%53) <{index = 1 : i32}> : (tuple<tensor<2x3xf32>, tensor<2x3xi32>>) -> tensor<2x3xi32>
    "func.return"(%54) : (tensor<2x3xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (!stablehlo.token) -> (tensor<2x3xf32>, !stablehlo.token), sym_name = "infeed", sym_visibility = "public"}> ({
  ^bb0(%arg40: !stablehlo.token):
    %52:2 = "stablehlo.infeed"(%arg40) <{infeed_config = "config", layout = [[0, 1]]}> : (!stablehlo.token) -> (tensor<2x3xf32>, !stablehlo.token)
    "func.return"(%52#0, %52#1) : (tensor<2x3xf32>, !stablehlo.token) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, !stablehlo.token) -> !stablehlo.token, sym_name = "outfeed", sym_visibility = "public"}> ({
  ^bb0(%arg38: tensor<2x3xf32>, %arg39: !stablehlo.token):
    %51 = "stablehlo.outfeed"(%arg38, %arg39) <{outfeed_config = ""}> : (tensor<2x3xf32>, !stablehlo.token) -> !stablehlo.token
    "func.return"(%51) : (!stablehlo.token) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, !stablehlo.token) -> !stablehlo.token, sym_name = "send", sym_visibility = "public"}> ({
  ^bb0(%arg36: tensor<2x3xf32>, %arg37: !stablehlo.token):
    %50 = "stablehlo.send"(%arg36, %arg37) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 2>, is_host_transfer = true}> : (tensor<2x3xf32>, !stablehlo.token) -> !stablehlo.token
    "func.return"(%50) : (!stablehlo.token) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (!stablehlo.token) -> (tensor<2x3xf32>, !stablehlo.token), sym_name = "recv", sym_visibility = "public"}> ({
  ^bb0(%arg35: !stablehlo.token):
    %49:2 = "stablehlo.recv"(%arg35) <{channel_handle = #stablehlo.channel_handle<handle = 4, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<2x3xf32>, !stablehlo.token)
    "func.return"(%49#0, %49#1) : (tensor<2x3xf32>, !stablehlo.token) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "map", sym_visibility = "public"}> ({
  ^bb0(%arg31: tensor<2x3xf32>, %arg32: tensor<2x3xf32>):
    %47 = "stablehlo.map"(%arg31, %arg32) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg33: tensor<f32>, %arg34: tensor<f32>):
      %48 = "stablehlo.add"(%arg33, %arg34) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%48) : (tensor<f32>) -> ()
    }) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%47) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<2x3xi32>) -> (tensor<2x3xf32>, tensor<2x3xi32>), sym_name = "optimization_barrier", sym_visibility = "public"}> ({
  ^bb0(%arg29: tensor<2x3xf32>, %arg30: tensor<2x3xi32>):
    %46:2 = "stablehlo.optimization_barrier"(%arg29, %arg30) : (tensor<2x3xf32>, tensor<2x3xi32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
    "func.return"(%46#0, %46#1) : (tensor<2x3xf32>, tensor<2x3xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> tensor<ui32>, sym_name = "partition_id", sym_visibility = "public"}> ({
    %45 = "stablehlo.partition_id"() : () -> tensor<ui32>
    "func.return"(%45) : (tensor<ui32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> tensor<ui32>, sym_name = "replica_id", sym_visibility = "public"}> ({
    %44 = "stablehlo.replica_id"() : () -> tensor<ui32>
    "func.return"(%44) : (tensor<ui32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>, sym_name = "reduce", sym_visibility = "public"}> ({
  ^bb0(%arg25: tensor<2x3xf32>, %arg26: tensor<f32>):
    %42 = "stablehlo.reduce"(%arg25, %arg26) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg27: tensor<f32>, %arg28: tensor<f32>):
      %43 = "stablehlo.add"(%arg27, %arg28) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%43) : (tensor<f32>) -> ()
    }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    "func.return"(%42) : (tensor<2xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x6xf32>, tensor<f32>) -> tensor<3x4xf32>, sym_name = "reduce_window", sym_visibility = "public"}> ({
  ^bb0(%arg21: tensor<4x6xf32>, %arg22: tensor<f32>):
    %40 = "stablehlo.reduce_window"(%arg21, %arg22) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [1, 2]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>}> ({
    ^bb0(%arg23: tensor<f32>, %arg24: tensor<f32>):
      %41 = "stablehlo.add"(%arg23, %arg24) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%41) : (tensor<f32>) -> ()
    }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<3x4xf32>
    "func.return"(%40) : (tensor<3x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x6xf32>, tensor<2x3xf32>, tensor<f32>) -> tensor<4x6xf32>, sym_name = "select_and_scatter", sym_visibility = "public"}> ({
  ^bb0(%arg14: tensor<4x6xf32>, %arg15: tensor<2x3xf32>, %arg16: tensor<f32>):
    %37 = "stablehlo.select_and_scatter"(%arg14, %arg15, %arg16) <{padding = dense<0> : tensor<2x2xi64>, window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
    ^bb0(%arg19: tensor<f32>, %arg20: tensor<f32>):
      %39 = "stablehlo.compare"(%arg19, %arg20) <{comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%39) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg17: tensor<f32>, %arg18: tensor<f32>):
      %38 = "stablehlo.add"(%arg17, %arg18) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%38) : (tensor<f32>) -> ()
    }) : (tensor<4x6xf32>, tensor<2x3xf32>, tensor<f32>) -> tensor<4x6xf32>
    "func.return"(%37) : (tensor<4x6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "sort", sym_visibility = "public"}> ({
  ^bb0(%arg11: tensor<2x3xf32>):
    %35 = "stablehlo.sort"(%arg11) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg12: tensor<f32>, %arg13: tensor<f32>):
      %36 = "stablehlo.compare"(%arg12, %arg13) <{comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%36) : (tensor<i1>) -> ()
    }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%35) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<f32>, tensor<f32>) -> tensor<2x3xf32>, sym_name = "rng", sym_visibility = "public"}> ({
  ^bb0(%arg9: tensor<f32>, %arg10: tensor<f32>):
    %33 = "stablehlo.constant"() <{value = dense<[2, 3]> : tensor<2xi64>}> : () -> tensor<2xi64>
    %34 = "stablehlo.rng"(%arg9, %arg10, %33) <{rng_distribution = #stablehlo<rng_distribution NORMAL>}> : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>
    "func.return"(%34) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui32>), sym_name = "rng_bit_generator", sym_visibility = "public"}> ({
  ^bb0(%arg8: tensor<2xui64>):
    %32:2 = "stablehlo.rng_bit_generator"(%arg8) <{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui32>)
    "func.return"(%32#0, %32#1) : (tensor<2xui64>, tensor<2x3xui32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<5x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>, sym_name = "torch_index_select", sym_visibility = "public"}> ({
  ^bb0(%arg6: tensor<5x3xf32>, %arg7: tensor<2xi32>):
    %31 = "stablehlo.torch_index_select"(%arg6, %arg7) <{batch_dims = 0 : i64, dim = 0 : i64}> : (tensor<5x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
    "func.return"(%31) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "cross_replica_sum", sym_visibility = "public"}> ({
  ^bb0(%arg5: tensor<2x3xf32>):
    %30 = "stablehlo.cross-replica-sum"(%arg5) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%30) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<2x3xf32>, sym_name = "custom_call", sym_visibility = "public"}> ({
  ^bb0(%arg3: tensor<2x3xf32>, %arg4: tensor<2x3xi32>):
    %29 = "stablehlo.custom_call"(%arg3, %arg4) <{api_version = 2 : i32, backend_config = "config", call_target_name = "target", called_computations = [@helper], has_side_effect = true, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]}> {mhlo.frontend_attributes = {a = "b"}, mhlo.sharding = "{replicated}"} : (tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<2x3xf32>
    "func.return"(%29) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "call", sym_visibility = "public"}> ({
  ^bb0(%arg2: tensor<2x3xf32>):
    %28 = "func.call"(%arg2) <{callee = @helper}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%28) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{x.left = [1 : i8, true, tensor<2xf32>], x.right = 5.000000e-01 : f64}], function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, res_attrs = [{x.result = dense<1> : tensor<2xi64>}], sym_name = "helper", sym_visibility = "private"}> ({
  ^bb0(%arg1: tensor<2x3xf32>):
    %27 = "stablehlo.negate"(%arg1) {mhlo.sharding = "{devices=[2,1]0,1}", x.note = {a = 1 : i64, b = "c"}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%27) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> tensor<3xi1>, sym_name = "constant_i1", sym_visibility = "public"}> ({
    %26 = "stablehlo.constant"() <{value = dense<[true, false, true]> : tensor<3xi1>}> : () -> tensor<3xi1>
    "func.return"(%26) : (tensor<3xi1>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> tensor<3xi4>, sym_name = "constant_i4", sym_visibility = "public"}> ({
    %25 = "stablehlo.constant"() <{value = dense<[1, -8, 7]> : tensor<3xi4>}> : () -> tensor<3xi4>
    "func.return"(%25) : (tensor<3xi4>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> tensor<3xi8>, sym_name = "constant_i8", sym_visibility = "public"}> ({
    %24 = "stablehlo.constant"() <{value = dense<[1, -128, 127]> : tensor<3xi8>}> : () -> tensor<3xi8>
    "func.return"(%24) : (tensor<3xi8>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> tensor<3xi16>, sym_name = "constant_i16", sym_visibility = "public"}> ({
    %23 = "stablehlo.constant"() <{value = dense<[1, -2, 3]> : tensor<3xi16>}> : () -> tensor<3xi16>
    "func.return"(%23) : (tensor<3xi16>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> tensor<3xi32>, sym_name = "constant_i32", sym_visibility = "public"}> ({
    %22 = "stablehlo.constant"() <{value = dense<[1, -2, 3]> : tensor<3xi32>}> : () -> tensor<3xi32>
    "func.return"(%22) : (tensor<3xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> tensor<3xi64>, sym_name = "constant_i64", sym_visibility = "public"}> ({
    %21 = "stablehlo.constant"() <{value = dense<[1, -2, 3]> : tensor<3xi64>}> : () -> tensor<3xi64>
    "func.return"(%21) : (tensor<3xi64>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> tensor<3xui4>, sym_name = "constant_ui4", sym_visibility = "public"}> ({
    %20 = "stablehlo.constant"() <{value = dense<[1, 15, 3]> : tensor<3xui4>}> : () -> tensor<3xui4>
    "func.return"(%20) : (tensor<3xui4>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> tensor<3xui8>, sym_name = "constant_ui8", sym_visibility = "public"}> ({
    %19 = "stablehlo.constant"() <{value = dense<[1, 255, 3]> : tensor<3xui8>}> : () -> tensor<3xui8>
    "func.return"(%19) : (tensor<3xui8>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> tensor<3xui16>, sym_name = "constant_ui16", sym_visibility = "public"}> ({
    %18 = "stablehlo.constant"() <{value = dense<[1, 65535, 3]> : tensor<3xui16>}> : () -> tensor<3xui16>
    "func.return"(%18) : (tensor<3xui16>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> tensor<3xui32>, sym_name = "constant_ui32", sym_visibility = "public"}> ({
    %17 = "stablehlo.constant"() <{value = dense<[1, 4294967295, 3]> : tensor<3xui32>}> : () -> tensor<3xui32>
    "func.return"(%17) : (tensor<3xui32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> tensor<3xui64>, sym_name = "constant_ui64", sym_visibility = "public"}> ({
    %16 = "stablehlo.constant"() <{value = dense<[1, 18446744073709551615, 3]> : tensor<3xui64>}> : () -> tensor<3xui64>
    "func.return"(%16) : (tensor<3xui64>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> tensor<3xf16>, sym_name = "constant_f16", sym_visibility = "public"}> ({
    %15 = "stablehlo.constant"() <{value = dense<[1.000000e+00, 0x7C00, 3.500000e+00]> : tensor<3xf16>}> : () -> tensor<3xf16>
    "func.return"(%15) : (tensor<3xf16>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> tensor<3xbf16>, sym_name = "constant_bf16", sym_visibility = "public"}> ({
    %14 = "stablehlo.constant"() <{value = dense<[1.000000e+00, 0x7F80, 3.500000e+00]> : tensor<3xbf16>}> : () -> tensor<3xbf16>
    "func.return"(%14) : (tensor<3xbf16>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> tensor<3xf32>, sym_name = "constant_f32", sym_visibility = "public"}> ({
    %13 = "stablehlo.constant"() <{value = dense<[1.000000e+00, 0x7FC00000, 3.500000e+00]> : tensor<3xf32>}> : () -> tensor<3xf32>
    "func.return"(%13) : (tensor<3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> tensor<3xf64>, sym_name = "constant_f64", sym_visibility = "public"}> ({
    %12 = "stablehlo.constant"() <{value = dense<[1.000000e+00, -1.000000e-01, 3.500000e+00]> : tensor<3xf64>}> : () -> tensor<3xf64>
    "func.return"(%12) : (tensor<3xf64>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> tensor<3xcomplex<f32>>, sym_name = "constant_complex_f32", sym_visibility = "public"}> ({
    %11 = "stablehlo.constant"() <{value = dense<[(1.000000e+00,2.000000e+00), (0.000000e+00,-1.000000e+00), (3.500000e+00,0.000000e+00)]> : tensor<3xcomplex<f32>>}> : () -> tensor<3xcomplex<f32>>
    "func.return"(%11) : (tensor<3xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> tensor<3xcomplex<f64>>, sym_name = "constant_complex_f64", sym_visibility = "public"}> ({
    %10 = "stablehlo.constant"() <{value = dense<[(1.000000e+00,2.000000e+00), (0.000000e+00,-1.000000e+00), (3.500000e+00,0.000000e+00)]> : tensor<3xcomplex<f64>>}> : () -> tensor<3xcomplex<f64>>
    "func.return"(%10) : (tensor<3xcomplex<f64>>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> tensor<3xf8E4M3FN>, sym_name = "constant_f8E4M3FN", sym_visibility = "public"}> ({
    %9 = "stablehlo.constant"() <{value = dense<[1.000000e+00, -2.000000e+00, 3.500000e+00]> : tensor<3xf8E4M3FN>}> : () -> tensor<3xf8E4M3FN>
    "func.return"(%9) : (tensor<3xf8E4M3FN>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> tensor<3xf8E5M2>, sym_name = "constant_f8E5M2", sym_visibility = "public"}> ({
    %8 = "stablehlo.constant"() <{value = dense<[1.000000e+00, -2.000000e+00, 3.500000e+00]> : tensor<3xf8E5M2>}> : () -> tensor<3xf8E5M2>
    "func.return"(%8) : (tensor<3xf8E5M2>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> tensor<3xi1>, sym_name = "constant_i1_same", sym_visibility = "public"}> ({
    %7 = "stablehlo.constant"() <{value = dense<true> : tensor<3xi1>}> : () -> tensor<3xi1>
    "func.return"(%7) : (tensor<3xi1>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> tensor<3xi1>, sym_name = "constant_i1_none", sym_visibility = "public"}> ({
    %6 = "stablehlo.constant"() <{value = dense<false> : tensor<3xi1>}> : () -> tensor<3xi1>
    "func.return"(%6) : (tensor<3xi1>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> tensor<3xf32>, sym_name = "constant_f32_same", sym_visibility = "public"}> ({
    %5 = "stablehlo.constant"() <{value = dense<2.500000e+00> : tensor<3xf32>}> : () -> tensor<3xf32>
    "func.return"(%5) : (tensor<3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> tensor<11xi1>, sym_name = "constant_many_predicates", sym_visibility = "public"}> ({
    %4 = "stablehlo.constant"() <{value = dense<[true, false, true, true, false, false, false, true, true, true, false]> : tensor<11xi1>}> : () -> tensor<11xi1>
    "func.return"(%4) : (tensor<11xi1>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> tensor<20xi1>, sym_name = "constant_all_predicates", sym_visibility = "public"}> ({
    %3 = "stablehlo.constant"() <{value = dense<true> : tensor<20xi1>}> : () -> tensor<20xi1>
    "func.return"(%3) : (tensor<20xi1>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> tensor<0x3xf32>, sym_name = "constant_of_nothing", sym_visibility = "public"}> ({
    %2 = "stablehlo.constant"() <{value = dense<> : tensor<0x3xf32>}> : () -> tensor<0x3xf32>
    "func.return"(%2) : (tensor<0x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> tensor<i1>, sym_name = "constant_i1_alone", sym_visibility = "public"}> ({
    %1 = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    "func.return"(%1) : (tensor<i1>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<?x3xf32, #stablehlo.bounds<4, ?>>) -> tensor<?x3xf32, #stablehlo.bounds<4, ?>>, sym_name = "bounded", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<?x3xf32, #stablehlo.bounds<4, ?>>):
    %0 = "stablehlo.abs"(%arg0) : (tensor<?x3xf32, #stablehlo.bounds<4, ?>>) -> tensor<?x3xf32, #stablehlo.bounds<4, ?>>
    "func.return"(%0) : (tensor<?x3xf32, #stablehlo.bounds<4, ?>>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32, x.version = 3 : i64} : () -> ()
