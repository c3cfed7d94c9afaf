# SPDX-License-Identifier: Apache-2.0
"""The smallest program that shows that all processes of a job meet: each adds its index to a sum."""
import json
import os

addresses, port = os.environ["CLUSTER_IPS"].split(","), os.environ["PRIMARY_PORT"]
rank = int(os.environ["NODE_RANK"])
os.environ["TF_CONFIG"] = json.dumps({
    "cluster": {"worker": [f"{address}:{port}" for address in addresses]},
    "task": {"type": "worker", "index": rank},
})

import tensorflow as tf  # the strategy reads TF_CONFIG

strategy = tf.distribute.MultiWorkerMirroredStrategy()


@tf.function
def add():
    return strategy.run(lambda: tf.distribute.get_replica_context().all_reduce("SUM", tf.constant(rank)))


total = int(strategy.experimental_local_results(add())[0])
replicas = strategy.num_replicas_in_sync // len(addresses)
assert total == replicas * len(addresses) * (len(addresses) - 1) // 2
if rank == 0:
    print(f"{len(addresses)} processes on {os.environ['NUM_NODES']} nodes have met at {addresses[0]}:{port}")
