"""Compiles a container engine's seccomp profile with libseccomp, as the engines do, for this machine's architecture.

Reads the profile from the first file, and writes a BPF program, the format of `bwrap --seccomp`, to the second. Fails if
the profile names a call that does not exist, or uses an action or an operator other than these.
"""

import json
import sys

from seccomp import ALLOW, EQ, ERRNO, MASKED_EQ, Arg, SyscallFilter

ACTIONS = {"SCMP_ACT_ALLOW": ALLOW}
OPERATORS = {"SCMP_CMP_EQ": EQ, "SCMP_CMP_MASKED_EQ": MASKED_EQ}

with open(sys.argv[1]) as file:
    profile = json.load(file)
assert profile["defaultAction"] == "SCMP_ACT_ERRNO"
program = SyscallFilter(ERRNO(profile["defaultErrnoRet"]))
for rule in profile["syscalls"]:
    conditions = [
        Arg(arg["index"], OPERATORS[arg["op"]], arg["value"], arg.get("valueTwo", 0)) for arg in rule.get("args", [])
    ]
    for name in rule["names"]:
        program.add_rule(ACTIONS[rule["action"]], name, *conditions)
with open(sys.argv[2], "wb") as file:
    program.export_bpf(file)
