# SPDX-License-Identifier: Apache-2.0
"""The smallest program that shows that all processes of a job meet: a step of training, then each adds its rank to a sum."""
import argparse
import os

import deepspeed
import torch

parser = deepspeed.add_config_arguments(argparse.ArgumentParser())
parser.add_argument("--local_rank", type=int)
model = torch.nn.Linear(1, 1)
engine, *_ = deepspeed.initialize(args=parser.parse_args(), model=model, model_parameters=model.parameters())
engine.backward(engine(torch.ones(1, 1, device=engine.device)).sum())
engine.step()
size = deepspeed.comm.get_world_size()
total = torch.tensor([deepspeed.comm.get_rank()], device=engine.device)
deepspeed.comm.all_reduce(total)
assert total.item() == size * (size - 1) // 2
if deepspeed.comm.get_rank() == 0:
    print(f"{size} processes on {os.environ['NUM_NODES']} nodes have met at {os.environ['MASTER_ADDR']}")
deepspeed.comm.destroy_process_group()
