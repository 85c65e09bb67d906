import type { S3StoreOptions } from "@snap/engine";
import { isMetadataAddress, messageOf } from "@snap/engine/internals";
import { isObjectKey } from "@snap/protocol";
import { readFileSync } from "node:fs";
import { isIPv4 } from "node:net";
import { dirname, resolve } from "node:path";
import * as z from "zod";
import { origin } from "./fields.ts";
import { readSecret } from "./read-secret.ts";

const STORES_MAX = 100;
export const STORE_NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;
const EXAMPLE =
  '{"archive":{"endpoint":"...","region":"...","bucket":"...","accessKeyId":"...","secretAccessKeyFile":"..."}}';

/** A store of `SNAP_STORES_FILE`. */
export interface StoreSettings extends Pick<
  S3StoreOptions,
  "endpoint" | "region" | "bucket" | "prefix" | "accessKeyId" | "secretAccessKey" | "addressing"
> {
  /** What callers send in `storeTo`. */
  readonly name: string;
  /** Accounts that can use it; all if absent. */
  readonly accounts?: readonly string[] | undefined;
}

const printable = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/, { error: "must be 1 to 200 printable ASCII characters without spaces" });

const store = z
  .strictObject({
    endpoint: origin().refine((text) => !isMetadataAddress(URL.parse(text)?.hostname ?? ""), {
      error: "must not be a link-local address or that of a cloud's metadata service",
    }),
    region: z
      .string()
      .regex(/^[a-z0-9-]{1,50}$/, { error: "must be a region such as eu-central-1, or auto" }),
    bucket: z.string().regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, {
      error:
        "must be a bucket's name: 3 to 63 lowercase letters, digits, hyphens and dots, with a " +
        "letter or digit at either end",
    }),
    prefix: z
      .string()
      .max(100)
      .refine((text) => /^[\x20-\x7e]+$/.test(text) && isObjectKey(text), {
        error: "must be a path such as renderings/2026, without a slash at either end",
      })
      .optional(),
    accessKeyId: printable,
    secretAccessKey: printable.optional(),
    secretAccessKeyFile: z.string().min(1).optional(),
    addressing: z.enum(["path", "virtual"], { error: "must be path or virtual" }).optional(),
    accounts: z.array(z.string().min(1)).min(1, { error: "must contain at least one account id" }).optional(),
  })
  .refine(
    ({ secretAccessKey, secretAccessKeyFile }) =>
      (secretAccessKey === undefined) !== (secretAccessKeyFile === undefined),
    {
      error: "must have either secretAccessKey or secretAccessKeyFile",
    },
  )
  .refine(({ addressing, endpoint }) => addressing !== "virtual" || !isAddress(endpoint), {
    path: ["addressing"],
    error: "must be path, because the endpoint is an IP address, which has no subdomains",
  });

function isAddress(endpoint: string): boolean {
  const { hostname } = new URL(endpoint);
  return hostname.startsWith("[") || isIPv4(hostname);
}

const stores = z
  .record(z.string(), store, { error: "must be an object with a store under each name" })
  .refine((value) => Object.keys(value).length <= STORES_MAX, {
    error: `must have at most ${STORES_MAX} stores`,
  });

/** A JSON file that names object stores. A `secretAccessKeyFile` is relative to it. */
export function storesFile(): z.ZodType<readonly StoreSettings[]> {
  return z.string().transform((file, context) => {
    try {
      return Object.entries(readStores(file)).map(([name, settings]) =>
        toSettings(name, settings, dirname(file)),
      );
    } catch (error) {
      context.addIssue(messageOf(error));
      return z.NEVER;
    }
  });
}

function readStores(file: string): z.output<typeof stores> {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    // a syntax error quotes the text, which can contain a key
    const reason = error instanceof SyntaxError ? "it is not valid JSON" : messageOf(error);
    throw new Error(`must be a JSON file like ${EXAMPLE}: ${reason}`, { cause: error });
  }
  // zod drops the key __proto__ without an issue
  const misnamed = Object.keys(Object(value)).find((name) => !STORE_NAME.test(name));
  if (misnamed !== undefined)
    throw new Error(
      `store ${JSON.stringify(misnamed)}: the name must be 1 to 63 lowercase letters, digits and ` +
        "hyphens, not starting with a hyphen",
    );
  const result = stores.safeParse(value);
  if (result.success) return result.data;
  throw new Error(result.error.issues.map(describeIssue).join("; "));
}

function describeIssue({ path: [name, ...rest], message }: z.core.$ZodIssue): string {
  if (name === undefined) return message;
  return [`store ${String(name)}:`, ...rest.map(String), message].join(" ");
}

function toSettings(
  name: string,
  { secretAccessKeyFile, secretAccessKey, ...settings }: z.output<typeof store>,
  directory: string,
): StoreSettings {
  const key = secretAccessKey ?? readKey(name, resolve(directory, secretAccessKeyFile ?? ""));
  return { ...settings, name, secretAccessKey: key };
}

function readKey(name: string, file: string): string {
  const secret = readSecret(file);
  if ("problem" in secret) throw new Error(`store ${name}: secretAccessKeyFile ${file} ${secret.problem}`);
  const [issue] = printable.safeParse(secret.value).error?.issues ?? [];
  if (issue !== undefined) throw new Error(`store ${name}: secretAccessKeyFile ${file} ${issue.message}`);
  return secret.value;
}
