# SPDX-License-Identifier: Apache-2.0
"""The smallest program that shows that all nodes of a job meet: a task on each says where it ran."""
import os
import time

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy


@ray.remote(num_cpus=1)
def where():
    return ray.get_runtime_context().get_node_id()


ray.init()
count = int(os.environ["NUM_NODES"])
while len(ray.nodes()) < count:
    time.sleep(1)
nodes = [node["NodeID"] for node in ray.nodes()]
tasks = [where.options(scheduling_strategy=NodeAffinitySchedulingStrategy(node, soft=False)).remote() for node in nodes]
assert sorted(ray.get(tasks)) == sorted(nodes)
print(f"{count} nodes have met at {os.environ['HOST_NODE_ADDR']}")
