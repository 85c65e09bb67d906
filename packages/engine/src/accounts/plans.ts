import { LIMITS } from "@snap/protocol";
import * as z from "zod";

/** The limits that an account pays for. */
export interface Plan {
  readonly slug: string;
  readonly name: string;
  readonly creditsPerPeriod: number;
  /** The render limit. */
  readonly requestsPerMinute: number;
}

/** The default plans. */
export const BUILT_IN_PLANS: readonly Plan[] = [
  { slug: "starter", name: "Starter", creditsPerPeriod: 1_000, requestsPerMinute: 20 },
  { slug: "growth", name: "Growth", creditsPerPeriod: 10_000, requestsPerMinute: 60 },
  { slug: "scale", name: "Scale", creditsPerPeriod: 100_000, requestsPerMinute: 300 },
];

/** For accounts that pay nothing; allows more than a machine can render. */
export const UNLIMITED_PLAN: Plan = {
  slug: "unlimited",
  name: "Unlimited",
  creditsPerPeriod: 1_000_000_000,
  requestsPerMinute: 1_000_000,
};

/** Adds the unlimited plan to the configured ones, unless one of them redefines it. */
export function availablePlans(configured: readonly Plan[]): readonly Plan[] {
  const isRedefined = configured.some(({ slug }) => slug === UNLIMITED_PLAN.slug);
  return isRedefined ? configured : [...configured, UNLIMITED_PLAN];
}

/** Returns the plan with this slug; `null` if there is none. */
export function findPlan(configured: readonly Plan[], slug: string | null): Plan | null {
  return availablePlans(configured).find((plan) => plan.slug === slug) ?? null;
}

/** Takes the place of a slug in commands and queries. */
const NO_PLAN = "none";

const planListSchema = z
  .array(
    z.strictObject({
      slug: z
        .string()
        .regex(
          /^[a-z0-9][a-z0-9-]{0,63}$/,
          "must be 1 to 64 lowercase letters, digits and hyphens, and not start with a hyphen",
        )
        .refine((slug) => slug !== NO_PLAN, `must not be ${NO_PLAN}, which stands for no plan`),
      name: z.string().min(1).max(100),
      creditsPerPeriod: z.int().min(0).max(1_000_000_000),
      requestsPerMinute: z
        .int()
        .min(LIMITS.rendersPerMinute, `must be at least ${LIMITS.rendersPerMinute}, the limit without a plan`)
        .max(1_000_000),
    }),
  )
  .min(1, "must contain at least one plan")
  .refine((plans) => new Set(plans.map((plan) => plan.slug)).size === plans.length, "must not repeat a slug");

/**
 * Validates a list of plans, as in `SNAP_PLANS_FILE`:
 * `[{ "slug", "name", "creditsPerPeriod", "requestsPerMinute" }]`.
 *
 * @throws Error that lists every invalid entry.
 */
export function parsePlans(value: unknown): readonly Plan[] {
  const result = planListSchema.safeParse(value);
  if (result.success) return result.data;
  throw new Error(
    result.error.issues.map((issue) => `${issue.path.join(".") || "plans"}: ${issue.message}`).join("; "),
  );
}
