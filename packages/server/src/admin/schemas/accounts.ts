import type {
  AdminAccount,
  AdminAccountDetails,
  AdminDeletedAccount,
  AdminDeletionPreview,
} from "@snap/protocol";
import * as z from "zod";
import { usageReport } from "../../openapi/schemas.ts";
import { count, instant, optionalInstant } from "./lists.ts";
import { token } from "./tokens.ts";

const fields = z.object({
  id: z.string().meta({ example: "acct_0123456789abcdef0123" }),
  email: z.string().meta({ example: "ada@example.com" }),
  verified_at: optionalInstant,
  plan: z.string().nullable().meta({ description: "Slug of the plan.", example: "starter" }),
  credits_per_period: count.nullable().meta({ description: "Overrides the plan's credits per period." }),
  requests_per_minute: count.nullable().meta({ description: "Overrides the plan's render limit." }),
  created_at: instant,
  suspended_at: optionalInstant,
  deletion_started_at: optionalInstant,
});

export const account: z.ZodType<AdminAccount> = fields.meta({ id: "Account" });

export const accountDetails: z.ZodType<AdminAccountDetails> = fields
  .extend({ usage: usageReport, tokens: z.array(token) })
  .meta({ id: "AccountDetails", description: "An account with its credits and its tokens." });

const deleted = z
  .object({
    deleted: z.literal(true),
    id: z.string(),
    tokens: count,
    batches: count,
    documents: count,
    renderings: count,
    requests: count,
    journal_entries: count.nullable().meta({ description: "Null if the journal was not deleted." }),
  })
  .meta({ id: "DeletedAccount", description: "What was deleted with the account." });

const preview = z
  .object({ deleted: z.literal(false), id: z.string(), token_ids: z.array(count), purge: z.boolean() })
  .meta({
    id: "DeletionPreview",
    description: "What would be deleted of an account that is already deleted: its remaining journal.",
  });

export const deletion: z.ZodType<AdminDeletedAccount | AdminDeletionPreview> = z.union([
  deleted,
  fields.extend(preview.shape).meta({ id: "AccountDeletionPreview" }),
  preview,
]);
