import type { ComponentChildren, JSX } from "preact";
import { UNREACHABLE, type ApiFailure } from "../api/failure.ts";
import type { Loaded } from "../hooks/use-load.ts";
import { CopyButton } from "./copy-button.tsx";
import { Icon } from "./icon.tsx";

export function Loading({ what }: { readonly what: string }): JSX.Element {
  return (
    <p class="state" role="status">
      <span class="spinner" aria-hidden="true" />
      Loading {what}…
    </p>
  );
}

interface EmptyProps {
  readonly title: string;
  /** What to do next. */
  readonly children?: ComponentChildren;
}

export function Empty({ title, children }: EmptyProps): JSX.Element {
  return (
    <div class="state empty">
      <p class="state-title">{title}</p>
      {children}
    </div>
  );
}

/** Shown if no entry of a list matches its filters. */
export function NoMatch({
  noun,
  onClear,
}: {
  readonly noun: string;
  readonly onClear: () => void;
}): JSX.Element {
  return (
    <Empty title={`No ${noun} matches these filters.`}>
      <button type="button" class="button" onClick={onClear}>
        Clear filters
      </button>
    </Empty>
  );
}

interface FailureProps {
  readonly failure: ApiFailure;
  readonly title?: string;
  readonly onRetry?: () => void;
}

/** A failure with its request id and a retry button. */
export function Failure({ failure, title, onRetry }: FailureProps): JSX.Element {
  const { code, message, requestId, errors } = failure;
  const problems = Object.entries(errors);
  return (
    <div class="failure" role="alert">
      <Icon name="warning" />
      <div class="failure-body">
        {title !== undefined && <p class="failure-title">{title}</p>}
        <p>{message}</p>
        {problems.length > 0 && (
          <ul>
            {problems.map(([name, messages]) => (
              <li key={name}>
                <code>{name}</code> {messages.join("; ")}
              </li>
            ))}
          </ul>
        )}
        {requestId !== null && (
          <p class="muted">
            <code>{code}</code> in request <code>{requestId}</code>{" "}
            <CopyButton text={requestId} what="Request id" />
          </p>
        )}
        {onRetry !== undefined && (
          <button type="button" class="button small" onClick={onRetry}>
            {code === UNREACHABLE ? "Try again" : "Reload"}
          </button>
        )}
      </div>
    </div>
  );
}

interface WhenLoadedProps<T> {
  readonly loaded: Loaded<T>;
  readonly what: string;
  readonly children: (data: T) => ComponentChildren;
}

/** Shows the loading state, then the data; a failure, even of a later reload, above the data. */
export function WhenLoaded<T>({ loaded, what, children }: WhenLoadedProps<T>): JSX.Element {
  const { data, failure, reload } = loaded;
  return (
    <>
      {failure !== null && <Failure failure={failure} title={`Cannot load ${what}`} onRetry={reload} />}
      {data === null && failure === null && <Loading what={what} />}
      {data !== null && children(data)}
    </>
  );
}
