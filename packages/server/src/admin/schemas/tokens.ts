import type {
  AdminMintedToken,
  AdminRevealedToken,
  AdminRevokedToken,
  AdminRevokedTokens,
  AdminToken,
} from "@snap/protocol";
import * as z from "zod";
import { instant, optionalInstant } from "./lists.ts";

const fields = z.object({
  id: z.int().meta({ description: "The number before the pipe in the token.", example: 7 }),
  account_id: z.string(),
  name: z.string().nullable().meta({ description: "What the token is for.", example: "the shop" }),
  abilities: z.array(z.enum(["screenshot", "pdf"])),
  created_at: instant,
  expires_at: optionalInstant,
  rotated_at: optionalInstant,
  overlap_ends_at: optionalInstant.meta({
    description: "When the previous credentials stop working; null if none still work.",
  }),
  last_used_at: optionalInstant.meta({ description: "Precise to the hour." }),
});

const signingSecret = z.string().meta({ description: "Signs URLs and webhooks." });

export const token: z.ZodType<AdminToken> = fields.meta({ id: "Token" });

export const mintedToken: z.ZodType<AdminMintedToken> = fields
  .extend({
    token: z.string().meta({ description: "The bearer token; it is not shown again." }),
    signing_secret: signingSecret,
  })
  .meta({ id: "MintedToken" });

export const revealedToken: z.ZodType<AdminRevealedToken> = fields
  .extend({ signing_secret: signingSecret })
  .meta({ id: "RevealedToken" });

export const revokedToken: z.ZodType<AdminRevokedToken> = z
  .object({ id: z.int(), revoked: z.literal(true) })
  .meta({ id: "RevokedToken" });

export const revokedTokens: z.ZodType<AdminRevokedTokens> = z
  .object({ ids: z.array(z.int()), revoked: z.literal(true) })
  .meta({ id: "RevokedTokens" });
