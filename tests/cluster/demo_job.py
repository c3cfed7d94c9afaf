#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The demo's job: an all-reduce by PyTorch (gloo), set up by nothing but the plugin's variables.

Every rank checks the sum, rank 0 gathers over the process group what each node got and prints it.
"""
import datetime
import os
import socket
import sys

USED = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT", "GLOO_SOCKET_IFNAME")
SHOWN = ("NODE_RANK", "NODE_ADDR", "CLUSTER_IP", "HOST_NODE_ADDR", "NCCL_IB_HCA")
HCAS = "/sys/class/infiniband"
NUMBERS = 1 << 20
ROUNDS = 4


def fail(message):
    sys.exit(f"demo_job: {socket.gethostname()}: {message}")


def bytes_sent(interface):
    try:
        with open(f"/sys/class/net/{interface}/statistics/tx_bytes", encoding="ascii") as file:
            return int(file.read())
    except OSError as error:
        return fail(f"interface {interface}: {error.strerror}")


def rails():
    """The HCAs of this node that NCCL would use, by their link layers: "8 IB", "8 IB + 1 Ethernet"."""
    wanted = os.environ.get("NCCL_IB_HCA", "^=")
    names, inverted = wanted.lstrip("^=").split(","), wanted.startswith("^")
    layers = []
    for hca in os.listdir(HCAS) if os.path.isdir(HCAS) else ():
        if (hca in names) != inverted:
            with open(f"{HCAS}/{hca}/ports/1/link_layer", encoding="ascii") as file:
                layers.append(file.read().strip().replace("InfiniBand", "IB"))
    return " + ".join(f"{layers.count(layer)} {layer}" for layer in sorted(set(layers))) or "-"


def all_reduce_is_right(torch, rank, world):
    """Rank r adds r + 1, so every number becomes 1 + 2 + ... + world."""
    for _ in range(ROUNDS):
        numbers = torch.full((NUMBERS,), float(rank + 1))
        torch.distributed.all_reduce(numbers)
        if not bool((numbers == world * (world + 1) / 2).all()):
            return False
    return True


def describe(right, interface, sent):
    gpus = os.environ.get("CUDA_VISIBLE_DEVICES", "")
    return {
        "node": socket.gethostname(),
        "rank": int(os.environ["RANK"]),
        "gpus": len(gpus.split(",")) if gpus else 0,
        "interface": interface,
        "rails": rails(),
        "sent": sent,
        "right": right,
        **{name: os.environ.get(name, "-") for name in SHOWN},
    }


def spread(numbers):
    """Sorted numbers in few characters: 0-1, or 0,4,8."""
    if len(numbers) > 1 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"{numbers[0]}-{numbers[-1]}"
    return ",".join(map(str, numbers))


def one_row_per_node(answers):
    nodes = {}
    for answer in sorted(answers, key=lambda answer: answer["rank"]):
        nodes.setdefault((answer["NODE_RANK"], answer["node"]), []).append(answer)
    for ranks in nodes.values():
        first = ranks[0]
        address = first["CLUSTER_IP"]
        if first["NODE_ADDR"] != address:
            address = f"{first['NODE_ADDR']} {address}"
        yield (
            first["node"], first["NODE_RANK"], spread([answer["rank"] for answer in ranks]),
            address, first["interface"], first["NCCL_IB_HCA"], first["rails"], str(first["gpus"]),
            "right" if all(answer["right"] for answer in ranks) else "WRONG",
        )


def print_table(rows):
    head = ("node", "NODE_RANK", "RANK", "CLUSTER_IP", "network", "NCCL_IB_HCA", "rails", "GPUs", "sum")
    rows = [head, *rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


def main():
    missing = [name for name in USED if name not in os.environ]
    if missing:
        fail(f"{', '.join(missing)} not set; was the job started with srun --cluster-env?")
    import torch  # late: it takes seconds, and the variables are looked at first
    import torch.distributed

    interface = os.environ["GLOO_SOCKET_IFNAME"].split(",")[0]
    torch.set_num_threads(1)
    before = bytes_sent(interface)
    torch.distributed.init_process_group("gloo", timeout=datetime.timedelta(seconds=120))
    rank, world = torch.distributed.get_rank(), torch.distributed.get_world_size()
    right = all_reduce_is_right(torch, rank, world)
    torch.distributed.barrier()  # so that the bytes are those of all the rounds
    answers = [None] * world
    torch.distributed.all_gather_object(
        answers, describe(right, interface, bytes_sent(interface) - before))
    wrong = sum(not answer["right"] for answer in answers)
    if rank == 0:
        rows = list(one_row_per_node(answers))
        print_table(rows)
        # ranks of one node share its interface: count each node once
        sent = sum({answer["node"]: answer["sent"] for answer in answers}.values())
        met = ", ".join(sorted({answer["HOST_NODE_ADDR"] for answer in answers}))
        print(f"\n{world} ranks on {len(rows)} nodes met at {met}: {ROUNDS} all-reduces of {NUMBERS:,} "
              f"numbers,\n{wrong or 'no'} wrong sum{'s' if wrong > 1 else ''}, {sent / 1e6:.0f} MB over "
              f"the cluster network ({interface}). Ranks, addresses, interface\n"
              "and rails (the HCAs for NCCL): --cluster-env.", flush=True)
    torch.distributed.barrier()
    torch.distributed.destroy_process_group()
    return 1 if wrong else 0


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    # Not by sys.exit(): PyTorch 1.13 was seen to abort there, in the end of one of its threads.
    os._exit(status)
