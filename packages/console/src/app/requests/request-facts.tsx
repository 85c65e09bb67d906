import type { AdminRequest } from "@snap/protocol";
import type { JSX } from "preact";
import { AccountLink } from "../accounts/account-link.tsx";
import { formatBytes, formatDuration } from "../format.ts";
import { Notes } from "../rendering/notes.tsx";
import { toHash } from "../routing/route.ts";
import { Facts, type Fact } from "../ui/facts.tsx";
import { Time } from "../ui/time.tsx";
import { Outcome } from "./outcome.tsx";
import { cacheText, ENTRY_POINTS, modeText } from "./labels.ts";

interface RequestFactsProps {
  readonly request: AdminRequest;
  readonly names: ReadonlyMap<string, string>;
}

/** Shows where a request came from and how it ended. */
export function RequestFacts({ request, names }: RequestFactsProps): JSX.Element {
  return <Facts facts={[...originOf(request, names), ...resultOf(request)]} />;
}

function originOf(request: AdminRequest, names: ReadonlyMap<string, string>): Fact[] {
  const { batch_id: batch, token_id: token } = request;
  return [
    { label: "Finished", value: <Time at={request.at} /> },
    { label: "Outcome", value: <Outcome {...request} /> },
    { label: "Entry point", value: ENTRY_POINTS[request.entry_point] },
    ...(batch === null ? [] : [{ label: "Batch", value: <a href={toHash(["batches", batch])}>{batch}</a> }]),
    { label: "Account", value: <AccountLink id={request.account_id} names={names} /> },
    { label: "Token", value: <a href={toHash(["requests"], { token: String(token) })}>{token}</a> },
    { label: "Request id", value: <code class="any-text">{request.request_id ?? "–"}</code> },
  ];
}

function resultOf(request: AdminRequest): Fact[] {
  const { bytes, etag, target_status: targetStatus, notes } = request;
  return [
    { label: "Mode", value: modeText(request.mode) },
    { label: "Duration", value: formatDuration(request.duration_ms) },
    { label: "Cache", value: cacheText(request) },
    { label: "Credits", value: request.credit_cost },
    ...(targetStatus === null ? [] : [{ label: "Page status", value: targetStatus }]),
    ...(bytes === null ? [] : [{ label: "Size", value: formatBytes(bytes) }]),
    ...(request.expires_at === null
      ? []
      : [{ label: "Cached until", value: <Time at={request.expires_at} /> }]),
    ...(etag === null ? [] : [{ label: "ETag", value: <code class="any-text">{etag}</code> }]),
    ...(notes.length === 0 ? [] : [{ label: "Notes", value: <Notes notes={notes} /> }]),
  ];
}
