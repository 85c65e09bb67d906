import type { AdminHealth, AdminProblem } from "@snap/protocol";
import type { JSX } from "preact";
import { formatNoun } from "../format.ts";
import { Badge } from "../ui/badge.tsx";
import { Icon } from "../ui/icon.tsx";
import { CodeText } from "../ui/long-text.tsx";

/** Lists problems before warnings, each with its advice, if any. */
export function Problems({ problems }: Pick<AdminHealth, "problems">): JSX.Element | null {
  if (problems.length === 0) return null;
  const broken = problems.filter(({ status }) => status === "problem");
  const warnings = problems.filter(({ status }) => status !== "problem");
  return (
    <section class={broken.length > 0 ? "problems bad" : "problems"} aria-labelledby="problems">
      <h2 id="problems">
        <Icon name="warning" />
        {[
          ...(broken.length > 0 ? [formatNoun(broken.length, "problem")] : []),
          ...(warnings.length > 0 ? [formatNoun(warnings.length, "warning")] : []),
        ].join(", ")}
      </h2>
      <ul>
        {[...broken, ...warnings].map((problem) => (
          <Problem key={`${problem.code} ${problem.message}`} problem={problem} />
        ))}
      </ul>
    </section>
  );
}

function Problem({ problem: { status, message, advice } }: { readonly problem: AdminProblem }): JSX.Element {
  return (
    <li>
      <Badge tone={status === "problem" ? "bad" : "warn"}>{status}</Badge>
      <div>
        <p>{message}</p>
        {advice !== null && (
          <p class="muted">
            <CodeText text={advice} />
          </p>
        )}
      </div>
    </li>
  );
}
