import { parseArgs } from "node:util";

export interface Selection<T> {
  readonly quick: boolean;
  readonly write: boolean;
  /** In the order of the list. */
  readonly scenarios: readonly T[];
}

const FORM = {
  options: { quick: { type: "boolean", default: false }, write: { type: "boolean", default: false } },
  allowPositionals: true,
} as const;

/**
 * Reads `pnpm bench [--quick] [--write] [NAME...]`; without a name, all of them.
 *
 * @throws Error that says what would do.
 */
export function select<T extends { readonly name: string; readonly onlyFull?: true }>(
  args: readonly string[],
  all: readonly T[],
): Selection<T> {
  const { values, positionals } = parseArgs({ args: [...args], ...FORM });
  const unknown = positionals.find((name) => all.every((scenario) => scenario.name !== name));
  if (unknown !== undefined)
    throw new Error(`There is no scenario ${unknown}; there are ${all.map(({ name }) => name).join(", ")}.`);
  // A page of figures from several days would compare what was never side by side.
  if (values.write && positionals.length > 0)
    throw new Error("--write takes all scenarios: leave the names out.");
  if (values.write && values.quick) throw new Error("--write takes a whole run: leave --quick out.");
  const scenarios = all.filter(({ name, onlyFull }) =>
    positionals.length === 0 ? !(values.quick && onlyFull) : positionals.includes(name),
  );
  return { ...values, scenarios };
}
