# SPDX-License-Identifier: Apache-2.0
# The build is tested too: layers, headers, the plugin's symbols, the shipped example.
AM_TESTS_ENVIRONMENT += CC='$(CC)'; export CC;
dist_check_SCRIPTS += \
    tests/build/cuda_header.sh \
    tests/build/example.sh \
    tests/build/gpu_kernels.sh \
    tests/build/headers.sh \
    tests/build/layers.sh \
    tests/build/nccl_header.sh \
    tests/build/nvml_header.sh \
    tests/build/symbols.sh
TESTS += \
    tests/build/cuda_header.sh \
    tests/build/example.sh \
    tests/build/gpu_kernels.sh \
    tests/build/headers.sh \
    tests/build/layers.sh \
    tests/build/nccl_header.sh \
    tests/build/nvml_header.sh \
    tests/build/symbols.sh
EXTRA_DIST += tests/build/print_kernels.c tests/build/ptx.py
