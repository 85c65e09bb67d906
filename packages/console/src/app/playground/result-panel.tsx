import { ERROR_CODES } from "@snap/protocol";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { formatDuration, formatNoun } from "../format.ts";
import { Notes } from "../rendering/notes.tsx";
import { Rendering } from "../rendering/rendering.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Facts, type Fact } from "../ui/facts.tsx";
import { Empty, Failure } from "../ui/states.tsx";
import { Table } from "../ui/table.tsx";
import type { ResponseFacts, Result } from "./send-capture.ts";
import type { Render } from "./use-render.ts";

export function ResultPanel({ render }: { readonly render: Render }): JSX.Element {
  const { isRunning, result, cancel } = render;
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    // on a phone, the panel is below the form
    if (isRunning || result !== null) panel.current?.scrollIntoView({ block: "nearest" });
  }, [isRunning, result]);
  return (
    <section ref={panel} class="panel padded" aria-labelledby="result" aria-busy={isRunning}>
      <h2 id="result">Result</h2>
      <p class="visually-hidden" role="status">
        {announcementOf(render)}
      </p>
      {isRunning && (
        <div class="state">
          <p>
            <span class="spinner" aria-hidden="true" />
            Rendering…
          </p>
          <button type="button" class="button small" onClick={cancel}>
            Cancel
          </button>
        </div>
      )}
      {!isRunning && result === null && (
        <Empty title="Nothing rendered yet.">
          <p>Enter a URL, then press Render. A render costs one credit; a cache hit is free.</p>
        </Empty>
      )}
      {result?.kind === "rendered" && <Rendered result={result} />}
      {result?.kind === "failed" && <Failed result={result} />}
    </section>
  );
}

function announcementOf({ isRunning, result }: Render): string {
  if (isRunning) return "Rendering";
  if (result === null) return "";
  return result.kind === "rendered" ? "Rendered" : "";
}

function Rendered({ result }: { readonly result: Extract<Result, { kind: "rendered" }> }): JSX.Element {
  const { file, facts, cache, creditCost, notes, targetStatus, storedLocation, requestId } = result;
  const shown: Fact[] = [
    { label: "Time", value: formatDuration(facts.durationMs) },
    { label: "Cost", value: creditCost === 0 ? "free" : formatNoun(creditCost, "credit") },
    { label: "Cache", value: cache === null ? "not used" : cache.toLowerCase() },
    ...(targetStatus === null ? [] : [{ label: "Page status", value: targetStatus }]),
    ...(storedLocation === null ? [] : [{ label: "Stored at", value: storedLocation }]),
    ...(notes.length === 0 ? [] : [{ label: "Notes", value: <Notes notes={notes} /> }]),
    ...(requestId === null ? [] : [{ label: "Request id", value: <RequestId id={requestId} /> }]),
  ];
  return (
    <>
      <Rendering key={requestId} file={file} name="rendering" description="The rendering" />
      <Facts facts={shown} />
      <ResponseHeaders facts={facts} />
    </>
  );
}

function Failed({
  result: { failure, facts },
}: {
  readonly result: Extract<Result, { kind: "failed" }>;
}): JSX.Element {
  const known: Readonly<Record<string, { readonly retryable: boolean }>> = ERROR_CODES;
  // a proxy's error has no published code
  const codeFacts = known[failure.code];
  return (
    <>
      <Failure failure={failure} title={facts === null ? "No response" : `${facts.status} ${failure.code}`} />
      {facts !== null && (
        <p class="muted">
          {`After ${formatDuration(facts.durationMs)}.`}
          {codeFacts !== undefined &&
            ` No credit was charged. ${adviceOf(codeFacts.retryable, failure.retryAfterSeconds)}`}
        </p>
      )}
      {facts !== null && <ResponseHeaders facts={facts} />}
    </>
  );
}

function adviceOf(isRetryable: boolean, afterSeconds: number | null): string {
  if (!isRetryable) return "The same request will probably fail again; fix the cause first.";
  return `The same request may succeed if you retry it${afterSeconds === null ? "" : ` in ${afterSeconds} seconds`}.`;
}

function RequestId({ id }: { readonly id: string }): JSX.Element {
  return (
    <>
      <code class="any-text">{id}</code> <CopyButton text={id} what="Request id" />
    </>
  );
}

function ResponseHeaders({ facts: { status, headers } }: { readonly facts: ResponseFacts }): JSX.Element {
  return (
    <details class="figures">
      <summary>
        Response headers <span class="count">{headers.length}</span>
      </summary>
      <Table
        caption={`Response headers, status ${status}`}
        rows={headers}
        rowKey={([name]) => name}
        isPairs
        columns={[
          { label: "Name", cell: ([name]) => <code>{name}</code> },
          { label: "Value", cell: ([, value]) => <span class="any-text mono">{value}</span>, isWide: true },
        ]}
      />
    </details>
  );
}
