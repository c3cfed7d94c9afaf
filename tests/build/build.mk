# SPDX-License-Identifier: Apache-2.0
# The build is tested too: layers, headers, the plugin's symbols, the shipped example.
AM_TESTS_ENVIRONMENT += CC='$(CC)'; export CC;
dist_check_SCRIPTS += \
    tests/build/example.sh \
    tests/build/headers.sh \
    tests/build/layers.sh \
    tests/build/nvml_header.sh \
    tests/build/symbols.sh
TESTS += \
    tests/build/example.sh \
    tests/build/headers.sh \
    tests/build/layers.sh \
    tests/build/nvml_header.sh \
    tests/build/symbols.sh
