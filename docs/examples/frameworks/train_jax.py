# SPDX-License-Identifier: Apache-2.0
"""The smallest program that shows that all processes of a job meet: each adds its index to a sum."""
import os

import jax
from jax.experimental import multihost_utils

jax.distributed.initialize()
size = jax.process_count()
total = multihost_utils.process_allgather(jax.numpy.array([jax.process_index()])).sum()
assert total == size * (size - 1) // 2
if jax.process_index() == 0:
    nodes, address = os.environ["NUM_NODES"], os.environ["JAX_COORDINATOR_ADDRESS"]
    print(f"{size} processes on {nodes} nodes have met at {address}")
