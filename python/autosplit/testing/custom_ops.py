"""Libraries of custom ops for tests: a published one for ONNX Runtime, others that are compiled here.

Those for ONNX Runtime and TensorFlow have an op that gives the negative and the positive part of a tensor:
`NegPos` of the domain `ai.onnx.contrib`, and `AutosplitNegPos`. The one for PyTorch has an op that updates
nothing and one that updates its operand: `autosplit_compiled::plain` and `autosplit_compiled_too::scaled`.
"""

from __future__ import annotations

import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path
from unittest import SkipTest

from autosplit.testing.models import model_path

ONNX_DOMAIN = "ai.onnx.contrib"

TENSORFLOW_OP = r"""
/* ops.h forgets it for C. */
typedef struct TF_OpDefinitionBuilder TF_OpDefinitionBuilder;
typedef struct TF_ShapeInferenceContext TF_ShapeInferenceContext;
typedef struct TF_ShapeHandle TF_ShapeHandle;
typedef struct TF_DimensionHandle TF_DimensionHandle;
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"
#include "tensorflow/c/tf_tensor.h"

static void compute(void *state, TF_OpKernelContext *context) {
  TF_Status *status = TF_NewStatus();
  TF_Tensor *x;
  TF_GetInput(context, 0, &x, status);
  int64_t sizes[16], count = TF_TensorElementCount(x);
  int rank = TF_NumDims(x);
  for (int i = 0; i < rank; i++) sizes[i] = TF_Dim(x, i);
  const float *from = TF_TensorData(x);
  for (int which = 0; which < 2; which++) {
    TF_Tensor *y = TF_AllocateOutput(context, which, TF_FLOAT, sizes, rank, 4 * count, status);
    float *to = TF_TensorData(y);
    for (int64_t i = 0; i < count; i++) to[i] = (from[i] > 0) == which ? from[i] : 0;
    TF_DeleteTensor(y);
  }
  TF_DeleteTensor(x);
  TF_DeleteStatus(status);
}

__attribute__((constructor)) static void add(void) {
  TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder("AutosplitNegPos");
  TF_OpDefinitionBuilderAddInput(op, "x: float");
  TF_OpDefinitionBuilderAddOutput(op, "neg: float");
  TF_OpDefinitionBuilderAddOutput(op, "pos: float");
  TF_Status *status = TF_NewStatus();
  TF_RegisterOpDefinition(op, status);
  TF_RegisterKernelBuilder("AutosplitNegPos",
    TF_NewKernelBuilder("AutosplitNegPos", "CPU", 0, compute, 0), status);
  TF_DeleteStatus(status);
}
"""

PYTORCH_OPS = r"""
#include <ATen/ops/empty_like.h>
#include <torch/library.h>

static at::Tensor plain(const at::Tensor &x) {
  at::Tensor from = x.contiguous(), to = at::empty_like(from);
  for (int64_t i = 0; i < from.numel(); i++)
    to.mutable_data_ptr<float>()[i] = from.const_data_ptr<float>()[i] * 2 + 1;
  return to;
}

static at::Tensor scaled(at::Tensor x, double k) { return x.mul_(k).sum(0); }

static at::Tensor plain_sizes(const at::Tensor &x) { return at::empty_like(x); }

static at::Tensor scaled_sizes(at::Tensor x, double) {
  return x.new_empty_symint(x.sym_sizes().slice(1));
}

TORCH_LIBRARY(autosplit_compiled, m) { m.def("plain(Tensor x) -> Tensor"); }
TORCH_LIBRARY(autosplit_compiled_too, m) { m.def("scaled(Tensor(a!) x, float k) -> Tensor"); }
TORCH_LIBRARY_IMPL(autosplit_compiled, CPU, m) { m.impl("plain", plain); }
TORCH_LIBRARY_IMPL(autosplit_compiled_too, CPU, m) { m.impl("scaled", scaled); }
TORCH_LIBRARY_IMPL(autosplit_compiled, Meta, m) { m.impl("plain", plain_sizes); }
TORCH_LIBRARY_IMPL(autosplit_compiled_too, Meta, m) { m.impl("scaled", scaled_sizes); }
"""


def onnx_library() -> Path:
    """Custom ops for ONNX Runtime. Raises ModelUnavailable if they cannot be downloaded."""
    (library,) = model_path("onnxruntime_extensions").glob("_extensions_pydll*.so")
    return library


def compiled(source: str, folder: Path, name: str, *flags: str, language: str = "C") -> Path:
    """A shared library of a program in C or C++. Raises SkipTest where there is no compiler."""
    command_name, file_name = {"C": ("cc", "source.c"), "C++": ("c++", "source.cpp")}[language]
    if (compiler := shutil.which(command_name)) is None:
        raise SkipTest(f"there is no {language} compiler")
    path, file = folder / name, folder / file_name
    file.write_text(source, encoding="utf-8")
    command = [compiler, "-shared", "-fPIC", str(file), "-o", str(path), *flags]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return path


def tensorflow_library(folder: Path) -> Path:
    """A custom op for TensorFlow. Raises SkipTest without TensorFlow or a compiler."""
    spec = find_spec("tensorflow")
    if spec is None or spec.origin is None:
        raise SkipTest("tensorflow is not installed")
    installed = Path(spec.origin).parent
    flags = [f"-I{installed / 'include'}", f"-L{installed}", "-l:libtensorflow_framework.so.2"]
    return compiled(TENSORFLOW_OP, folder, "libnegpos.so", *flags)


def pytorch_library(folder: Path) -> Path:
    """Custom ops for PyTorch. Raises SkipTest without PyTorch or a compiler."""
    spec = find_spec("torch")
    if spec is None or spec.origin is None:
        raise SkipTest("torch is not installed")
    installed = Path(spec.origin).parent
    flags = ["-std=c++20", f"-I{installed / 'include'}", f"-L{installed / 'lib'}"]
    flags += ["-lc10", "-ltorch_cpu"]
    return compiled(PYTORCH_OPS, folder, "libautosplit_compiled.so", *flags, language="C++")
