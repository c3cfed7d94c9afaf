#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A seeded mix of steps, and whether the ranks of each are right.

mix.py make DIR SEED COUNT inside|outside PROGRAM NODE...
    Writes DIR/steps.sh, which starts COUNT steps one after the other, each on its own: inside a salloc of
    all nodes, or outside of any job.  PROGRAM is jobs/order.sh.
mix.py judge DIR may-refuse|never NODE...
    Compares what the tasks printed with hostname and SLURM_PROCID of all of them.  NODE are all nodes in the
    order of their addresses, 10.20.0.11 and following.  may-refuse: a heterogeneous step may end with the
    plugin's refusal.
"""
import json
import os
import random
import re
import shlex
import sys

DISTRIBUTIONS = ["block", "cyclic", "block:cyclic", "cyclic:block", "*", "plane=1", "plane=2", "plane=3"]
REFUSAL = re.compile(r"cluster-env: .*node order does not check: .*--cluster-env=off")


def place(rng, nodes, inside):
    """Options of one component: how many nodes and tasks, which, in what way; and its number of tasks."""
    count = rng.randint(1, len(nodes))
    options = ["-N", str(count)]
    if rng.random() < 0.15:
        each = rng.randint(1, 3)
        tasks, options = count * each, options + [f"--ntasks-per-node={each}"]
    else:
        tasks = count + rng.randint(0, 2 * count)
    options += ["-n", str(tasks)]
    chance = rng.random()
    if chance < 0.4 or not inside and len(nodes) < 8:
        options += ["-w", ",".join(rng.sample(nodes, count))]
    elif chance < 0.5 and count < len(nodes):
        options += ["-x", rng.choice(nodes)]
    elif chance < 0.6 and inside:
        options += ["-r", str(rng.randint(0, len(nodes) - count))]
    if rng.random() < 0.6:
        options += ["-m", rng.choice(DISTRIBUTIONS)]
    return options, tasks


def arbitrary(rng, nodes, hosts):
    chosen = rng.sample(nodes, rng.randint(1, len(nodes)))
    lines = chosen + [rng.choice(chosen) for _ in range(rng.randint(0, 6))]
    rng.shuffle(lines)
    with open(hosts, "w", encoding="ascii") as out:
        out.write("\n".join(lines) + "\n")
    return ["-n", str(len(lines)), "-m", "arbitrary"], len(lines)


def het(rng, nodes, command):
    """Components on nodes of their own, each with its own options."""
    shuffled, words, total = rng.sample(nodes, len(nodes)), [], 0
    for size in (3, 3, 2)[: rng.randint(2, 3)]:
        options, tasks = place(rng, shuffled[:size], False)
        shuffled, total = shuffled[size:], total + tasks
        words += [":"] * bool(words) + options + command
    return words, total


def step(rng, where, number, nodes, command):
    """The words that start one step, and how many tasks it has."""
    inside, environment = where == "inside", []
    chance = rng.random()
    if chance < 0.12 and not inside:
        words, tasks = het(rng, nodes, command)
        return environment + ["srun", "-Q"] + words, tasks, True
    if chance < 0.24:
        hosts = f"{number}.hosts"
        words, tasks = arbitrary(rng, nodes, hosts)
        environment = ["env", f"SLURM_HOSTFILE={os.path.abspath(hosts)}"]
    else:
        words, tasks = place(rng, nodes, inside)
        if rng.random() < 0.1 and "-m" not in words:
            environment = ["env", "SLURM_DISTRIBUTION=" + rng.choice(["block", "cyclic"])]
    if rng.random() < 0.15:
        words.append("--export=NONE")
    return environment + ["srun", "-Q"] + words + command, tasks, False


def make(folder, seed, count, where, program, *nodes):
    os.chdir(folder)
    rng, facts, lines = random.Random(int(seed)), [], ["cd " + shlex.quote(folder)]
    for number in range(int(count)):
        words, tasks, is_het = step(rng, where, number, list(nodes), ["--cluster-env", program])
        facts.append({"command": " ".join(words), "tasks": tasks, "het": is_het})
        lines.append(f"timeout 60 {shlex.join(words)} </dev/null >{number}.out 2>{number}.err; echo $? >{number}.rc")
    with open("steps.sh", "w", encoding="ascii") as out:
        out.write("\n".join(lines) + "\n")
    with open("steps.json", "w", encoding="ascii") as out:
        json.dump(facts, out)


def expected(tasks, rank, order, addresses, port):
    """What the task of this rank should see; tasks is the host of each rank."""
    host = tasks[rank]
    node, primary = order.index(host), addresses[order[0]]
    values = {
        "RANK": rank, "WORLD_SIZE": len(tasks), "LOCAL_RANK": tasks[:rank].count(host),
        "LOCAL_WORLD_SIZE": tasks.count(host), "GROUP_RANK": node, "NODE_RANK": node, "NUM_NODES": len(order),
        "NODE_ADDR": addresses[host], "PRIMARY_ADDR": primary, "MASTER_ADDR": primary, "PRIMARY_IP": primary,
        "HOST_NODE_ADDR": f"{primary}:{port}", "PRIMARY_PORT": port,
        "CLUSTER_IPS": ",".join(addresses[name] for name in order), "CLUSTER_NODES": ",".join(order),
        "JAX_COORDINATOR_ADDRESS": f"{primary}:{int(port) + 1 if int(port) < 65535 else 61000}",
        "SKYPILOT_NODE_RANK": node, "SKYPILOT_NODE_IPS": ",".join(addresses[name] for name in order),
    }
    one_each = len(tasks) == len(order)
    values["PET_NODE_RANK"] = node if one_each else "(unset)"
    values["PET_MASTER_ADDR"] = primary if one_each else "(unset)"
    return {name: str(value) for name, value in values.items()}


def read(path):
    with open(path, encoding="utf-8", errors="replace") as text:
        return text.read()


def faults(number, fact, addresses):
    """What is wrong with one step, one line each."""
    seen = {}
    for line in read(f"{number}.out").splitlines():
        if line.startswith("@ "):
            values = dict(word.split("=", 1) for word in line[2:].split(" "))
            seen[int(values["procid"])] = values
    if read(f"{number}.rc").strip() != "0" or sorted(seen) != list(range(fact["tasks"])):
        return [f"status {read(f'{number}.rc').strip()}, {len(seen)} of {fact['tasks']} tasks: {read(f'{number}.err')[:600]}"]
    tasks = [seen[rank]["host"] for rank in range(len(seen))]
    order = list(dict.fromkeys(tasks))
    port = seen[0]["PRIMARY_PORT"]
    found = [f"task {rank} on {tasks[rank]}: {name}={seen[rank].get(name)}, expected {value}"
             for rank in seen for name, value in expected(tasks, rank, order, addresses, port).items()
             if seen[rank].get(name) != value]
    said = read(f"{number}.err").strip()
    return found + ([f"printed {said[:300]}"] if said else [])


def judge(folder, refusals, *nodes):
    os.chdir(folder)
    addresses = {name: f"10.20.0.{11 + index}" for index, name in enumerate(nodes)}
    facts, counts = json.loads(read("steps.json")), {"right": 0, "refused": 0, "wrong": 0}
    for number, fact in enumerate(facts):
        found = faults(number, fact, addresses)
        refused = found and fact["het"] and refusals == "may-refuse" and read(f"{number}.rc").strip() != "0" \
            and REFUSAL.search(read(f"{number}.err"))
        result = "refused" if refused else "wrong" if found else "right"
        counts[result] += 1
        if result == "wrong":
            print(f"step {number}: {fact['command']}", *found[:4], sep="\n    ")
    print(f"{len(facts)} steps: {counts['right']} right, {counts['refused']} refused, {counts['wrong']} wrong")
    return counts["wrong"] or not facts


if __name__ == "__main__":
    actions = {"make": make, "judge": judge}
    if len(sys.argv) < 3 or sys.argv[1] not in actions:
        sys.exit(__doc__)
    sys.exit(1 if actions[sys.argv[1]](*sys.argv[2:]) else 0)
