import { AdminError, type Engine } from "@snap/engine";

/** What the engine methods have changed so far. */
export interface Changes {
  made: boolean;
  /** Kinds and ids, such as `token 7`. */
  readonly subjects: Set<string>;
}

/** Methods that change nothing. Every other method counts as a change, so a new one is never forgotten. */
const READ_METHODS: ReadonlySet<string> = new Set([
  "accounts.get",
  "accounts.getByEmail",
  "accounts.list",
  "accounts.page",
  "accounts.previewDeletion",
  "audit.list",
  "batches.attemptPage",
  "batches.attempts",
  "batches.get",
  "batches.inspect",
  "batches.list",
  "batches.page",
  "batches.stats",
  "cacheStats",
  "clockSkews",
  "close",
  "credits",
  "documents.find",
  "health",
  "history.activity",
  "history.failures",
  "history.find",
  "history.page",
  "history.rendering",
  "history.usage",
  "lastBackupAt",
  "load",
  "operators.findSession",
  "servers",
  "tokens.checkSecretKey",
  "tokens.get",
  "tokens.list",
  "usage",
  "verifyLedger",
]);

/** Subjects of calls that change something without an id. */
const SUBJECTS: Readonly<Record<string, string>> = {
  "operators.signOutAll": "all sessions",
  purgeRenderings: "all renderings",
};

/**
 * Returns the engine with methods that record what they change; each of these returns a promise, even if the engine's
 * does not. Revealing a secret or signing with it counts as a change, because it can lead to a leak.
 *
 * @param subjects Subjects that have already changed.
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
        if (READ_METHODS.has(path)) return member;
        if (typeof member === "object" && member !== null) return watch(member, `${path}.`);
        if (typeof member !== "function") return member;
        return (...args: readonly unknown[]) =>
          recordChange(changes, { path, args, call: () => Reflect.apply(member, target, args) as unknown });
      },
    });
  return { watched: watch(engine, ""), changes };
}

/** Records the change that a call makes. A failed call counts as a change, unless it fails with an `AdminError`. */
async function recordChange(
  changes: Changes,
  {
    path,
    args,
    call,
  }: { readonly path: string; readonly args: readonly unknown[]; readonly call: () => unknown },
): Promise<unknown> {
  const record = (values: readonly unknown[]): void => {
    changes.made = true;
    const isToken = path.startsWith("tokens.") || path === "batches.testWebhook";
    const found = values.flatMap((value) => findSubjects(value, { isToken }));
    const fixedSubject = SUBJECTS[path];
    if (found.length === 0 && fixedSubject !== undefined) found.push(fixedSubject);
    for (const subject of found) changes.subjects.add(subject);
  };
  const mayChange = !isDryRun(args);
  try {
    const result = await call();
    // `null`: there was nothing to change, for example because a sign-in code was wrong
    if (mayChange && result !== null) record([...args, result]);
    return result;
  } catch (error) {
    if (mayChange && !(error instanceof AdminError)) record(args);
    throw error;
  }
}

function isDryRun(args: readonly unknown[]): boolean {
  return args.some(
    (arg) => typeof arg === "object" && arg !== null && "dryRun" in arg && arg.dryRun === true,
  );
}

/** Matches only ids, because an argument may also be a secret or an email address. */
const ID_KINDS = [
  [/^acct_\w+$/, "account"],
  [/^batch_\w+$/, "batch"],
] as const;

/** Members with an id, or with an object that has one. Others may contain text from callers, such as a batch's items. */
const ID_MEMBERS: ReadonlySet<string> = new Set(["id", "accountId", "account", "record"]);

/** Finds ids in an argument or a result. With `isToken`, a number is a token id. */
function findSubjects(value: unknown, { isToken }: { readonly isToken: boolean }): readonly string[] {
  if (typeof value === "string")
    return ID_KINDS.flatMap(([form, kind]) => (form.test(value) ? [`${kind} ${value}`] : []));
  if (typeof value === "number") return isToken ? [`token ${value}`] : [];
  if (Array.isArray(value)) return value.flatMap((item) => findSubjects(item, { isToken }));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    ID_MEMBERS.has(name) ? findSubjects(member, { isToken }) : [],
  );
}
