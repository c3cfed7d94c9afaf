# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# A mount namespace of a test's own: source it after tests/tap.sh.

# enter_namespace SCRIPT: starts it again in one; returns there.
enter_namespace() {
    [ -z "${CE_TEST_NAMESPACE:-}" ] || return 0
    [ "$(id -u)" = 0 ] || skip_all "needs root"
    unshare --mount true 2>/dev/null || skip_all "needs a mount namespace"
    CE_TEST_NAMESPACE=1 exec unshare --mount "$1"
}
