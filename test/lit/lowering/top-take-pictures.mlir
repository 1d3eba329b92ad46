// RUN: autosplit-opt %s -p 'top-take-pictures{pictures="x=bgr mean 127.5 scale 0.0078125"}' | filecheck %s
// RUN: autosplit-opt %s -p 'top-take-pictures{pictures="x=rgb mean 1.0 2.0 3.0 scale 0.5 0.25 0.125","z=bgr last mean 0.0 scale 1.0"}' | filecheck %s --check-prefix=BOTH
// RUN: autosplit-opt %s -p top-take-pictures | filecheck %s --check-prefix=NONE
// RUN: ! autosplit-opt %s -p 'top-take-pictures{pictures="x=gray mean 1.0 scale 1.0"}' 2>&1 | filecheck %s --check-prefix=ORDER
// RUN: ! autosplit-opt %s -p 'top-take-pictures{pictures="x=rgb mean 1.0"}' 2>&1 | filecheck %s --check-prefix=ORDER
// RUN: ! autosplit-opt %s -p 'top-take-pictures{pictures="flat=rgb mean 1.0 scale 1.0"}' 2>&1 | filecheck %s --check-prefix=FLAT

// An input says what becomes of the bytes of a picture. One number is for all channels.
// CHECK:      %x = top.Input({{.*}}) {do_preprocess = true, pixel_format = "bgr"{{.*}}resize_dims = [8, 4]
// CHECK-SAME: scale = [0.0078125, 0.0078125, 0.0078125], mean = [127.5, 127.5, 127.5]
// CHECK-NOT:  do_preprocess

// Where channels are the last axis, the input has planes, which are turned.
// BOTH:      func.func @main(%a: tensor<1x3x8x4xf32>, %b: tensor<1x3x8x4xf32>, %c: tensor<6xf32>, %d: tensor<1x3x8x4xf32>)
// BOTH:      scale = [0.5, 0.25, 0.125], mean = [1.0, 2.0, 3.0]{{.*}}loc("x")
// BOTH-NEXT: %[[PLANES:.*]] = top.Input(%b) {do_preprocess = true, pixel_format = "bgr"{{.*}} -> tensor<1x3x8x4xf32> loc("z")
// BOTH-NEXT: top.Permute(%[[PLANES]]) {order = [0, 2, 3, 1]} {{.*}}tensor<1x8x4x3xf32> loc("z/last")

// NONE-NOT: do_preprocess

// ORDER: cannot read the picture 'x={{.*}}'; expected NAME=rgb or NAME=bgr
// FLAT:  the input 'flat' is tensor<6xf32>; expected four fixed sizes, as pictures have
builtin.module @net {
  func.func @main(%a: tensor<1x3x8x4xf32>, %b: tensor<1x8x4x3xf32>, %c: tensor<6xf32>, %d: tensor<1x3x8x4xf32>) -> (tensor<1x3x8x4xf32>, tensor<1x8x4x3xf32>, tensor<6xf32>) {
    %x = "top.Input"(%a) : (tensor<1x3x8x4xf32>) -> tensor<1x3x8x4xf32> loc("x")
    %z = "top.Input"(%b) : (tensor<1x8x4x3xf32>) -> tensor<1x8x4x3xf32> loc("z")
    %flat = "top.Input"(%c) : (tensor<6xf32>) -> tensor<6xf32> loc("flat")
    %unread = "top.Input"(%d) : (tensor<1x3x8x4xf32>) -> tensor<1x3x8x4xf32> loc("unread")
    %r = "top.Abs"(%x) : (tensor<1x3x8x4xf32>) -> tensor<1x3x8x4xf32> loc("r")
    %s = "top.Abs"(%z) : (tensor<1x8x4x3xf32>) -> tensor<1x8x4x3xf32> loc("s")
    %t = "top.Abs"(%flat) : (tensor<6xf32>) -> tensor<6xf32> loc("t")
    func.return %r, %s, %t : tensor<1x3x8x4xf32>, tensor<1x8x4x3xf32>, tensor<6xf32>
  }
}
