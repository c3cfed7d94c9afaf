# SPDX-License-Identifier: Apache-2.0
"""The smallest program that shows that all processes of a job meet: each adds its rank to a sum."""
import os

import torch
import torch.distributed as dist

has_gpu = torch.cuda.is_available()
if has_gpu:
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
dist.init_process_group("nccl" if has_gpu else "gloo")
total = torch.tensor([dist.get_rank()], device="cuda" if has_gpu else "cpu")
dist.all_reduce(total)
size = dist.get_world_size()
assert total.item() == size * (size - 1) // 2
if dist.get_rank() == 0:
    print(f"{size} processes on {os.environ['NUM_NODES']} nodes have met at {os.environ['MASTER_ADDR']}")
dist.destroy_process_group()
