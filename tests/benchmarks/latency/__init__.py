"""Latency of exported graphs in ONNX Runtime: ``python -m tests.benchmarks.latency``.

The peers are no dependencies of this project. They go into an environment of their own, whose
interpreter the command is told of::

    python -m venv build/peers
    build/peers/bin/pip install torch onnxscript jax2onnx flax ndonnx skl2onnx scikit-learn onnx
    python -m tests.benchmarks.latency --peers build/peers/bin/python

``--only cnn box`` takes some workloads, ``--keep FOLDER`` leaves the models there, ``--write`` puts
the section into ``docs/benchmarks.md``. A workload is a file here and a row of
:mod:`tests.benchmarks.latency.registry`.
"""
