"""What also runs on a device without autosplit: `autosplit package` copies these files into what it writes.

They need Python 3.8, numpy, the TPU's runtime where there are bmodels, and ONNX Runtime where sub-models run
on the CPU; Pillow for pictures. autosplit runs the same code. Of autosplit they import each other and the
few files beside them in `flows.package.COPIED`, which keep the same rules.
"""
