// What autosplit-opt adds to xDSL's driver.

// Named pipelines stand beside passes; the empty list is none.
// RUN: autosplit-opt %s -p cse,dce | filecheck %s
// RUN: autosplit-opt %s --no-locations | filecheck %s --check-prefix=NONE
// RUN: autosplit-opt %s --print-debuginfo | filecheck %s --check-prefix=ALL
// RUN: autosplit-opt %s -o %t.out
// RUN: filecheck %s --input-file %t.out
// Plain xdsl-opt knows the dialects.
// RUN: xdsl-opt %s | filecheck %s --check-prefix=NONE

// CHECK: %{{.+}} = "test.op"() {r = #device.reason<"dtype", "f64">} : () -> !platform.unknown loc("conv1")
// NONE:  %{{.+}} = "test.op"() {r = #device.reason<"dtype", "f64">} : () -> !platform.unknown{{$}}
// ALL:   %{{.+}} = "test.op"() {r = #device.reason<"dtype", "f64">} : () -> !platform.unknown loc("conv1")
%0 = "test.op"() {r = #device.reason<"dtype", "f64">} : () -> !platform.unknown loc("conv1")
// CHECK-NEXT: "test.op"(%{{.+}}) : (!platform.unknown) -> (){{$}}
// NONE-NEXT:  "test.op"(%{{.+}}) : (!platform.unknown) -> (){{$}}
// ALL-NEXT:   "test.op"(%{{.+}}) : (!platform.unknown) -> () loc(unknown)
"test.op"(%0) : (!platform.unknown) -> ()
