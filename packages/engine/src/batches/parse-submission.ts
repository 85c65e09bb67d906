import { BATCH_LIMITS, encodeSpaces, ProblemList, URL_MESSAGES, type SnapParameters } from "@snap/protocol";
import { isSnapError, SnapError } from "../errors.ts";
import { objectKeyOf } from "../delivery/object-key.ts";
import { checkStore, type StoreAccess } from "../delivery/stores.ts";
import type { CacheKey } from "../parameters/cache-key.ts";
import { parseItem } from "../parameters/parse.ts";
import { typedValue } from "../parameters/read-query.ts";
import { checkInstalled, type InstalledFeatures } from "../parameters/require-installed.ts";
import { classifySentUrl, classifyTarget, type SentVerdict } from "../targets/target.ts";
import type { TargetPolicy } from "../targets/policy.ts";

/** A valid submission. */
export interface Submission {
  readonly items: readonly SubmittedItem[];
  readonly webhookUrl: string | null;
}

export interface SubmittedItem {
  /** The typed parameters without defaults, for the capture and the signed URL. */
  readonly sent: Readonly<Record<string, unknown>> & { readonly url: string };
  readonly parameters: SnapParameters;
}

/** What the submission is checked against, in addition to the parameter table. */
export interface SubmissionRules extends StoreAccess {
  readonly targets: TargetPolicy;
  readonly renderer: InstalledFeatures;
  readonly cacheKey: CacheKey;
}

/**
 * Validates the body of `POST /renders`. Ignores properties that are `undefined`. A single error rejects the whole
 * submission.
 *
 * @throws SnapError `blocked_host` if every error is a blocked host, `validation_failed` otherwise; both list the
 * errors in `errors`, under keys such as `items.2.quality`, `items` and `webhookUrl`. Only items with valid parameters
 * are checked for blocked hosts, features that are not installed, unknown stores, and duplicates.
 */
export function parseSubmission(document: unknown, rules: SubmissionRules): Submission {
  const { targets } = rules;
  const problems = new ProblemList();
  if (!isRecord(document)) {
    problems.add("body", "must be a JSON object with an items array");
    throw toError(problems);
  }
  for (const [name, value] of Object.entries(document))
    if (name !== "items" && name !== "webhookUrl" && value !== undefined)
      problems.add(name, "is not a batch field; use items and webhookUrl");
  const items = parseItems(document["items"], { ...rules, problems });
  const webhookUrl = parseWebhookUrl(document["webhookUrl"], { problems, targets });
  if (!problems.isEmpty) throw toError(problems);
  return { items, webhookUrl };
}

/** As long as an item's real values, so an object key that is too long is rejected at submission. */
const SAMPLE_FACTS = { id: `item_${"0".repeat(24)}`, requestedAt: 0 };

interface Context extends SubmissionRules {
  readonly problems: ProblemList;
}

function parseItems(value: unknown, context: Context): SubmittedItem[] {
  const { problems, cacheKey } = context;
  if (!Array.isArray(value) || value.length === 0 || value.length > BATCH_LIMITS.items) {
    problems.add("items", `must be an array of 1 to ${BATCH_LIMITS.items} captures`);
    return [];
  }
  const items: SubmittedItem[] = [];
  const seen = new Map<string, number>();
  for (const [index, sent] of value.entries()) {
    if (problems.isFull) break;
    const item = parseOne(sent, `items.${index}`, context);
    if (item === null) continue;
    items.push(item);
    // a different cache lifetime is not a different capture
    const capture = cacheKey({ ...item.parameters, cacheTtl: undefined });
    const first = seen.get(capture);
    if (first === undefined) seen.set(capture, index);
    else problems.add(`items.${index}`, `is the same capture as items.${first}`);
  }
  return items;
}

function parseOne(value: unknown, name: string, context: Context): SubmittedItem | null {
  const { problems, targets, renderer, accountId } = context;
  if (!isRecord(value)) {
    problems.add(name, "must be an object with the parameters of a capture");
    return null;
  }
  const report = (parameter: string, message: string): void => problems.add(`${name}.${parameter}`, message);
  checkCaching(value, report);
  try {
    const { sent, parameters } = parseItem(value);
    checkInstalled(parameters, renderer, report);
    checkStore(parameters, context, report);
    addVerdict(problems, `${name}.url`, classifyTarget(parameters.url, targets));
    if (parameters.storeTo !== undefined) objectKeyOf(parameters, { ...SAMPLE_FACTS, accountId });
    return { sent: { ...sent, url: parameters.url }, parameters };
  } catch (error) {
    if (!isSnapError(error)) throw error;
    problems.addAll(error.errors, `${name}.`);
    return null;
  }
}

/** Renderings are fetched later, so they must be cached. Reports problems in addition to `parseItem`'s. */
function checkCaching(
  item: Readonly<Record<string, unknown>>,
  report: (parameter: string, message: string) => void,
): void {
  if (typedValue("cache", item["cache"]) === false)
    report("cache", "cannot be false in a batch; its renderings are fetched later");
  const cacheTtl = typedValue("cacheTtl", item["cacheTtl"]);
  if (typeof cacheTtl === "number" && cacheTtl < BATCH_LIMITS.cacheTtlMinSeconds)
    report("cacheTtl", `must be at least ${BATCH_LIMITS.cacheTtlMinSeconds} in a batch`);
}

/** Validates and trims with the same rules as `url`. */
function parseWebhookUrl(
  value: unknown,
  { problems, targets }: Pick<Context, "problems" | "targets">,
): string | null {
  if (value === undefined || value === null) return null;
  const url = typeof value === "string" ? value : ""; // anything else is malformed, like an empty string
  addVerdict(problems, "webhookUrl", classifySentUrl(url, targets));
  return encodeSpaces(url);
}

const VERDICT_MESSAGES: Readonly<Record<Exclude<SentVerdict, "ok">, string>> = {
  ...URL_MESSAGES,
  blocked: "must not point to a host or port that the service blocks, such as a private address",
};

function addVerdict(problems: ProblemList, name: string, verdict: SentVerdict): void {
  if (verdict !== "ok") problems.add(name, VERDICT_MESSAGES[verdict]);
}

function toError(problems: ProblemList): SnapError {
  const { message = "", errors = {} } = problems.toFailure() ?? {};
  const areBlocked = Object.values(errors)
    .flat()
    .every((problem) => problem === VERDICT_MESSAGES.blocked);
  return areBlocked
    ? new SnapError(
        "blocked_host",
        "The parameters listed in errors point to hosts or ports that the service blocks, such as private addresses.",
        { errors },
      )
    : new SnapError("validation_failed", message, { errors });
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
