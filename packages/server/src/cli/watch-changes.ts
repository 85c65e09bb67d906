import { AdminError, type Engine } from "@snap/engine";

/** What the methods of the engine that were called have changed so far. */
export interface Changes {
  made: boolean;
  /** Kinds and ids, such as `token 7`. */
  readonly subjects: Set<string>;
}

/** The methods that change nothing. Every other one counts as a change, so that a new one is not forgotten. */
const READS: ReadonlySet<string> = new Set([
  "accounts.get",
  "accounts.getByEmail",
  "accounts.list",
  "accounts.page",
  "accounts.previewDeletion",
  "audit.list",
  "batches.inspect",
  "batches.page",
  "cacheStats",
  "clockSkews",
  "close",
  "credits",
  "health",
  "lastBackupAt",
  "load",
  "servers",
  "tokens.checkSecretKey",
  "tokens.get",
  "tokens.list",
  "usage",
  "verifyLedger",
]);

/**
 * Returns the engine with methods that note what they change. A method that shows a secret counts as a change, because a
 * leak can start with it.
 *
 * @param subjects What has changed already.
 */
export function watchChanges(
  engine: Engine,
  subjects: readonly string[] = [],
): { readonly watched: Engine; readonly changes: Changes } {
  const changes: Changes = { made: subjects.length > 0, subjects: new Set(subjects) };
  const watch = <T extends object>(part: T, prefix: string): T =>
    new Proxy(part, {
      get(target, name, receiver) {
        const member: unknown = Reflect.get(target, name, receiver);
        const path = `${prefix}${String(name)}`;
        if (typeof member === "object" && member !== null) return watch(member, `${path}.`);
        if (typeof member !== "function" || READS.has(path)) return member;
        return (...args: readonly unknown[]) =>
          noteChange(changes, { path, args, call: () => Reflect.apply(member, target, args) as unknown });
      },
    });
  return { watched: watch(engine, ""), changes };
}

/** A call that failed may have changed something too, unless it was rejected. */
async function noteChange(
  changes: Changes,
  {
    path,
    args,
    call,
  }: { readonly path: string; readonly args: readonly unknown[]; readonly call: () => unknown },
): Promise<unknown> {
  const note = (values: readonly unknown[]): void => {
    changes.made = true;
    for (const subject of values.flatMap((value) =>
      subjectsOf(value, { isToken: path.startsWith("tokens.") }),
    ))
      changes.subjects.add(subject);
  };
  try {
    const result = await call();
    if (!isDryRun(args)) note([...args, result]);
    return result;
  } catch (error) {
    if (!(error instanceof AdminError)) note(args);
    throw error;
  }
}

function isDryRun(args: readonly unknown[]): boolean {
  return args.some(
    (arg) => typeof arg === "object" && arg !== null && "dryRun" in arg && arg.dryRun === true,
  );
}

/** Only what has the form of an id: an argument may also be a secret or an email address. */
const ID_KINDS = [
  [/^acct_\w+$/, "account"],
  [/^batch_\w+$/, "batch"],
] as const;

/** Finds ids in an argument or a result. `isToken`: a number is the id of a token. */
function subjectsOf(value: unknown, { isToken }: { readonly isToken: boolean }): readonly string[] {
  if (typeof value === "string")
    return ID_KINDS.flatMap(([form, kind]) => (form.test(value) ? [`${kind} ${value}`] : []));
  if (typeof value === "number") return isToken ? [`token ${value}`] : [];
  if (Array.isArray(value)) return value.flatMap((one) => subjectsOf(one, { isToken }));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    typeof member === "number" && name !== "id" ? [] : subjectsOf(member, { isToken }),
  );
}
