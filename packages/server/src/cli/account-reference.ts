import type { Command } from "commander";
import { withOperations } from "./admin.ts";
import { UsageError } from "./errors.ts";

/** Arguments and options with this name take an account. */
const NAME = "account";

/**
 * Replaces an email address with the id of its account in each `<account>` argument and the `--account` option, so
 * every command accepts both.
 *
 * @throws UsageError if the reference is empty; AdminError if no account has the address.
 */
export function resolveAccounts(command: Command): Promise<void> | void {
  const { registeredArguments, processedArgs } = command;
  const positions = [...registeredArguments.keys()].filter(
    (index) => registeredArguments[index]?.name() === NAME && isEmail(processedArgs[index]),
  );
  const option: unknown = command.getOptionValue(NAME);
  const isEmpty = registeredArguments.some(
    (argument, index) => argument.name() === NAME && processedArgs[index] === "",
  );
  if (isEmpty || option === "") throw new UsageError("no account is named", "pass its id or email address");
  if (positions.length === 0 && !isEmail(option)) return;
  return withOperations(async ({ operations: { accounts } }) => {
    const idOf = async (email: string): Promise<string> => (await accounts.getByEmail(email)).id;
    for (const index of positions) processedArgs[index] = await idOf(String(processedArgs[index]));
    if (isEmail(option)) command.setOptionValueWithSource(NAME, await idOf(option), "cli");
  });
}

/** Ids contain no `@`. */
function isEmail(value: unknown): value is string {
  return typeof value === "string" && value.includes("@");
}
