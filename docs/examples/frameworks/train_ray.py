# SPDX-License-Identifier: Apache-2.0
"""The smallest program that shows that all nodes of a job meet: a task on each says where it ran."""
import os

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy


@ray.remote(num_cpus=1)
def where():
    return ray.get_runtime_context().get_node_id()


ray.init()
nodes = [node["NodeID"] for node in ray.nodes() if node["Alive"]]
tasks = [where.options(scheduling_strategy=NodeAffinitySchedulingStrategy(node, soft=False)).remote() for node in nodes]
assert sorted(ray.get(tasks)) == sorted(nodes)
assert len(nodes) == int(os.environ["NUM_NODES"])
print(f"{len(nodes)} nodes have met at {os.environ['HOST_NODE_ADDR']}")
