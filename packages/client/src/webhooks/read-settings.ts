import { LIMITS } from "@snap/protocol";
import { WebhookError } from "./webhook-error.ts";

/** The signing secret of the token that submits the batches; several of them while it is rotated. */
export type WebhookSecrets = string | readonly string[];

/** How deliveries are verified; checked once. */
export interface WebhookSettings {
  readonly secrets: readonly string[];
  readonly toleranceSeconds: number;
}

/** Refuses what would verify nothing: a missing or empty secret, a tolerance without an end. */
export function readSettings(
  secret: WebhookSecrets,
  toleranceSeconds: number = LIMITS.webhookToleranceSeconds,
): WebhookSettings {
  const secrets: readonly unknown[] = Array.isArray(secret) ? secret : [secret];
  if (secrets.length === 0 || !secrets.every(isSecret))
    throw new WebhookError(
      "misconfigured",
      "A signing secret is needed, or a list of them, none empty. Is the environment variable set?",
    );
  if (!Number.isFinite(toleranceSeconds) || toleranceSeconds < 0)
    throw new WebhookError(
      "misconfigured",
      "toleranceSeconds must be a finite number of seconds, 0 or more.",
    );
  return { secrets, toleranceSeconds };
}

function isSecret(secret: unknown): secret is string {
  return typeof secret === "string" && secret !== "";
}
