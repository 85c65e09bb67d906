import type { AdminHealth } from "@snap/protocol";
import type { JSX } from "preact";
import { formatCount } from "../format.ts";
import { toHash } from "../routing/route.ts";
import { Empty } from "../ui/states.tsx";

/** Failures in the last 24 hours, by code, with bars relative to the most frequent code. */
export function FailuresByCode({ failures }: Pick<AdminHealth, "failures">): JSX.Element {
  const max = Math.max(...failures.map(({ count }) => count));
  return (
    <section class="panel padded" aria-labelledby="failures">
      <h2 id="failures">Failures in the last 24 hours</h2>
      {failures.length === 0 ? (
        <Empty title="No failures." />
      ) : (
        <ul class="bars">
          {failures.map(({ code, count }) => (
            <li key={code}>
              <a href={toHash(["requests"], { code, range: "24h" })}>
                <code>{code}</code>
              </a>
              <span class="number">{formatCount(count)}</span>
              <progress value={count} max={max} aria-hidden="true" />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
