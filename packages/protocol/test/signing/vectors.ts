import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

/** A case in vectors/signed-urls.json. */
export interface SignedUrlCase {
  readonly name: string;
  readonly signing_secret: string;
  readonly pairs: readonly (readonly [name: string, value: string])[];
  readonly query: string;
  readonly canonical: string;
  readonly string_to_sign: string;
  readonly signature: string;
}

/** A case in vectors/webhooks.json. */
export interface WebhookCase {
  readonly name: string;
  readonly signing_secret: string;
  readonly id: string;
  readonly timestamp: string;
  readonly body_base64: string;
  readonly body?: string;
  readonly signature: string;
  readonly standard_signature: string;
}

export const SIGNED_URLS = read("signed-urls") as readonly SignedUrlCase[];
export const WEBHOOKS = read("webhooks") as readonly WebhookCase[];

/** Reads the vectors through the package's exports. */
function read(name: string): readonly unknown[] {
  const path = createRequire(import.meta.url).resolve(`@snap/protocol/vectors/${name}.json`);
  return (JSON.parse(readFileSync(path, "utf8")) as { cases: unknown[] }).cases;
}
