/** A rule of a container engine's seccomp profile, limited to the fields that our profile uses. */
export interface SeccompRule {
  readonly comment: string;
  readonly names: readonly string[];
  readonly action: string;
  /** At most one condition. It compares an argument's lower half, which holds a whole `int`. */
  readonly args?: readonly SeccompCondition[];
}

interface SeccompCondition {
  readonly index: number;
  /** The expected argument or, for a masked comparison, the mask. */
  readonly value: number;
  /** For a masked comparison, the expected value of the masked argument. */
  readonly valueTwo?: number;
  readonly op: string;
}

export interface SeccompProfile {
  readonly defaultAction: string;
  readonly defaultErrnoRet: number;
  readonly archMap: readonly {
    readonly architecture: string;
    readonly subArchitectures: readonly string[];
  }[];
  readonly syscalls: readonly SeccompRule[];
}

/** Constants from linux/audit.h, by Node's names for the architectures. */
const AUDIT_ARCHITECTURES: Readonly<Record<string, number>> = { x64: 0xc000003e, arm64: 0xc00000b7 };

/** Offsets in `struct seccomp_data` (linux/seccomp.h). */
const OFFSETS = { number: 0, architecture: 4, arguments: 16, argumentBytes: 8 };

/** Instructions from linux/bpf_common.h. */
const LOAD = 0x20;
const AND = 0x54;
const JUMP_IF_EQUAL = 0x15;
const RETURN = 0x06;

/** Return values of a filter (linux/seccomp.h). */
const KILL = 0x80000000;
const ALLOW = 0x7fff0000;
const ERRNO = 0x00050000;

type Instruction = readonly [code: number, operand: number, skipIfTrue?: number, skipIfFalse?: number];

/**
 * Compiles a profile to a BPF program for one architecture.
 *
 * @param numberOf Returns the number of a system call, negative if the architecture does not have it.
 * @returns A sequence of `struct sock_filter`, the format of `bwrap --seccomp`.
 * @throws Error when the profile uses an unsupported feature.
 */
export function compileSeccomp(
  profile: SeccompProfile,
  { architecture, numberOf }: { architecture: string; numberOf: (name: string) => number },
): Buffer {
  const audited = AUDIT_ARCHITECTURES[architecture];
  if (audited === undefined) throw new Error(`unsupported architecture: ${architecture}`);
  if (profile.defaultAction !== "SCMP_ACT_ERRNO")
    throw new Error(`unsupported default action: ${profile.defaultAction}`);
  const rules: Instruction[] = [];
  for (const rule of profile.syscalls) {
    const allow = allowInstructions(rule);
    const numbers = rule.names.map(numberOf).filter((number) => number >= 0);
    for (const number of numbers) rules.push([JUMP_IF_EQUAL, number, 0, allow.length], ...allow);
  }
  return encode([
    [LOAD, OFFSETS.architecture],
    [JUMP_IF_EQUAL, audited, 1, 0],
    [RETURN, KILL],
    [LOAD, OFFSETS.number],
    ...rules,
    [RETURN, ERRNO | profile.defaultErrnoRet],
  ]);
}

/** Instructions for a matching call number. If the condition fails, they reload the number and fall through. */
function allowInstructions({ action, args = [] }: SeccompRule): Instruction[] {
  const [condition, ...others] = args;
  if (action !== "SCMP_ACT_ALLOW" || others.length > 0)
    throw new Error("unsupported rule: only SCMP_ACT_ALLOW with at most one condition");
  if (condition === undefined) return [[RETURN, ALLOW]];
  const { op, index, value, valueTwo = 0 } = condition;
  const masked = op === "SCMP_CMP_MASKED_EQ";
  if (!masked && op !== "SCMP_CMP_EQ") throw new Error(`unsupported operator: ${op}`);
  return [
    [LOAD, OFFSETS.arguments + index * OFFSETS.argumentBytes],
    ...(masked ? [[AND, value] as const] : []),
    [JUMP_IF_EQUAL, masked ? valueTwo : value, 0, 1],
    [RETURN, ALLOW],
    [LOAD, OFFSETS.number],
  ];
}

function encode(instructions: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(instructions.length * 8);
  for (const [index, [code, operand, skipIfTrue = 0, skipIfFalse = 0]] of instructions.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(skipIfTrue, index * 8 + 2);
    bytes.writeUInt8(skipIfFalse, index * 8 + 3);
    bytes.writeUInt32LE(operand >>> 0, index * 8 + 4);
  }
  return bytes;
}
