import {
  ABILITIES,
  EMAIL_CHARACTERS_MAX,
  EMAIL_PATTERN,
  isTokenName,
  OVERLAP_MAX_MS,
  OVERRIDE_MAX,
} from "@snap/engine/internals";
import * as z from "zod";
import { flag, id, integer, oneOf, paging, text } from "../requests/fields.ts";

/*
 * The inputs of the admin API's operations, which the commands also use.
 */

/** Longest lifetime that a token can be given: ten years. By default, it does not expire. */
export const EXPIRY_MAX_SECONDS = 3650 * 86_400;
const OVERLAP_MAX_SECONDS = OVERLAP_MAX_MS / 1000;

const email = z
  .email({ pattern: EMAIL_PATTERN, error: "must be an email address" })
  .max(EMAIL_CHARACTERS_MAX, { error: `must have at most ${EMAIL_CHARACTERS_MAX} characters` })
  .meta({ description: "Email address of the account.", example: "ada@example.com" });
const plan = text({ max: 64 })
  .nullable()
  .meta({ description: "Slug of the plan; null for no plan.", example: "starter" });
const creditsPerPeriod = integer({ min: 0, max: OVERRIDE_MAX })
  .nullable()
  .meta({ description: "Overrides the plan's credits per period; null uses the plan's." });
const requestsPerMinute = integer({ min: 1, max: OVERRIDE_MAX })
  .nullable()
  .meta({ description: "Overrides the plan's render limit; null uses the plan's." });

export const newAccount = z
  .strictObject({
    email,
    plan: plan.optional(),
    credits_per_period: creditsPerPeriod.optional(),
    requests_per_minute: requestsPerMinute.optional(),
    verified: flag().default(true).meta({ description: "Whether the email address is already verified." }),
  })
  .meta({ id: "NewAccount" });

export const accountChange = z
  .strictObject({
    email: email.optional(),
    plan: plan.optional(),
    credits_per_period: creditsPerPeriod.optional(),
    requests_per_minute: requestsPerMinute.optional(),
  })
  .meta({ id: "AccountChange", description: "Absent fields stay unchanged." });

export const accountFilter = z.strictObject({
  ...paging,
  email: text({ max: 320 })
    .optional()
    .meta({ description: "Only accounts whose email address contains this text." }),
  plan: text({ max: 64 })
    .optional()
    .meta({ description: "Only accounts with this plan; `none` selects accounts without a plan." }),
  verified: flag()
    .optional()
    .meta({ description: "Only accounts whose email address is, or is not, verified." }),
});

export const accountDeletion = z.strictObject({
  purge: flag().default(false).meta({ description: "Also delete the account's journal." }),
  dry_run: flag().default(false).meta({ description: "Delete nothing; return what would be deleted." }),
});

const TOKEN_NAME = "must be a string of 1 to 100 characters, none of them invisible";

export const newToken = z
  .strictObject({
    account_id: id().meta({ description: "Id of the account." }),
    // not `text`, which counts UTF-16 code units
    name: z
      .string({ error: TOKEN_NAME })
      .refine(isTokenName, { error: TOKEN_NAME })
      .optional()
      .meta({ description: "What the token is for.", example: "the shop", minLength: 1, maxLength: 100 }),
    abilities: z
      .array(oneOf(...(ABILITIES as readonly ["screenshot", "pdf"])), {
        error: "must be an array of screenshot, pdf or both",
      })
      .min(1, { error: "must contain screenshot, pdf or both" })
      .optional()
      .meta({ description: "What the token may render; both by default." }),
    expires_in_seconds: integer({ min: 1, max: EXPIRY_MAX_SECONDS })
      .optional()
      .meta({ description: "Lifetime of the token; by default, it does not expire." }),
  })
  .meta({ id: "NewToken" });

export const tokenRotation = z
  .strictObject({
    overlap_seconds: integer({ min: 0, max: OVERLAP_MAX_SECONDS })
      .default(0)
      .meta({ description: "How long the previous credentials still work." }),
  })
  .meta({ id: "TokenRotation" });

export const batchFilter = z.strictObject({
  ...paging,
  account: id().optional().meta({ description: "Only batches of the account with this id." }),
  finished: flag().optional().meta({ description: "Only batches that are, or are not, complete." }),
  delivery: oneOf("due", "sending", "delivered", "abandoned")
    .optional()
    .meta({ description: "Only batches whose webhook has this status." }),
});

export type NewAccountInput = z.input<typeof newAccount>;
export type AccountChangeInput = z.input<typeof accountChange>;
export type AccountQuery = z.input<typeof accountFilter>;
export type AccountDeletion = z.input<typeof accountDeletion>;
export type NewTokenInput = z.input<typeof newToken>;
export type TokenRotation = z.input<typeof tokenRotation>;
export type BatchQuery = z.input<typeof batchFilter>;
