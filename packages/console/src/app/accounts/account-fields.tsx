import type { AdminAccount, AdminPlan, ParameterProblems } from "@snap/protocol";
import type { JSX } from "preact";
import type { AccountChange } from "../api/admin.ts";
import { formatCount } from "../format.ts";
import { SelectField, TextField } from "../ui/fields.tsx";

/** Names of the fields in the API. */
export const ACCOUNT_FIELDS = ["email", "plan", "credits_per_period", "requests_per_minute"];

/** The text in the fields of an account. */
export interface AccountValues {
  readonly email: string;
  readonly plan: string;
  readonly credits: string;
  readonly limit: string;
}

export function valuesOf(account: AdminAccount | null): AccountValues {
  return {
    email: account?.email ?? "",
    plan: account?.plan ?? "",
    credits: account?.credits_per_period?.toString() ?? "",
    limit: account?.requests_per_minute?.toString() ?? "",
  };
}

/** Returns the fields as the API expects them: `null` for no plan and for an empty override. */
export function toApiFields({ email, plan, credits, limit }: AccountValues): Required<AccountChange> {
  return {
    email: email.trim(),
    plan: plan === "" ? null : plan,
    credits_per_period: toNumber(credits),
    requests_per_minute: toNumber(limit),
  };
}

/** Returns the fields that differ; `{}` if none do. */
export function difference(before: AccountValues, after: AccountValues): AccountChange {
  const [old, changed] = [toApiFields(before), toApiFields(after)];
  const entries = Object.entries(changed).filter(([name, value]) => value !== old[name as keyof typeof old]);
  return Object.fromEntries(entries);
}

function toNumber(text: string): number | null {
  const digits = text.replaceAll(/[\s,]/g, "");
  if (digits === "") return null;
  // the API rejects -1 with a message that names the valid values
  return /^\d{1,15}$/.test(digits) ? Number(digits) : -1;
}

interface AccountFieldsProps {
  readonly values: AccountValues;
  /** `null` until they are loaded. */
  readonly plans: readonly AdminPlan[] | null;
  readonly problems: ParameterProblems;
  readonly onChange: (values: AccountValues) => void;
}

export function AccountFields({ values, plans, problems, onChange }: AccountFieldsProps): JSX.Element {
  const plan = plans?.find(({ slug }) => slug === values.plan);
  const isMissing = plan === undefined && values.plan !== "";
  const field = (name: keyof AccountValues, apiName: string): FieldState => ({
    value: values[name],
    onChange: (value) => onChange({ ...values, [name]: value }),
    problem: problems[apiName]?.join("; "),
  });
  return (
    <>
      <TextField label="Email" type="email" {...field("email", "email")} />
      <SelectField
        label="Plan"
        {...field("plan", "plan")}
        options={[
          { value: "", label: "No plan" },
          ...(plans ?? []).map(({ slug, name }) => ({ value: slug, label: name })),
          ...(isMissing ? [{ value: values.plan, label: values.plan }] : []),
        ]}
        hint={plans === null ? undefined : planHint(values.plan, plan)}
      />
      <div class="field-row">
        <TextField
          label="Credit override"
          inputMode="numeric"
          {...field("credits", "credits_per_period")}
          placeholder={plan === undefined ? "" : formatCount(plan.credits_per_period)}
          hint="Credits per period, instead of the plan's."
        />
        <TextField
          label="Rate limit override"
          inputMode="numeric"
          {...field("limit", "requests_per_minute")}
          placeholder={plan === undefined ? "" : formatCount(plan.requests_per_minute)}
          hint="Renders per minute, instead of the plan's."
        />
      </div>
    </>
  );
}

interface FieldState {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly problem: string | undefined;
}

function planHint(slug: string, plan: AdminPlan | undefined): string {
  if (slug === "") return "Without a plan, the account cannot render.";
  if (plan === undefined) return "This plan does not exist, so the account has no credits.";
  const { credits_per_period: credits, requests_per_minute: limit } = plan;
  return `${formatCount(credits)} credits per period, ${formatCount(limit)} renders per minute.`;
}
