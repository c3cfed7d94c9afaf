# SPDX-License-Identifier: Apache-2.0
# all_reduce.py FILE: every rank adds its number + 1 to a sum; each writes what it got.
import os
import sys

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
total = torch.tensor([dist.get_rank() + 1])
dist.all_reduce(total)
with open(f"{sys.argv[1]}.{dist.get_rank()}", "w", encoding="ascii") as out:
    out.write(f"{total.item()} of {dist.get_world_size()}, local {os.environ['LOCAL_RANK']}\n")
