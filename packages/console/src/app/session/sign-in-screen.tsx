import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { createServiceApi } from "../api/service.ts";
import { useAction } from "../hooks/use-action.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { TextField } from "../ui/fields.tsx";
import { Icon } from "../ui/icon.tsx";
import { PageHead } from "../ui/page-head.tsx";
import { Failure } from "../ui/states.tsx";
import { Brand } from "../layout/brand.tsx";
import { SIGNED_OUT_MESSAGES, type SignedOutReason } from "./session.ts";
import { tokenProblem } from "./stored-tokens.ts";

const COMMAND = "snap-server console";

interface SignInProps {
  readonly reason: SignedOutReason | null;
  readonly onToken: (token: string) => void;
}

export function SignInScreen({ reason, onToken }: SignInProps): JSX.Element {
  return (
    <main class="sign-in">
      <Brand />
      <PageHead title="Sign in" />
      {reason !== null && (
        <p class={`banner ${reason === "signed-out" ? "" : "warn"}`} role="status">
          {reason !== "signed-out" && <Icon name="warning" />}
          {SIGNED_OUT_MESSAGES[reason]}
        </p>
      )}
      <section class="panel padded" aria-labelledby="operator">
        <h2 id="operator">As the operator</h2>
        <p>Run this command where the service runs, then open the link it prints:</p>
        <div class="command">
          <code>{COMMAND}</code>
          <CopyButton text={COMMAND} what="Command" />
        </div>
        <p class="hint">The link works once and expires after ten minutes. The session lasts twelve hours.</p>
      </section>
      <TokenForm onToken={onToken} />
    </main>
  );
}

function TokenForm({ onToken }: Pick<SignInProps, "onToken">): JSX.Element {
  const [token, setToken] = useState("");
  const { run, isRunning, failure } = useAction(
    () => createServiceApi(token.trim(), () => {}).usage(),
    () => onToken(token.trim()),
  );
  const invalid = tokenProblem(token);
  const isUnknown = failure?.status === 401;
  const submit = (event: Event): void => {
    event.preventDefault();
    if (token.trim() !== "" && invalid === undefined) run();
  };
  return (
    <section class="panel padded" aria-labelledby="holder">
      <h2 id="holder">With an API token</h2>
      <p>Try the API, and see the batches and usage of your account.</p>
      <form onSubmit={submit} class="stack">
        <TextField
          label="API token"
          type="password"
          value={token}
          onChange={setToken}
          placeholder="7|…"
          hint="Stored only in this tab, until you close it or sign out."
          problem={invalid ?? (isUnknown ? "is unknown, revoked or expired" : undefined)}
        />
        {failure !== null && !isUnknown && <Failure failure={failure} />}
        <button type="submit" class="button" disabled={isRunning}>
          {isRunning ? "Checking…" : "Use this token"}
        </button>
      </form>
    </section>
  );
}
