# SPDX-License-Identifier: Apache-2.0
"""The smallest program that shows that all processes of a job meet: each adds its rank to a sum, after a step of training."""
import os

import lightning
import torch


class Model(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(1, 1)

    def training_step(self, batch, _):
        return self.layer(batch).sum()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def on_train_end(self):
        size = self.trainer.world_size
        total = self.trainer.strategy.reduce(torch.tensor(self.global_rank, device=self.device), reduce_op="sum")
        assert total.item() == size * (size - 1) // 2
        if self.global_rank == 0:
            address = f"{os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}"
            print(f"{size} processes on {self.trainer.num_nodes} nodes have met at {address}")


nodes, devices = int(os.environ["NUM_NODES"]), int(os.environ["LOCAL_WORLD_SIZE"])
trainer = lightning.Trainer(num_nodes=nodes, devices=devices, max_steps=1, logger=False, enable_checkpointing=False,
                            enable_progress_bar=False)
trainer.fit(Model(), torch.utils.data.DataLoader(torch.ones(64, 1)))
