#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""hung_mount.py FOLDER COMMAND...: COMMAND while a file system is on FOLDER whose server never answers: who touches a file
there waits in state D, as for NFS, until SIGKILL. In a mount namespace of its caller; exits as COMMAND does."""
import ctypes
import os
import subprocess
import sys

libc = ctypes.CDLL(None, use_errno=True)
server = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
options = f"fd={server},rootmode=40000,user_id=0,group_id=0"
if libc.mount(b"hung", os.fsencode(sys.argv[1]), b"fuse", 0, options.encode()) != 0:
    sys.exit(f"hung_mount.py: mount: {os.strerror(ctypes.get_errno())}")
sys.exit(subprocess.run(sys.argv[2:], check=False).returncode)
