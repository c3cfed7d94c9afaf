#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Compute the PTX of bench-gpu on this machine, thread by thread, and compare with values that are
# computed here in another way. Knows the instructions that are in there, and no other. TAP.
import re
import struct
import sys

BITS = {"u32": 32, "b32": 32, "u64": 64, "b64": 64, "f32": 32}


def as_float(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def from_float(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def fma(a, b, c):
    """Rounded once: the exact sum as a fraction, then to the nearest float."""
    from fractions import Fraction
    exact = Fraction(as_float(a)) * Fraction(as_float(b)) + Fraction(as_float(c))
    return from_float(round_to_float(exact))


def round_to_float(exact):
    from fractions import Fraction
    if exact == 0:
        return 0.0
    sign, exact = (-1, -exact) if exact < 0 else (1, exact)
    exponent = 0
    while exact >= 2 ** 24:
        exact /= 2
        exponent += 1
    while exact < 2 ** 23 and exponent > -149:
        exact *= 2
        exponent -= 1
    whole = exact.numerator // exact.denominator
    rest = exact - whole
    if rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole % 2):
        whole += 1
    return sign * whole * 2.0 ** exponent


def parse(text):
    kernels = {}
    for name, parameters, body in re.findall(r"\.visible \.entry (\w+)\((.*?)\)\s*\{(.*?)\n\}", text, re.S):
        labels, code = {}, []
        for line in (line.strip() for line in body.splitlines()):
            if not line or line.startswith(".reg"):
                continue
            if line.endswith(":"):
                labels[line[:-1]] = len(code)
            else:
                found = re.fullmatch(r"(?:@(%\w+) )?([\w.]+)\s*(.*);", line)
                code.append((found[1], found[2].split("."), [w.strip() for w in found[3].split(",")] if found[3] else []))
        kernels[name] = (re.findall(r"\.param \.\w+ (\w+)", parameters), labels, code)
    return kernels


class Thread:
    def __init__(self, memory, arguments, place):
        self.memory, self.arguments, self.registers = memory, arguments, dict(place)

    def value(self, word):
        if word.startswith("0f"):
            return int(word[2:], 16)
        return self.registers[word] if word.startswith("%") else int(word, 0)

    def address(self, word):
        found = re.fullmatch(r"\[(%\w+)(?:\+(\d+))?\]", word)
        return self.registers[found[1]] + int(found[2] or 0)

    def result(self, name, operands):
        kind, bits = name[-1], BITS.get(name[-1], 64)
        mask = (1 << bits) - 1
        if name[:2] == ["ld", "param"]:
            return self.arguments[operands[0].strip("[]")] & mask
        if name[:2] == ["ld", "global"]:
            return self.memory[self.address(operands[0])]
        if name[0] == "atom":
            at = self.address(operands[0])
            before = self.memory[at]
            value = self.value(operands[1])
            self.memory[at] = (before + value if name[2] == "add" else before | value) & mask
            return before
        values = [self.value(word) for word in operands]
        simple = {
            "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "and": lambda a, b: a & b,
            "xor": lambda a, b: a ^ b, "mul": lambda a, b: a * b, "mov": lambda a: a, "cvta": lambda a: a,
            "cvt": lambda a: a, "shl": lambda a, b: a << b, "shr": lambda a, b: a >> b,
            "selp": lambda a, b, p: a if p else b, "neg": lambda a: a ^ 0x80000000, "fma": fma,
        }[name[0]](*values)
        if name[0] == "cvt":
            return simple & ((1 << BITS[name[1]]) - 1)
        if name[:2] == ["mul", "wide"]:
            return simple
        return simple & mask

    def run(self, labels, code):
        at = 0
        while True:
            guard, name, operands = code[at]
            at += 1
            if guard and not self.registers[guard]:
                continue
            if name[0] == "ret":
                return
            if name[0] == "bra":
                at = labels[operands[0]]
            elif name[:2] == ["st", "global"]:
                self.memory[self.address(operands[0])] = self.value(operands[1])
            elif name[0] == "setp":
                a, b = self.value(operands[1]), self.value(operands[2])
                self.registers[operands[0]] = {"ge": a >= b, "eq": a == b, "ne": a != b}[name[1]]
            else:
                self.registers[operands[0]] = self.result(name, operands[1:])


def launch(kernel, memory, arguments, groups=2, threads=3):
    names, labels, code = kernel
    assert len(names) == len(arguments), "parameters"
    for group in range(groups):
        for thread in range(threads):
            Thread(memory, dict(zip(names, arguments)), {
                "%ctaid.x": group, "%nctaid.x": groups, "%tid.x": thread, "%ntid.x": threads}).run(labels, code)


ALL = (1 << 64) - 1


def splitmix(count):
    """The generator's first words, as Steele, Lea and Flood have it, with seed 0."""
    state = 0
    for _ in range(count):
        state = (state + 0x9E3779B97F4A7C15) & ALL
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & ALL
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & ALL
        yield z ^ (z >> 31)


tests = bad = 0


def check(name, good):
    global tests, bad
    tests += 1
    bad += not good
    print("%sok %d - %s" % ("" if good else "not ", tests, name))


def filled(kernels, base, words, start, invert, random):
    memory = {}
    launch(kernels["fill"], memory, [base, words, start, invert, random])
    return memory


def main():
    kernels = parse(sys.stdin.read())
    base, words = 1 << 40, 131
    spots = [base + 8 * i for i in range(words)]
    memory = filled(kernels, base, words, 5, 0, 0)
    check("fill walks one bit through every word, and writes no other", memory == {
        spot: 1 << ((i + 5) % 64) for i, spot in enumerate(spots)})
    memory = filled(kernels, base, words, 0, ALL, 0)
    check("inverted, one zero walks", memory == {spot: ALL ^ (1 << (i % 64)) for i, spot in enumerate(spots)})
    random = list(splitmix(words + 7))
    check("the generator is SplitMix64", random[0] == 0xE220A8397B1DCDAF)
    memory = filled(kernels, base, words, 7, 0, 1)
    check("random words are SplitMix64's", memory == dict(zip(spots, random[7:])))
    report = {8 * i: 0 for i in range(2 + 3 * 8)}
    memory.update(report)
    launch(kernels["check"], memory, [base, words, 7, 0, 1, 0])
    check("check finds nothing wrong with them", memory == dict(zip(spots, random[7:])) | report)
    memory[spots[100]] ^= 1 << 63 | 1
    memory[spots[3]] ^= 1 << 20
    launch(kernels["check"], memory, [base, words, 7, 0, 1, 0])
    found = {memory[16 + 24 * i]: (memory[24 + 24 * i], memory[32 + 24 * i]) for i in range(2)}
    check("two wrong words are counted, with all wrong bits", (memory[0], memory[8]) == (2, 1 << 63 | 1 | 1 << 20))
    check("and told: address, expected, found", found == {
        spots[i]: (random[i + 7], memory[spots[i]]) for i in (3, 100)})
    memory = filled(kernels, base, words, 0, ALL, 0) | report
    launch(kernels["check"], memory, [base, words, 0, 0, 0, 0])
    check("of many the first 8 are told, all are counted", memory[0] == words and memory[8] == ALL and
          len(memory) == words + len(report))
    rounds, expected = 20, 0
    for chain in range(8):
        x = from_float(0.125 + chain * 0.0625)
        for _ in range(rounds):
            x = fma(fma(x ^ 0x80000000, x, x), from_float(3.984375), 0)
        expected ^= x
    memory = {0: 0}
    launch(kernels["fma"], memory, [0, rounds, expected])
    check("fma has the host's result in every thread", memory == {0: 0})
    launch(kernels["fma"], memory, [0, rounds, expected ^ 1])
    check("and counts the threads that have another", memory == {0: 6})
    print("1..%d" % tests)
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
