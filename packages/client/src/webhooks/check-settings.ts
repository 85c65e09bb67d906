import { LIMITS } from "@snap/protocol";
import { WebhookError } from "./webhook-error.ts";

/** The signing secret of the token that submits the batches, or several during a rotation. */
export type WebhookSecrets = string | readonly string[];

/** Checked settings for verifying deliveries. */
export interface WebhookSettings {
  readonly secrets: readonly string[];
  readonly toleranceSeconds: number;
}

/** Throws if a secret is missing or empty, or if the tolerance is negative or not finite. */
export function checkSettings(
  secret: WebhookSecrets,
  toleranceSeconds: number = LIMITS.webhookToleranceSeconds,
): WebhookSettings {
  const secrets: readonly unknown[] = Array.isArray(secret) ? secret : [secret];
  if (secrets.length === 0 || !secrets.every(isSecret))
    throw new WebhookError(
      "misconfigured",
      "The signing secret is missing or empty; pass one secret or a list. Is the environment variable set?",
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
