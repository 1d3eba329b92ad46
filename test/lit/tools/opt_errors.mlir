// Mistakes are one line, and the exit code is 1.

// RUN: not autosplit-opt %s -p cse,device-plcae 2>&1 | filecheck %s --check-prefix=PASS
// PASS: autosplit-opt: error: there is no pass or pipeline called 'device-plcae' (did you mean 'device-place'?)

// RUN: not autosplit-opt %s -p 'device-place{targt=bm1684}' 2>&1 | filecheck %s --check-prefix=OPTION
// OPTION: autosplit-opt: error: pass 'device-place' has no option 'targt' (did you mean 'target'?); it takes dynamic, mode, pins, target

// RUN: not autosplit-opt %s -p 'device-place{dynamic=7}' 2>&1 | filecheck %s --check-prefix=VALUE
// VALUE: autosplit-opt: error: pass 'device-place': Incompatible types: given (7,), expected <class 'bool'>

// RUN: not autosplit-opt %s -p 'cse, dce' 2>&1 | filecheck %s --check-prefix=SYNTAX
// SYNTAX: autosplit-opt: error: cannot read the pass list 'cse, dce': Expected pass name here, after 'cse,' (column 5)

// RUN: not autosplit-opt %s -t 'top-mlir{weight_file=w.npz}' 2>&1 | filecheck %s --check-prefix=TARGET
// TARGET: autosplit-opt: error: cannot read the target 'top-mlir{weight_file=w.npz}': Unknown token, after 'top-mlir{weight_file=w' (column 23)

// RUN: not autosplit-opt %s --pipeline 'split{colour=red}' 2>&1 | filecheck %s --check-prefix=PIPELINE
// PIPELINE: autosplit-opt: error: pipeline 'split': none of its passes has the option 'colour'

// RUN: not autosplit-opt %S/no_such_file.onnx 2>&1 | filecheck %s --check-prefix=MISSING
// MISSING: autosplit-opt: error: {{.*}}no_such_file.onnx: there is no such file

// RUN: not autosplit-opt %s --weights %S/no_such_file.onnx 2>&1 | filecheck %s --check-prefix=WEIGHTS
// WEIGHTS: autosplit-opt: error: --weights {{.*}}no_such_file.onnx: there is no such file

// RUN: not autosplit-opt %s -o %t.out 2>&1 | filecheck %s --check-prefix=PARSE
// RUN: not test -e %t.out
// PARSE: autosplit-opt: error: {{.*}}opt_errors.mlir:{{[0-9]+}}:1: Operation test.nothing is not registered
test.nothing
