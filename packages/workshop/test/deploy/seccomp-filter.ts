/** A rule of a container engine's seccomp profile, in the form that ours uses. */
export interface SeccompRule {
  readonly comment: string;
  readonly names: readonly string[];
  readonly action: string;
  /** At most one condition; it looks at an argument's lower half, which is all of an `int`. */
  readonly args?: readonly SeccompCondition[];
}

interface SeccompCondition {
  readonly index: number;
  /** What the argument must equal or, with a mask, the mask. */
  readonly value: number;
  /** With a mask: what must be left of the argument under it. */
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

/** linux/audit.h, by the names that Node has for them. */
const AUDIT_ARCHITECTURES: Readonly<Record<string, number>> = { x64: 0xc000003e, arm64: 0xc00000b7 };

/** Where linux/seccomp.h puts the facts that a filter sees. */
const FACTS = { number: 0, architecture: 4, arguments: 16, argumentBytes: 8 };

/** linux/bpf_common.h: the four instructions that are needed. */
const LOAD = 0x20;
const AND = 0x54;
const JUMP_IF_EQUAL = 0x15;
const RETURN = 0x06;

/** linux/seccomp.h: what a filter answers. */
const KILL = 0x80000000;
const ALLOW = 0x7fff0000;
const ERRNO = 0x00050000;

type Instruction = readonly [code: number, operand: number, skipIfTrue?: number, skipIfFalse?: number];

/**
 * Compiles a profile to what the kernel takes, for the machine's own architecture.
 *
 * @param numberOf The number of a system call here, negative where the architecture has none of that name.
 * @returns `struct sock_filter`s one after another, as `bwrap --seccomp` reads them.
 * @throws Error when the profile uses what is not provided for.
 */
export function compileSeccomp(
  profile: SeccompProfile,
  { architecture, numberOf }: { architecture: string; numberOf: (name: string) => number },
): Buffer {
  const audited = AUDIT_ARCHITECTURES[architecture];
  if (audited === undefined) throw new Error(`no filter can be made for ${architecture}`);
  if (profile.defaultAction !== "SCMP_ACT_ERRNO")
    throw new Error(`${profile.defaultAction} is not known here`);
  const rules: Instruction[] = [];
  for (const rule of profile.syscalls) {
    const allow = allowInstructions(rule);
    const numbers = rule.names.map(numberOf).filter((number) => number >= 0);
    for (const number of numbers) rules.push([JUMP_IF_EQUAL, number, 0, allow.length], ...allow);
  }
  return encode([
    [LOAD, FACTS.architecture],
    [JUMP_IF_EQUAL, audited, 1, 0],
    [RETURN, KILL],
    [LOAD, FACTS.number],
    ...rules,
    [RETURN, ERRNO | profile.defaultErrnoRet],
  ]);
}

/** What follows once the number is the right one; falls through, with the number loaded, where the condition fails. */
function allowInstructions({ action, args = [] }: SeccompRule): Instruction[] {
  const [condition, ...others] = args;
  if (action !== "SCMP_ACT_ALLOW" || others.length > 0)
    throw new Error("a rule allows, on one condition at most");
  if (condition === undefined) return [[RETURN, ALLOW]];
  const { op, index, value, valueTwo = 0 } = condition;
  const masked = op === "SCMP_CMP_MASKED_EQ";
  if (!masked && op !== "SCMP_CMP_EQ") throw new Error(`${op} is not known here`);
  return [
    [LOAD, FACTS.arguments + index * FACTS.argumentBytes],
    ...(masked ? [[AND, value] as const] : []),
    [JUMP_IF_EQUAL, masked ? valueTwo : value, 0, 1],
    [RETURN, ALLOW],
    [LOAD, FACTS.number],
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
