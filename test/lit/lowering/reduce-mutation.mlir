// RUN: autosplit-opt %s -p reduce-mutation --split-input-file | filecheck %s

// Column 0 of a tensor is doubled, and a buffer counts. What reads the tensor behind that reads the new one.
// CHECK-LABEL: aten.graph inputs ["x"] outputs ["cat"]
// CHECK-NEXT: %x = aten.input "x" () : () -> tensor<4x3xf32>
// CHECK-NEXT: %n = aten.state "b_n" () <{node.value = dense<0.000000e+00> : tensor<4xf32>, node.kind = "buffer", node.fqn = "n"}> : () -> tensor<4xf32>
// CHECK-NEXT: %y = aten.add.Tensor "add" (%x) <{other = 1 : i64}> : (tensor<4x3xf32>) -> tensor<4x3xf32>
// CHECK-NEXT: %column = aten.select.int "select" (%y) <{dim = 1 : i64, index = 0 : i64}> : (tensor<4x3xf32>) -> tensor<4xf32>
// CHECK-NEXT: %doubled = aten.mul.Tensor "mul_" (%column) <{other = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[V0:.+]] = aten.select_scatter "mul__2" (%y, %doubled) <{dim = 1 : i64, index = 0 : i64}> : (tensor<4x3xf32>, tensor<4xf32>) -> tensor<4x3xf32> loc("mul_"(unknown))
// CHECK-NEXT: %counted = aten.add.Tensor "add_" (%n, %doubled) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %z = aten.cat "cat" (%x, %[[V0]]) <{dim = 1 : i64}> : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x6xf32>
// CHECK-NEXT: aten.write_back "add__to_n" (%n, %counted) <{node.ports = ["self", "value"]}> : (tensor<4xf32>, tensor<4xf32>) -> () loc("b_n"(unknown))
// CHECK-NEXT: }
builtin.module attributes {platform.name = "pytorch"} {
  aten.graph inputs ["x"] outputs ["cat"] {
    %x = aten.input "x" () : () -> tensor<4x3xf32>
    %n = aten.state "b_n" () <{node.value = dense<0.0> : tensor<4xf32>, node.kind = "buffer", node.fqn = "n"}> : () -> tensor<4xf32>
    %y = aten.add.Tensor "add" (%x) <{other = 1 : i64}> : (tensor<4x3xf32>) -> tensor<4x3xf32>
    %column = aten.select.int "select" (%y) <{dim = 1 : i64, index = 0 : i64}> : (tensor<4x3xf32>) -> tensor<4xf32>
    %doubled = aten.mul_.Tensor "mul_" (%column) <{other = 2 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
    %counted = aten.add_.Tensor "add_" (%n, %doubled) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %z = aten.cat "cat" (%x, %y) <{dim = 1 : i64}> : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x6xf32>
  }
}

// -----
// A whole tensor: the twin, under the same name.
// CHECK-LABEL: aten.graph inputs ["x"] outputs ["mul"]
// CHECK-NEXT: %x = aten.input "x" () : () -> tensor<4xf32>
// CHECK-NEXT: %y = aten.neg "neg" (%x) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %a = aten.relu "relu_" (%y) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %b = aten.hardtanh "hardtanh_" (%a) <{min_val = 0.000000e+00 : f64, max_val = 6.000000e+00 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %m = aten.mul.Tensor "mul" (%b, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: }
builtin.module attributes {platform.name = "pytorch"} {
  aten.graph inputs ["x"] outputs ["mul"] {
    %x = aten.input "x" () : () -> tensor<4xf32>
    %y = aten.neg "neg" (%x) : (tensor<4xf32>) -> tensor<4xf32>
    %a = aten.relu_ "relu_" (%y) : (tensor<4xf32>) -> tensor<4xf32>
    %b = aten.hardtanh_ "hardtanh_" (%a) <{min_val = 0.0 : f64, max_val = 6.0 : f64}> : (tensor<4xf32>) -> tensor<4xf32>
    %m = aten.mul.Tensor "mul" (%y, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  }
}

// -----
// An update keeps the type of its tensor: f32 joins f16, truths become numbers; a scalar does not count.
// CHECK-LABEL: aten.graph inputs ["x", "h", "s"] outputs ["h"]
// CHECK-NEXT: %x = aten.input "x" () : () -> tensor<4xf32>
// CHECK-NEXT: %g = aten.input "g" () : () -> tensor<4xf16>
// CHECK-NEXT: %s = aten.input "s" () : () -> tensor<f32>
// CHECK-NEXT: %h = aten.neg "h" (%g) -> ["h_2"] : (tensor<4xf16>) -> tensor<4xf16>
// CHECK-NEXT: %[[V0:.+]] = aten.add.Tensor "add_" (%h, %x) : (tensor<4xf16>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %a = aten._to_copy "add__2" (%[[V0]]) <{dtype = #aten.dtype<"float16">}> : (tensor<4xf32>) -> tensor<4xf16> loc("add_"(unknown))
// CHECK-NEXT: %[[V1:.+]] = aten.gt.Scalar "gt_" (%a) <{other = 0.000000e+00 : f64}> : (tensor<4xf16>) -> tensor<4xi1>
// CHECK-NEXT: %b = aten._to_copy "gt__2" (%[[V1]]) <{dtype = #aten.dtype<"float16">}> : (tensor<4xi1>) -> tensor<4xf16> loc("gt_"(unknown))
// CHECK-NEXT: %c = aten.mul.Tensor "mul_" (%b, %s) : (tensor<4xf16>, tensor<f32>) -> tensor<4xf16>
// CHECK-NEXT: %h_1 = aten.copy "copy_" (%c, %x) -> ["h"] : (tensor<4xf16>, tensor<4xf32>) -> tensor<4xf16>
// CHECK-NEXT: }
builtin.module attributes {platform.name = "pytorch"} {
  aten.graph inputs ["x", "h", "s"] outputs ["h"] {
    %x = aten.input "x" () : () -> tensor<4xf32>
    %g = aten.input "g" () : () -> tensor<4xf16>
    %s = aten.input "s" () : () -> tensor<f32>
    %h = aten.neg "h" (%g) : (tensor<4xf16>) -> tensor<4xf16>
    %a = aten.add_.Tensor "add_" (%h, %x) : (tensor<4xf16>, tensor<4xf32>) -> tensor<4xf16>
    %b = aten.gt_.Scalar "gt_" (%h) <{other = 0.0 : f64}> : (tensor<4xf16>) -> tensor<4xf16>
    %c = aten.mul_.Tensor "mul_" (%h, %s) : (tensor<4xf16>, tensor<f32>) -> tensor<4xf16>
    %d = aten.copy_ "copy_" (%h, %x) : (tensor<4xf16>, tensor<4xf32>) -> tensor<4xf16>
  }
}

// -----
// Slices, as `x[..., 1:3] = 0` makes them, `narrow` and `diagonal`.
// CHECK-LABEL: aten.graph inputs ["x"] outputs ["y"]
// CHECK-NEXT: %x = aten.input "x" () : () -> tensor<4x4xf32>
// CHECK-NEXT: %y = aten.neg "y" (%x) -> ["y_2"] : (tensor<4x4xf32>) -> tensor<4x4xf32>
// CHECK-NEXT: %s = aten.slice.Tensor "slice_1" (%y) <{dim = 1 : i64, start = 1 : i64, end = 3 : i64}> : (tensor<4x4xf32>) -> tensor<4x2xf32>
// CHECK-NEXT: %a = aten.zero "zero_" (%s) : (tensor<4x2xf32>) -> tensor<4x2xf32>
// CHECK-NEXT: %[[V0:.+]] = aten.slice_scatter "zero__2" (%y, %a) <{dim = 1 : i64, start = 1 : i64, end = 3 : i64}> : (tensor<4x4xf32>, tensor<4x2xf32>) -> tensor<4x4xf32> loc("zero_"(unknown))
// CHECK-NEXT: %n = aten.narrow "narrow" (%[[V0]]) <{dim = -1 : i64, start = 2 : i64, length = 2 : i64}> : (tensor<4x4xf32>) -> tensor<4x2xf32>
// CHECK-NEXT: %b = aten.fill.Scalar "fill_" (%n) <{value = 1.000000e+00 : f64}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
// CHECK-NEXT: %[[V1:.+]] = aten.slice_scatter "fill__2" (%[[V0]], %b) <{dim = 1 : i64, start = 2 : i64, end = 4 : i64}> : (tensor<4x4xf32>, tensor<4x2xf32>) -> tensor<4x4xf32> loc("fill_"(unknown))
// CHECK-NEXT: %d = aten.diagonal "diagonal" (%[[V1]]) <{offset = 1 : i64}> : (tensor<4x4xf32>) -> tensor<3xf32>
// CHECK-NEXT: %c = aten.sigmoid "sigmoid_" (%d) : (tensor<3xf32>) -> tensor<3xf32>
// CHECK-NEXT: %y_1 = aten.diagonal_scatter "sigmoid__2" (%[[V1]], %c) -> ["y"] <{offset = 1 : i64}> : (tensor<4x4xf32>, tensor<3xf32>) -> tensor<4x4xf32> loc("sigmoid_"(unknown))
// CHECK-NEXT: }
builtin.module attributes {platform.name = "pytorch"} {
  aten.graph inputs ["x"] outputs ["y"] {
    %x = aten.input "x" () : () -> tensor<4x4xf32>
    %y = aten.neg "y" (%x) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %s = aten.slice.Tensor "slice_1" (%y) <{dim = 1 : i64, start = 1 : i64, end = 3 : i64}> : (tensor<4x4xf32>) -> tensor<4x2xf32>
    %a = aten.zero_ "zero_" (%s) : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %n = aten.narrow "narrow" (%y) <{dim = -1 : i64, start = 2 : i64, length = 2 : i64}> : (tensor<4x4xf32>) -> tensor<4x2xf32>
    %b = aten.fill_.Scalar "fill_" (%n) <{value = 1.0 : f64}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %d = aten.diagonal "diagonal" (%y) <{offset = 1 : i64}> : (tensor<4x4xf32>) -> tensor<3xf32>
    %c = aten.sigmoid_ "sigmoid_" (%d) : (tensor<3xf32>) -> tensor<3xf32>
  }
}

// -----
// Lists: an update of a part is one of a slice of the whole; the other parts are made again where they are read.
// CHECK-LABEL: aten.graph inputs ["x"] outputs ["cat", "stack"]
// CHECK-NEXT: %x = aten.input "x" () : () -> tensor<4x3xf32>
// CHECK-NEXT: %y = aten.neg "neg" (%x) : (tensor<4x3xf32>) -> tensor<4x3xf32>
// CHECK-NEXT: %a, %b = aten.split_with_sizes "split" (%y) -> ["a", "b"] <{split_sizes = array<i64: 1, 2>, dim = 1 : i64}> : (tensor<4x3xf32>) -> (tensor<4x1xf32>, tensor<4x2xf32>)
// CHECK-NEXT: %m = aten.mul.Tensor "mul_" (%b) <{other = 2 : i64}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
// CHECK-NEXT: %[[V0:.+]] = aten.slice_scatter "mul__2" (%y, %m) <{dim = 1 : i64, start = 1 : i64, end = 3 : i64}> : (tensor<4x3xf32>, tensor<4x2xf32>) -> tensor<4x3xf32> loc("mul_"(unknown))
// CHECK-NEXT: %[[V1:.+]], %[[V2:.+]] = aten.split_with_sizes "split_2" (%[[V0]]) -> ["split_2_0", "split_2_1"] <{split_sizes = array<i64: 1, 2>, dim = 1 : i64}> : (tensor<4x3xf32>) -> (tensor<4x1xf32>, tensor<4x2xf32>) loc("split"(unknown))
// CHECK-NEXT: %z = aten.cat "cat" (%m, %[[V1]]) <{dim = 1 : i64}> : (tensor<4x2xf32>, tensor<4x1xf32>) -> tensor<4x3xf32>
// CHECK-NEXT: %p, %q, %r = aten.unbind.int "unbind" (%[[V0]]) -> ["p", "q", "r"] <{dim = 1 : i64}> : (tensor<4x3xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT: %n = aten.relu "relu_" (%q) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[V3:.+]] = aten.select_scatter "relu__2" (%[[V0]], %n) <{dim = 1 : i64, index = 1 : i64}> : (tensor<4x3xf32>, tensor<4xf32>) -> tensor<4x3xf32> loc("relu_"(unknown))
// CHECK-NEXT: %[[V4:.+]], %[[V5:.+]], %[[V6:.+]] = aten.unbind.int "unbind_2" (%[[V3]]) -> ["unbind_2_0", "unbind_2_1", "unbind_2_2"] <{dim = 1 : i64}> : (tensor<4x3xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) loc("unbind"(unknown))
// CHECK-NEXT: %s = aten.stack "stack" (%[[V4]], %n) : (tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
// CHECK-NEXT: }
builtin.module attributes {platform.name = "pytorch"} {
  aten.graph inputs ["x"] outputs ["cat", "stack"] {
    %x = aten.input "x" () : () -> tensor<4x3xf32>
    %y = aten.neg "neg" (%x) : (tensor<4x3xf32>) -> tensor<4x3xf32>
    %a, %b = aten.split_with_sizes "split" (%y) -> ["a", "b"] <{split_sizes = array<i64: 1, 2>, dim = 1 : i64}> : (tensor<4x3xf32>) -> (tensor<4x1xf32>, tensor<4x2xf32>)
    %m = aten.mul_.Tensor "mul_" (%b) <{other = 2 : i64}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %z = aten.cat "cat" (%b, %a) <{dim = 1 : i64}> : (tensor<4x2xf32>, tensor<4x1xf32>) -> tensor<4x3xf32>
    %p, %q, %r = aten.unbind.int "unbind" (%y) -> ["p", "q", "r"] <{dim = 1 : i64}> : (tensor<4x3xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
    %n = aten.relu_ "relu_" (%q) : (tensor<4xf32>) -> tensor<4xf32>
    %s = aten.stack "stack" (%p, %q) : (tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  }
}

// -----
// Other shapes and orders of the same elements have an inverse, and so have chains of views.
// CHECK-LABEL: aten.graph inputs ["x"] outputs ["y"]
// CHECK-NEXT: %x = aten.input "x" () : () -> tensor<2x3x4xf32>
// CHECK-NEXT: %y = aten.neg "y" (%x) -> ["y_2"] : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
// CHECK-NEXT: %v = aten.view "view" (%y) <{size = array<i64: 6, 4>}> : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
// CHECK-NEXT: %t = aten.t "t" (%v) : (tensor<6x4xf32>) -> tensor<4x6xf32>
// CHECK-NEXT: %s = aten.select.int "select" (%t) <{dim = 0 : i64, index = -1 : i64}> : (tensor<4x6xf32>) -> tensor<6xf32>
// CHECK-NEXT: %a = aten.abs "abs_" (%s) : (tensor<6xf32>) -> tensor<6xf32>
// CHECK-NEXT: %[[V0:.+]] = aten.select_scatter "abs__2" (%t, %a) <{dim = 0 : i64, index = -1 : i64}> : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4x6xf32> loc("abs_"(unknown))
// CHECK-NEXT: %[[V1:.+]] = aten.permute "abs__3" (%[[V0]]) <{dims = array<i64: 1, 0>}> : (tensor<4x6xf32>) -> tensor<6x4xf32> loc("abs_"(unknown))
// CHECK-NEXT: %[[V2:.+]] = aten.reshape "abs__4" (%[[V1]]) <{shape = array<i64: 2, 3, 4>}> : (tensor<6x4xf32>) -> tensor<2x3x4xf32> loc("abs_"(unknown))
// CHECK-NEXT: %m = aten.movedim.int "movedim" (%[[V2]]) <{source = 0 : i64, destination = 2 : i64}> : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
// CHECK-NEXT: %b = aten.exp "exp_" (%m) : (tensor<3x4x2xf32>) -> tensor<3x4x2xf32>
// CHECK-NEXT: %[[V3:.+]] = aten.permute "exp__2" (%b) <{dims = array<i64: 2, 0, 1>}> : (tensor<3x4x2xf32>) -> tensor<2x3x4xf32> loc("exp_"(unknown))
// CHECK-NEXT: %i = aten.view.dtype "bits" (%[[V3]]) <{dtype = #aten.dtype<"int32">}> : (tensor<2x3x4xf32>) -> tensor<2x3x4xi32>
// CHECK-NEXT: %c = aten.bitwise_and.Scalar "bitwise_and_" (%i) <{other = 2147483647 : i64}> : (tensor<2x3x4xi32>) -> tensor<2x3x4xi32>
// CHECK-NEXT: %[[V4:.+]] = aten.view.dtype "bitwise_and__2" (%c) <{dtype = #aten.dtype<"float32">}> : (tensor<2x3x4xi32>) -> tensor<2x3x4xf32> loc("bitwise_and_"(unknown))
// CHECK-NEXT: %e = aten.detach "detach" (%[[V4]]) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
// CHECK-NEXT: %y_1 = aten.sqrt "sqrt_" (%e) -> ["y"] : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
// CHECK-NEXT: }
builtin.module attributes {platform.name = "pytorch"} {
  aten.graph inputs ["x"] outputs ["y"] {
    %x = aten.input "x" () : () -> tensor<2x3x4xf32>
    %y = aten.neg "y" (%x) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
    %v = aten.view "view" (%y) <{size = array<i64: 6, 4>}> : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
    %t = aten.t "t" (%v) : (tensor<6x4xf32>) -> tensor<4x6xf32>
    %s = aten.select.int "select" (%t) <{dim = 0 : i64, index = -1 : i64}> : (tensor<4x6xf32>) -> tensor<6xf32>
    %a = aten.abs_ "abs_" (%s) : (tensor<6xf32>) -> tensor<6xf32>
    %m = aten.movedim.int "movedim" (%y) <{source = 0 : i64, destination = 2 : i64}> : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
    %b = aten.exp_ "exp_" (%m) : (tensor<3x4x2xf32>) -> tensor<3x4x2xf32>
    %i = aten.view.dtype "bits" (%y) <{dtype = #aten.dtype<"int32">}> : (tensor<2x3x4xf32>) -> tensor<2x3x4xi32>
    %c = aten.bitwise_and_.Scalar "bitwise_and_" (%i) <{other = 2147483647 : i64}> : (tensor<2x3x4xi32>) -> tensor<2x3x4xi32>
    %e = aten.detach "detach" (%y) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
    %d = aten.sqrt_ "sqrt_" (%e) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  }
}

// -----
// Unknown sizes are read from the tensor.
// CHECK-LABEL: aten.graph inputs ["x"] outputs ["y"]
// CHECK-NEXT: %x = aten.input "x" () : () -> tensor<?x3xf32, #platform.dims<["n", ""]>>
// CHECK-NEXT: %y = aten.neg "y" (%x) -> ["y_2"] : (tensor<?x3xf32, #platform.dims<["n", ""]>>) -> tensor<?x3xf32, #platform.dims<["n", ""]>>
// CHECK-NEXT: %f = aten.flatten.using_ints "flatten" (%y) {aten.memory = "shared"} : (tensor<?x3xf32, #platform.dims<["n", ""]>>) -> tensor<?xf32>
// CHECK-NEXT: %a = aten.tanh "tanh_" (%f) : (tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT: %[[V0:.+]] = aten.sym_size.int "tanh__2" (%y) <{dim = 0 : i64}> : (tensor<?x3xf32, #platform.dims<["n", ""]>>) -> tensor<i64> loc("tanh_"(unknown))
// CHECK-NEXT: %y_1 = aten.reshape "tanh__3" (%a, %[[V0]]) -> ["y"] <{shape = [#aten.value, 3 : i64]}> : (tensor<?xf32>, tensor<i64>) -> tensor<?x3xf32, #platform.dims<["n", ""]>> loc("tanh_"(unknown))
// CHECK-NEXT: }
builtin.module attributes {platform.name = "pytorch"} {
  aten.graph inputs ["x"] outputs ["y"] {
    %x = aten.input "x" () : () -> tensor<?x3xf32, #platform.dims<["n", ""]>>
    %y = aten.neg "y" (%x) : (tensor<?x3xf32, #platform.dims<["n", ""]>>) -> tensor<?x3xf32, #platform.dims<["n", ""]>>
    %f = aten.flatten.using_ints "flatten" (%y) {aten.memory = "shared"} : (tensor<?x3xf32, #platform.dims<["n", ""]>>) -> tensor<?xf32>
    %a = aten.tanh_ "tanh_" (%f) : (tensor<?xf32>) -> tensor<?xf32>
  }
}

// -----
// What copied is a tensor of its own: `flatten` of a transposed tensor here, `to` another type.
// CHECK-LABEL: aten.graph inputs ["x"] outputs ["y", "f", "h"]
// CHECK-NEXT: %x = aten.input "x" () : () -> tensor<4x3xf32>
// CHECK-NEXT: %y = aten.neg "y" (%x) : (tensor<4x3xf32>) -> tensor<4x3xf32>
// CHECK-NEXT: %t = aten.t "t" (%y) : (tensor<4x3xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: %f = aten.flatten.using_ints "f" (%t) -> ["f_2"] {aten.memory = "copied"} : (tensor<3x4xf32>) -> tensor<12xf32>
// CHECK-NEXT: %f_1 = aten.tanh "tanh_" (%f) -> ["f"] : (tensor<12xf32>) -> tensor<12xf32>
// CHECK-NEXT: %h = aten.to.dtype "h" (%y) -> ["h_2"] <{dtype = #aten.dtype<"float16">}> : (tensor<4x3xf32>) -> tensor<4x3xf16>
// CHECK-NEXT: %h_1 = aten.relu "relu_" (%h) -> ["h"] : (tensor<4x3xf16>) -> tensor<4x3xf16>
// CHECK-NEXT: }
builtin.module attributes {platform.name = "pytorch"} {
  aten.graph inputs ["x"] outputs ["y", "f", "h"] {
    %x = aten.input "x" () : () -> tensor<4x3xf32>
    %y = aten.neg "y" (%x) : (tensor<4x3xf32>) -> tensor<4x3xf32>
    %t = aten.t "t" (%y) : (tensor<4x3xf32>) -> tensor<3x4xf32>
    %f = aten.flatten.using_ints "f" (%t) {aten.memory = "copied"} : (tensor<3x4xf32>) -> tensor<12xf32>
    %a = aten.tanh_ "tanh_" (%f) : (tensor<12xf32>) -> tensor<12xf32>
    %h = aten.to.dtype "h" (%y) <{dtype = #aten.dtype<"float16">}> : (tensor<4x3xf32>) -> tensor<4x3xf16>
    %b = aten.relu_ "relu_" (%h) : (tensor<4x3xf16>) -> tensor<4x3xf16>
  }
}

// -----
// `dropout` outside of training gives its operand, which is then updated under another name.
// CHECK-LABEL: aten.graph inputs ["x"] outputs ["sub"]
// CHECK-NEXT: %x = aten.input "x" () : () -> tensor<4xf32>
// CHECK-NEXT: %y = aten.neg "neg" (%x) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %d = aten.dropout "dropout" (%y) <{p = 5.000000e-01 : f64, train = false}> : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %a = aten.relu "relu_" (%d) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %s = aten.sub.Tensor "sub" (%x, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: }
builtin.module attributes {platform.name = "pytorch"} {
  aten.graph inputs ["x"] outputs ["sub"] {
    %x = aten.input "x" () : () -> tensor<4xf32>
    %y = aten.neg "neg" (%x) : (tensor<4xf32>) -> tensor<4xf32>
    %d = aten.dropout "dropout" (%y) <{p = 5.0e-01 : f64, train = false}> : (tensor<4xf32>) -> tensor<4xf32>
    %a = aten.relu_ "relu_" (%d) : (tensor<4xf32>) -> tensor<4xf32>
    %s = aten.sub.Tensor "sub" (%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  }
}

// -----
// Only the sizes of a tensor are updated: it is a view from there on.
// CHECK-LABEL: aten.graph inputs ["x"] outputs ["y", "sum"]
// CHECK-NEXT: %x = aten.input "x" () : () -> tensor<4xf32>
// CHECK-NEXT: %y = aten.neg "y" (%x) -> ["y_2"] : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %u = aten.unsqueeze "unsqueeze_" (%y) <{dim = 0 : i64}> : (tensor<4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %y_1 = aten.relu "relu_" (%u) -> ["y"] : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: %[[V0:.+]] = aten.reshape "relu__2" (%y_1) <{shape = array<i64: 4>}> : (tensor<1x4xf32>) -> tensor<4xf32> loc("relu_"(unknown))
// CHECK-NEXT: %detach = aten.detach "detach" (%[[V0]]) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %s = aten.sum "sum" (%detach) : (tensor<4xf32>) -> tensor<f32>
// CHECK-NEXT: }
builtin.module attributes {platform.name = "pytorch"} {
  aten.graph inputs ["x"] outputs ["y", "sum"] {
    %x = aten.input "x" () : () -> tensor<4xf32>
    %y = aten.neg "y" (%x) : (tensor<4xf32>) -> tensor<4xf32>
    %d = aten.detach "detach" (%y) : (tensor<4xf32>) -> tensor<4xf32>
    %u = aten.unsqueeze_ "unsqueeze_" (%y) <{dim = 0 : i64}> : (tensor<4xf32>) -> tensor<1x4xf32>
    %a = aten.relu_ "relu_" (%u) : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %s = aten.sum "sum" (%d) : (tensor<4xf32>) -> tensor<f32>
  }
}

// -----
// A norm in training updates its statistics, though its schema does not say so.
// CHECK-LABEL: aten.graph inputs ["x"] outputs ["y"]
// CHECK-NEXT: %m = aten.state "b_mean" () <{node.value = dense<0.000000e+00> : tensor<3xf32>, node.kind = "buffer", node.fqn = "bn.running_mean"}> : () -> tensor<3xf32>
// CHECK-NEXT: %v = aten.state "b_var" () <{node.value = dense<1.000000e+00> : tensor<3xf32>, node.kind = "buffer", node.fqn = "bn.running_var"}> : () -> tensor<3xf32>
// CHECK-NEXT: %x = aten.input "x" () : () -> tensor<2x3x4x4xf32>
// CHECK-NEXT: %y, %[[V0:.+]], %[[V1:.+]], %[[V2:.+]], %[[V3:.+]] = aten._native_batch_norm_legit_functional "y" (%x, %m, %v) -> ["y", "y_1", "y_2", "y_3", "y_4"] <{weight = #aten.none, bias = #aten.none, training = true, momentum = 1.000000e-01 : f64, eps = 1.000000e-05 : f64}> : (tensor<2x3x4x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
// CHECK-NEXT: aten.write_back "y_3_to_bn.running_mean" (%m, %[[V2]]) <{node.ports = ["self", "value"]}> : (tensor<3xf32>, tensor<3xf32>) -> () loc("b_mean"(unknown))
// CHECK-NEXT: aten.write_back "y_4_to_bn.running_var" (%v, %[[V3]]) <{node.ports = ["self", "value"]}> : (tensor<3xf32>, tensor<3xf32>) -> () loc("b_var"(unknown))
// CHECK-NEXT: }
builtin.module attributes {platform.name = "pytorch"} {
  aten.graph inputs ["x"] outputs ["y"] {
    %m = aten.state "b_mean" () <{node.value = dense<0.0> : tensor<3xf32>, node.kind = "buffer", node.fqn = "bn.running_mean"}> : () -> tensor<3xf32>
    %v = aten.state "b_var" () <{node.value = dense<1.0> : tensor<3xf32>, node.kind = "buffer", node.fqn = "bn.running_var"}> : () -> tensor<3xf32>
    %x = aten.input "x" () : () -> tensor<2x3x4x4xf32>
    %y = aten.batch_norm "y" (%x, %m, %v) <{node.ports = ["input", "running_mean", "running_var"], weight = #aten.none, bias = #aten.none, training = true, momentum = 1.0e-01 : f64, eps = 1.0e-05 : f64, cudnn_enabled = false}> : (tensor<2x3x4x4xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4x4xf32>
  }
}

// -----
// An input is updated and returned: it keeps its name, and the output is called as what it has become.
// CHECK-LABEL: aten.graph inputs ["x"] outputs ["relu_", "neg"]
// CHECK-NEXT: %x = aten.input "x" () : () -> tensor<4xf32>
// CHECK-NEXT: %y = aten.neg "neg" (%x) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %a = aten.relu "relu_" (%x) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: aten.write_back "relu__to_x" (%x, %a) <{node.ports = ["self", "value"]}> : (tensor<4xf32>, tensor<4xf32>) -> () loc("x"(unknown))
// CHECK-NEXT: }
builtin.module attributes {platform.name = "pytorch"} {
  aten.graph inputs ["x"] outputs ["x", "neg"] {
    %x = aten.input "x" () : () -> tensor<4xf32>
    %y = aten.neg "neg" (%x) : (tensor<4xf32>) -> tensor<4xf32>
    %a = aten.relu_ "relu_" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  }
}

// -----
// Two outputs that are one tensor stay two.
// CHECK-LABEL: aten.graph inputs ["x"] outputs ["y", "relu_"]
// CHECK-NEXT: %x = aten.input "x" () : () -> tensor<4xf32>
// CHECK-NEXT: %y = aten.neg "y" (%x) -> ["y_2"] : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %a = aten.relu "relu_" (%y) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %y_1 = aten.alias "relu__2" (%a) -> ["y"] : (tensor<4xf32>) -> tensor<4xf32> loc("relu_"(unknown))
// CHECK-NEXT: }
builtin.module attributes {platform.name = "pytorch"} {
  aten.graph inputs ["x"] outputs ["y", "relu_"] {
    %x = aten.input "x" () : () -> tensor<4xf32>
    %y = aten.neg "y" (%x) : (tensor<4xf32>) -> tensor<4xf32>
    %a = aten.relu_ "relu_" (%y) : (tensor<4xf32>) -> tensor<4xf32>
  }
}

// -----
// Refused: elements of an expanded view share memory. What reads the tensor behind the last update does not stay.
// CHECK-LABEL: aten.graph inputs ["x"] outputs ["sum"]
// CHECK-NEXT: %x = aten.input "x" () : () -> tensor<3xf32>
// CHECK-NEXT: %y = aten.neg "neg" (%x) {aten.kept = #device.reason<"shared", "shares memory with 'fill_': fill_ updates a view, but elements of the view by expand share memory">} : (tensor<3xf32>) -> tensor<3xf32>
// CHECK-NEXT: %e = aten.expand "expand" (%y) <{size = array<i64: 2, 3>}> {aten.kept = #device.reason<"shared", "shares memory with 'fill_': fill_ updates a view, but elements of the view by expand share memory">} : (tensor<3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT: %f = aten.fill_.Scalar "fill_" (%e) <{value = 1.000000e+00 : f64}> {aten.kept = #device.reason<"overlap", "fill_ updates a view, but elements of the view by expand share memory">} : (tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT: %s = aten.sum "sum" (%y) : (tensor<3xf32>) -> tensor<f32>
// CHECK-NEXT: }
builtin.module attributes {platform.name = "pytorch"} {
  aten.graph inputs ["x"] outputs ["sum"] {
    %x = aten.input "x" () : () -> tensor<3xf32>
    %y = aten.neg "neg" (%x) : (tensor<3xf32>) -> tensor<3xf32>
    %e = aten.expand "expand" (%y) <{size = array<i64: 2, 3>}> : (tensor<3xf32>) -> tensor<2x3xf32>
    %f = aten.fill_.Scalar "fill_" (%e) <{value = 1.0 : f64}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %s = aten.sum "sum" (%y) : (tensor<3xf32>) -> tensor<f32>
  }
}

// -----
// Refused: `as_strided` sees elements as they lie in memory, even where nothing is updated by it.
// CHECK-LABEL: aten.graph inputs ["x"] outputs ["view"]
// CHECK-NEXT: %x = aten.input "x" () : () -> tensor<4xf32>
// CHECK-NEXT: %y = aten.neg "neg" (%x) {aten.kept = #device.reason<"shared", "shares memory with 'view': as_strided sees elements as they lie in memory">} : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %v = aten.as_strided "view" (%y) <{size = array<i64: 2>, stride = array<i64: 2>}> {aten.kept = #device.reason<"unknown", "as_strided sees elements as they lie in memory">} : (tensor<4xf32>) -> tensor<2xf32>
// CHECK-NEXT: %f = aten.relu_ "relu_" (%y) {aten.kept = #device.reason<"shared", "shares memory with 'view': as_strided sees elements as they lie in memory">} : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: }
builtin.module attributes {platform.name = "pytorch"} {
  aten.graph inputs ["x"] outputs ["view"] {
    %x = aten.input "x" () : () -> tensor<4xf32>
    %y = aten.neg "neg" (%x) : (tensor<4xf32>) -> tensor<4xf32>
    %v = aten.as_strided "view" (%y) <{size = array<i64: 2>, stride = array<i64: 2>}> : (tensor<4xf32>) -> tensor<2xf32>
    %f = aten.relu_ "relu_" (%y) : (tensor<4xf32>) -> tensor<4xf32>
  }
}

// -----
// Refused: no op puts windows back.
// CHECK-LABEL: aten.graph inputs ["x"] outputs ["neg"]
// CHECK-NEXT: %x = aten.input "x" () : () -> tensor<4xf32>
// CHECK-NEXT: %y = aten.neg "neg" (%x) {aten.kept = #device.reason<"shared", "shares memory with 'relu_': relu_ updates a view, but no op puts what a view by unfold has become back into its tensor">} : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %v = aten.unfold "unfold" (%y) <{dimension = 0 : i64, size = 2 : i64, step = 1 : i64}> {aten.kept = #device.reason<"shared", "shares memory with 'relu_': relu_ updates a view, but no op puts what a view by unfold has become back into its tensor">} : (tensor<4xf32>) -> tensor<3x2xf32>
// CHECK-NEXT: %f = aten.relu_ "relu_" (%v) {aten.kept = #device.reason<"view", "relu_ updates a view, but no op puts what a view by unfold has become back into its tensor">} : (tensor<3x2xf32>) -> tensor<3x2xf32>
// CHECK-NEXT: }
builtin.module attributes {platform.name = "pytorch"} {
  aten.graph inputs ["x"] outputs ["neg"] {
    %x = aten.input "x" () : () -> tensor<4xf32>
    %y = aten.neg "neg" (%x) : (tensor<4xf32>) -> tensor<4xf32>
    %v = aten.unfold "unfold" (%y) <{dimension = 0 : i64, size = 2 : i64, step = 1 : i64}> : (tensor<4xf32>) -> tensor<3x2xf32>
    %f = aten.relu_ "relu_" (%v) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  }
}

// -----
// Refused: the update reads its own elements in another order. Those of another part of the tensor are no hindrance.
// CHECK-LABEL: aten.graph inputs ["x"] outputs ["y", "z"]
// CHECK-NEXT: %x = aten.input "x" () : () -> tensor<2x2xf32>
// CHECK-NEXT: %y = aten.neg "y" (%x) {aten.kept = #device.reason<"shared", "shares memory with 'copy_': copy_ reads elements of what it updates, in another order or place">} : (tensor<2x2xf32>) -> tensor<2x2xf32>
// CHECK-NEXT: %t = aten.t "t" (%y) {aten.kept = #device.reason<"shared", "shares memory with 'copy_': copy_ reads elements of what it updates, in another order or place">} : (tensor<2x2xf32>) -> tensor<2x2xf32>
// CHECK-NEXT: %f = aten.copy_ "copy_" (%y, %t) {aten.kept = #device.reason<"overlap", "copy_ reads elements of what it updates, in another order or place">} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
// CHECK-NEXT: %z = aten.neg "z" (%x) -> ["z_2"] : (tensor<2x2xf32>) -> tensor<2x2xf32>
// CHECK-NEXT: %a, %b = aten.chunk "chunk" (%z) -> ["a", "b"] <{chunks = 2 : i64}> : (tensor<2x2xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>)
// CHECK-NEXT: %g = aten.mul.Tensor "mul_" (%a, %b) : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
// CHECK-NEXT: %z_1 = aten.slice_scatter "mul__2" (%z, %g) -> ["z"] <{dim = 0 : i64, start = 0 : i64, end = 1 : i64}> : (tensor<2x2xf32>, tensor<1x2xf32>) -> tensor<2x2xf32> loc("mul_"(unknown))
// CHECK-NEXT: }
builtin.module attributes {platform.name = "pytorch"} {
  aten.graph inputs ["x"] outputs ["y", "z"] {
    %x = aten.input "x" () : () -> tensor<2x2xf32>
    %y = aten.neg "y" (%x) : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %t = aten.t "t" (%y) : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %f = aten.copy_ "copy_" (%y, %t) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %z = aten.neg "z" (%x) : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %a, %b = aten.chunk "chunk" (%z) -> ["a", "b"] <{chunks = 2 : i64}> : (tensor<2x2xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>)
    %g = aten.mul_.Tensor "mul_" (%a, %b) : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
  }
}

// -----
// Refused: the program does not say whether `reshape` copied.
// CHECK-LABEL: aten.graph inputs ["x"] outputs ["neg"]
// CHECK-NEXT: %x = aten.input "x" () : () -> tensor<2x2xf32>
// CHECK-NEXT: %y = aten.neg "neg" (%x) {aten.kept = #device.reason<"shared", "shares memory with 'reshape': reshape may copy, or may not">} : (tensor<2x2xf32>) -> tensor<2x2xf32>
// CHECK-NEXT: %v = aten.reshape "reshape" (%y) <{shape = array<i64: 4>}> {aten.kept = #device.reason<"unknown", "reshape may copy, or may not">} : (tensor<2x2xf32>) -> tensor<4xf32>
// CHECK-NEXT: %f = aten.relu_ "relu_" (%v) {aten.kept = #device.reason<"shared", "shares memory with 'reshape': reshape may copy, or may not">} : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: }
builtin.module attributes {platform.name = "pytorch"} {
  aten.graph inputs ["x"] outputs ["neg"] {
    %x = aten.input "x" () : () -> tensor<2x2xf32>
    %y = aten.neg "neg" (%x) : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %v = aten.reshape "reshape" (%y) <{shape = array<i64: 4>}> : (tensor<2x2xf32>) -> tensor<4xf32>
    %f = aten.relu_ "relu_" (%v) : (tensor<4xf32>) -> tensor<4xf32>
  }
}

// -----
// Refused: an op without a schema may keep or update what it reads. Where nothing else updates that, it is left alone.
// CHECK-LABEL: aten.graph inputs ["x"] outputs ["mine", "yours"]
// CHECK-NEXT: %x = aten.input "x" () : () -> tensor<4xf32>
// CHECK-NEXT: %y = aten.neg "neg" (%x) {aten.kept = #device.reason<"shared", "shares memory with 'mine': nobody knows what mylib.mine does with the memory of the tensors that it reads">} : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %m = aten.opaque "mine" (%y) <{node.ports = ["x"], node.target = "torch.ops.mylib.mine.default"}> {aten.kept = #device.reason<"unknown", "nobody knows what mylib.mine does with the memory of the tensors that it reads">} : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %f = aten.relu_ "relu_" (%m) {aten.kept = #device.reason<"shared", "shares memory with 'mine': nobody knows what mylib.mine does with the memory of the tensors that it reads">} : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %z = aten.abs "abs" (%x) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %o = aten.opaque "yours" (%z) <{node.ports = ["x"], node.target = "torch.ops.mylib.mine.default"}> : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: }
builtin.module attributes {platform.name = "pytorch"} {
  aten.graph inputs ["x"] outputs ["mine", "yours"] {
    %x = aten.input "x" () : () -> tensor<4xf32>
    %y = aten.neg "neg" (%x) : (tensor<4xf32>) -> tensor<4xf32>
    %m = aten.opaque "mine" (%y) <{node.ports = ["x"], node.target = "torch.ops.mylib.mine.default"}> : (tensor<4xf32>) -> tensor<4xf32>
    %f = aten.relu_ "relu_" (%m) : (tensor<4xf32>) -> tensor<4xf32>
    %z = aten.abs "abs" (%x) : (tensor<4xf32>) -> tensor<4xf32>
    %o = aten.opaque "yours" (%z) <{node.ports = ["x"], node.target = "torch.ops.mylib.mine.default"}> : (tensor<4xf32>) -> tensor<4xf32>
  }
}

// -----
// Refused: no functional op does what `fill_diagonal_` does, and `set_` replaces the storage of a tensor.
// CHECK-LABEL: aten.graph inputs ["x"] outputs ["neg", "abs"]
// CHECK-NEXT: %x = aten.input "x" () : () -> tensor<2x2xf32>
// CHECK-NEXT: %y = aten.neg "neg" (%x) {aten.kept = #device.reason<"shared", "shares memory with 'fill_diagonal_': no functional op computes what fill_diagonal_ writes">} : (tensor<2x2xf32>) -> tensor<2x2xf32>
// CHECK-NEXT: %f = aten.fill_diagonal_ "fill_diagonal_" (%y) <{fill_value = 1.000000e+00 : f64}> {aten.kept = #device.reason<"no-twin", "no functional op computes what fill_diagonal_ writes">} : (tensor<2x2xf32>) -> tensor<2x2xf32>
// CHECK-NEXT: %z = aten.abs "abs" (%x) {aten.kept = #device.reason<"shared", "shares memory with 'set_': set_ replaces the storage of a tensor">} : (tensor<2x2xf32>) -> tensor<2x2xf32>
// CHECK-NEXT: %w = aten.sgn "sgn" (%x) {aten.kept = #device.reason<"shared", "shares memory with 'set_': set_ replaces the storage of a tensor">} : (tensor<2x2xf32>) -> tensor<2x2xf32>
// CHECK-NEXT: %g = aten.set_.source_Tensor "set_" (%z, %w) {aten.kept = #device.reason<"unknown", "set_ replaces the storage of a tensor">} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
// CHECK-NEXT: }
builtin.module attributes {platform.name = "pytorch"} {
  aten.graph inputs ["x"] outputs ["neg", "abs"] {
    %x = aten.input "x" () : () -> tensor<2x2xf32>
    %y = aten.neg "neg" (%x) : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %f = aten.fill_diagonal_ "fill_diagonal_" (%y) <{fill_value = 1.0 : f64}> : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %z = aten.abs "abs" (%x) : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %w = aten.sgn "sgn" (%x) : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %g = aten.set_.source_Tensor "set_" (%z, %w) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  }
}

// -----
// Refused: the caller's tensor would have other sizes.
// CHECK-LABEL: aten.graph inputs ["x"] outputs ["t_"]
// CHECK-NEXT: %x = aten.input "x" () : () -> tensor<4x3xf32>
// CHECK-NEXT: %y = aten.t_ "t_" (%x) {aten.kept = #device.reason<"metadata", "t_ changes the sizes of a tensor that the caller has">} : (tensor<4x3xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: }
builtin.module attributes {platform.name = "pytorch"} {
  aten.graph inputs ["x"] outputs ["t_"] {
    %x = aten.input "x" () : () -> tensor<4x3xf32>
    %y = aten.t_ "t_" (%x) : (tensor<4x3xf32>) -> tensor<3x4xf32>
  }
}

// -----
// Refused: one of the two statistics is also updated by way of a view that has no inverse.
// CHECK-LABEL: aten.graph inputs ["x"] outputs ["y"]
// CHECK-NEXT: %m = aten.state "b_mean" () <{node.value = dense<0.000000e+00> : tensor<3xf32>, node.kind = "buffer", node.fqn = "bn.running_mean"}> {aten.kept = #device.reason<"shared", "shares memory with 'fill_': fill_ updates a view, but elements of the view by expand share memory">} : () -> tensor<3xf32>
// CHECK-NEXT: %v = aten.state "b_var" () <{node.value = dense<1.000000e+00> : tensor<3xf32>, node.kind = "buffer", node.fqn = "bn.running_var"}> {aten.kept = #device.reason<"shared", "shares memory with 'fill_': fill_ updates a view, but elements of the view by expand share memory">} : () -> tensor<3xf32>
// CHECK-NEXT: %x = aten.input "x" () : () -> tensor<2x3x4x4xf32>
// CHECK-NEXT: %y = aten.batch_norm "y" (%x, %m, %v) <{node.ports = ["input", "running_mean", "running_var"], weight = #aten.none, bias = #aten.none, training = true, momentum = 1.000000e-01 : f64, eps = 1.000000e-05 : f64, cudnn_enabled = false}> {aten.kept = #device.reason<"shared", "batch_norm also updates memory that stays as it is">} : (tensor<2x3x4x4xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4x4xf32>
// CHECK-NEXT: %e = aten.expand "expand" (%m) <{size = array<i64: 2, 3>}> {aten.kept = #device.reason<"shared", "shares memory with 'fill_': fill_ updates a view, but elements of the view by expand share memory">} : (tensor<3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT: %f = aten.fill_.Scalar "fill_" (%e) <{value = 1.000000e+00 : f64}> {aten.kept = #device.reason<"overlap", "fill_ updates a view, but elements of the view by expand share memory">} : (tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT: }
builtin.module attributes {platform.name = "pytorch"} {
  aten.graph inputs ["x"] outputs ["y"] {
    %m = aten.state "b_mean" () <{node.value = dense<0.0> : tensor<3xf32>, node.kind = "buffer", node.fqn = "bn.running_mean"}> : () -> tensor<3xf32>
    %v = aten.state "b_var" () <{node.value = dense<1.0> : tensor<3xf32>, node.kind = "buffer", node.fqn = "bn.running_var"}> : () -> tensor<3xf32>
    %x = aten.input "x" () : () -> tensor<2x3x4x4xf32>
    %y = aten.batch_norm "y" (%x, %m, %v) <{node.ports = ["input", "running_mean", "running_var"], weight = #aten.none, bias = #aten.none, training = true, momentum = 1.0e-01 : f64, eps = 1.0e-05 : f64, cudnn_enabled = false}> : (tensor<2x3x4x4xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4x4xf32>
    %e = aten.expand "expand" (%m) <{size = array<i64: 2, 3>}> : (tensor<3xf32>) -> tensor<2x3xf32>
    %f = aten.fill_.Scalar "fill_" (%e) <{value = 1.0 : f64}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  }
}

// -----
// A norm outside of training updates nothing, and neither does a program that is functional already.
// CHECK-LABEL: aten.graph inputs ["x"] outputs ["y"]
// CHECK-NEXT: %m = aten.state "b_mean" () <{node.value = dense<0.000000e+00> : tensor<3xf32>, node.kind = "buffer", node.fqn = "bn.running_mean"}> : () -> tensor<3xf32>
// CHECK-NEXT: %v = aten.param "b_var" () <{node.value = dense<1.000000e+00> : tensor<3xf32>, node.kind = "buffer", node.fqn = "bn.running_var"}> : () -> tensor<3xf32>
// CHECK-NEXT: %x = aten.input "x" () : () -> tensor<2x3x4x4xf32>
// CHECK-NEXT: %y = aten.batch_norm "y" (%x, %m, %v) <{node.ports = ["input", "running_mean", "running_var"], weight = #aten.none, bias = #aten.none, training = false, momentum = 1.000000e-01 : f64, eps = 1.000000e-05 : f64, cudnn_enabled = false}> : (tensor<2x3x4x4xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4x4xf32>
// CHECK-NEXT: %z = aten.neg "neg" (%m) : (tensor<3xf32>) -> tensor<3xf32>
// CHECK-NEXT: aten.write_back "neg_to_bn.running_mean" (%m, %z) : (tensor<3xf32>, tensor<3xf32>) -> ()
// CHECK-NEXT: }
builtin.module attributes {platform.name = "pytorch"} {
  aten.graph inputs ["x"] outputs ["y"] {
    %m = aten.state "b_mean" () <{node.value = dense<0.0> : tensor<3xf32>, node.kind = "buffer", node.fqn = "bn.running_mean"}> : () -> tensor<3xf32>
    %v = aten.param "b_var" () <{node.value = dense<1.0> : tensor<3xf32>, node.kind = "buffer", node.fqn = "bn.running_var"}> : () -> tensor<3xf32>
    %x = aten.input "x" () : () -> tensor<2x3x4x4xf32>
    %y = aten.batch_norm "y" (%x, %m, %v) <{node.ports = ["input", "running_mean", "running_var"], weight = #aten.none, bias = #aten.none, training = false, momentum = 1.0e-01 : f64, eps = 1.0e-05 : f64, cudnn_enabled = false}> : (tensor<2x3x4x4xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4x4xf32>
    %z = aten.neg "neg" (%m) : (tensor<3xf32>) -> tensor<3xf32>
    aten.write_back "neg_to_bn.running_mean" (%m, %z) : (tensor<3xf32>, tensor<3xf32>) -> ()
  }
}

// -----
// An update that stays, and that nothing reads, is still made: here it reads a tensor whose own update is reduced.
// CHECK-LABEL: aten.graph inputs ["x"] outputs ["z"]
// CHECK:      %w = aten.relu "relu_" (%v) : (tensor<3xf32>) -> tensor<3xf32>
// CHECK:      aten.add_.Tensor "add_" (%e, %w) {aten.kept = #device.reason<"overlap",
// CHECK-NEXT: %z = aten.neg "z" (%y)
builtin.module attributes {platform.name = "pytorch"} {
  aten.graph inputs ["x"] outputs ["z"] {
    %x = aten.input "x" () : () -> tensor<3xf32>
    %y = aten.abs "y" (%x) : (tensor<3xf32>) -> tensor<3xf32>
    %v = aten.sgn "v" (%x) : (tensor<3xf32>) -> tensor<3xf32>
    %w = aten.relu_ "relu_" (%v) : (tensor<3xf32>) -> tensor<3xf32>
    %e = aten.expand "expand" (%y) <{size = array<i64: 2, 3>}> : (tensor<3xf32>) -> tensor<2x3xf32>
    %f = aten.add_.Tensor "add_" (%e, %w) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %z = aten.neg "z" (%y) : (tensor<3xf32>) -> tensor<3xf32>
  }
}

// -----
// An op that nobody knows reads what the updates in front of it have made; one behind it stays.
// CHECK-LABEL: aten.graph inputs ["x"] outputs ["a", "b"]
// CHECK:      %z = aten.relu "relu_" (%y) : (tensor<3xf32>) -> tensor<3xf32>
// CHECK-NEXT: %a = aten.opaque "a" (%z)
// CHECK:      aten.abs "v" (%x) {aten.kept = #device.reason<"shared",
// CHECK:      aten.opaque "b" {{.+}} {aten.kept = #device.reason<"unknown",
// CHECK-NEXT: aten.relu_ "relu_2"
builtin.module attributes {platform.name = "pytorch"} {
  aten.graph inputs ["x"] outputs ["a", "b"] {
    %x = aten.input "x" () : () -> tensor<3xf32>
    %y = aten.neg "y" (%x) : (tensor<3xf32>) -> tensor<3xf32>
    %z = aten.relu_ "relu_" (%y) : (tensor<3xf32>) -> tensor<3xf32>
    %a = aten.opaque "a" (%y) <{node.ports = ["x"], node.target = "torch.ops.my.op.default"}> : (tensor<3xf32>) -> tensor<3xf32>
    %v = aten.abs "v" (%x) : (tensor<3xf32>) -> tensor<3xf32>
    %b = aten.opaque "b" (%v) <{node.ports = ["x"], node.target = "torch.ops.my.op.default"}> : (tensor<3xf32>) -> tensor<3xf32>
    %w = aten.relu_ "relu_2" (%v) : (tensor<3xf32>) -> tensor<3xf32>
  }
}

// -----
// An op that nobody knows, and that gives no result, updates what it reads.
// CHECK-LABEL: aten.graph inputs ["x"] outputs ["z"]
// CHECK:      aten.neg "y" (%x) {aten.kept = #device.reason<"shared",
// CHECK-NEXT: aten.relu_ "relu_" (%y) {aten.kept = #device.reason<"shared",
// CHECK-NEXT: aten.opaque "a" {{.+}} {aten.kept = #device.reason<"no-twin", "no functional op computes what my.op writes">}
// CHECK-NEXT: %z = aten.abs "z"
builtin.module attributes {platform.name = "pytorch"} {
  aten.graph inputs ["x"] outputs ["z"] {
    %x = aten.input "x" () : () -> tensor<3xf32>
    %y = aten.neg "y" (%x) : (tensor<3xf32>) -> tensor<3xf32>
    %r = aten.relu_ "relu_" (%y) : (tensor<3xf32>) -> tensor<3xf32>
    aten.opaque "a" (%y) <{node.ports = ["x"], node.target = "torch.ops.my.op.default"}> : (tensor<3xf32>) -> ()
    %z = aten.abs "z" (%y) : (tensor<3xf32>) -> tensor<3xf32>
  }
}

// -----
// One with results may update what it reads: what others read too, and none behind it, it gets a copy of.
// CHECK-LABEL: aten.graph inputs ["x"] outputs ["a", "b"]
// CHECK:      %y = aten.neg "y" (%x) : (tensor<3xf32>)
// CHECK-NEXT: %b = aten.abs "b" (%y) : (tensor<3xf32>)
// CHECK-NEXT: %[[COPY:.+]] = aten.clone "a_2" (%y) : (tensor<3xf32>) -> tensor<3xf32>
// CHECK-NEXT: %a = aten.opaque "a" (%[[COPY]]) <{node.ports = ["x"], node.target = "torch.ops.my.op.default"}> : (
builtin.module attributes {platform.name = "pytorch"} {
  aten.graph inputs ["x"] outputs ["a", "b"] {
    %x = aten.input "x" () : () -> tensor<3xf32>
    %y = aten.neg "y" (%x) : (tensor<3xf32>) -> tensor<3xf32>
    %b = aten.abs "b" (%y) : (tensor<3xf32>) -> tensor<3xf32>
    %a = aten.opaque "a" (%y) <{node.ports = ["x"], node.target = "torch.ops.my.op.default"}> : (tensor<3xf32>) -> tensor<3xf32>
  }
}

// -----
// Refused: where one behind it reads that, both stay; a branch is known to update nothing.
// CHECK-LABEL: aten.graph inputs ["x"] outputs ["a", "b", "c"]
// CHECK:      %y = aten.neg "y" (%x) {aten.kept = #device.reason<"shared",
// CHECK-NEXT: %a = aten.opaque "a" (%y) {{.+}} {aten.kept = #device.reason<"unknown",
// CHECK-NEXT: %b = aten.abs "b" (%y) : (tensor<3xf32>)
// CHECK-NEXT: %z = aten.neg "z" (%x) : (tensor<3xf32>)
// CHECK-NEXT: %c = aten.opaque "c" (%z) {{[^#]+$}}
// CHECK-NEXT: %d = aten.abs "d" (%z) : (tensor<3xf32>)
builtin.module attributes {platform.name = "pytorch"} {
  aten.graph inputs ["x"] outputs ["a", "b", "c"] {
    %x = aten.input "x" () : () -> tensor<3xf32>
    %y = aten.neg "y" (%x) : (tensor<3xf32>) -> tensor<3xf32>
    %a = aten.opaque "a" (%y) <{node.ports = ["x"], node.target = "torch.ops.my.op.default"}> : (tensor<3xf32>) -> tensor<3xf32>
    %b = aten.abs "b" (%y) : (tensor<3xf32>) -> tensor<3xf32>
    %z = aten.neg "z" (%x) : (tensor<3xf32>) -> tensor<3xf32>
    %c = aten.opaque "c" (%z) <{node.ports = ["x"], node.target = "torch.ops.higher_order.cond"}> : (tensor<3xf32>) -> tensor<3xf32>
    %d = aten.abs "d" (%z) : (tensor<3xf32>) -> tensor<3xf32>
  }
}

// -----
// The results of _unsafe_view and unsafe_split lie in the memory of their operand, whatever they are called.
// CHECK-LABEL: aten.graph inputs ["x"] outputs ["u", "b"]
// CHECK:      aten.relu_ "r" {{.+}} {aten.kept =
// CHECK:      aten.relu_ "s" {{.+}} {aten.kept =
builtin.module attributes {platform.name = "pytorch"} {
  aten.graph inputs ["x"] outputs ["u", "b"] {
    %x = aten.input "x" () : () -> tensor<4xf32>
    %u = aten.neg "u" (%x) : (tensor<4xf32>) -> tensor<4xf32>
    %v = aten._unsafe_view "v" (%u) <{size = array<i64: 2, 2>}> : (tensor<4xf32>) -> tensor<2x2xf32>
    %r = aten.relu_ "r" (%v) : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %b = aten.abs "b" (%x) : (tensor<4xf32>) -> tensor<4xf32>
    %p, %q = aten.unsafe_split.Tensor "p" (%b) -> ["p", "q"] <{split_size = 2 : i64}> : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    %s = aten.relu_ "s" (%q) : (tensor<2xf32>) -> tensor<2xf32>
  }
}

// -----
// Other platforms.
// CHECK-LABEL: onnx.graph "g"
// CHECK-NEXT: onnx.Relu
onnx.graph "g" (%x "x" : tensor<4xf32>) -> ["y"] {
  %y = onnx.Relu "r" (%x) -> ["y"] : (tensor<4xf32>) -> tensor<4xf32>
  onnx.return %y : tensor<4xf32>
}
