"""Networks that people deploy, true to size, with seeded weights: what the benchmarks run.

`files` makes them as ONNX files in float32 and as ONNX Runtime's quantizer writes them.
"""
