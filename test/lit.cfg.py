"""How lit runs the tests: what it looks for, what they may call, what this machine has."""

import glob
import importlib.util
import os
import shutil
import sys

import lit.formats

config.name = "fastnorm"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
# unit: GoogleTest binaries, run apart. data, Inputs: what tests read.
config.excludes = ["unit", "data", "Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.fastnorm_binary_dir, "test")

# Our tools first, then LLVM's: tests call them by name.
config.environment["PATH"] = os.pathsep.join(
    [config.fastnorm_tools_dir, config.llvm_tools_dir, config.environment.get("PATH", "")])
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
for tool in ("FileCheck", "not", "split-file"):
    if not shutil.which(tool, path=config.environment["PATH"]):
        lit_config.fatal(f"the tests need {tool}, but it is not in {config.llvm_tools_dir}")

config.substitutions.append(("%python", f'"{sys.executable}"'))
config.substitutions.append(("%project_root", config.fastnorm_source_dir))
config.substitutions.append(("%examples", os.path.join(config.fastnorm_source_dir, "examples")))

config.substitutions.append(("%tools", config.fastnorm_tools_dir))
config.substitutions.append(("%libfastnorm", os.path.join(config.fastnorm_binary_dir, "lib", "libfastnorm.so")))

# Folders to put on LD_LIBRARY_PATH: a CUDA driver that runs kernels on the emulator and makes up their times, and a
# management library.
config.substitutions.append(("%emulated_cuda", os.path.join(config.fastnorm_binary_dir, "emulated-cuda")))
config.substitutions.append(("%fake_nvml", os.path.join(config.fastnorm_binary_dir, "fake-nvml")))

# Programs built without them can't load a library with sanitizers.
if config.fastnorm_sanitize:
    config.available_features.add("sanitized")
# NumPy, where Python has it.
if importlib.util.find_spec("numpy"):
    config.available_features.add("numpy")
# Google Benchmark, where the build found it.
if shutil.which("fastnorm-host-latency", path=config.environment["PATH"]):
    config.available_features.add("google-benchmark")
# The emulator runs everywhere.
config.available_features.add("emulator")
# A CUDA device that this process can reach.
if glob.glob("/dev/nvidia[0-9]*"):
    config.available_features.add("gpu")
# ptxas, to assemble what is emitted for each known chip: %ptxas.
cuda_homes = [os.environ[name] for name in ("CUDA_HOME", "CUDA_PATH") if name in os.environ] + ["/usr/local/cuda"]
ptxas = shutil.which("ptxas") or shutil.which("ptxas", path=os.pathsep.join(os.path.join(h, "bin") for h in cuda_homes))
if ptxas:
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", ptxas))
