# SPDX-License-Identifier: Apache-2.0
"""The smallest program that shows that all processes of a job meet: each adds its rank to a sum."""
import os

import torch
from accelerate import Accelerator

accelerator = Accelerator()
size = accelerator.num_processes
total = accelerator.reduce(torch.tensor([accelerator.process_index], device=accelerator.device))
assert total.item() == size * (size - 1) // 2
accelerator.print(f"{size} processes on {os.environ['NUM_NODES']} nodes have met at {os.environ['MASTER_ADDR']}")
accelerator.end_training()
