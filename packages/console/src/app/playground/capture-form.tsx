import type { ParameterProblems } from "@snap/protocol";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { toHash } from "../routing/route.ts";
import { storeToken, tokenProblem } from "../session/stored-tokens.ts";
import { TextField } from "../ui/fields.tsx";
import type { Form, Parameters } from "./form.ts";
import { PageFields } from "./page-fields.tsx";
import { ParameterGroups } from "./parameter-groups.tsx";

interface CaptureFormProps {
  readonly form: Form;
  readonly parameters: Parameters;
  readonly problems: ParameterProblems;
  readonly token: string;
  readonly isRunning: boolean;
  /** Receives an updater, which gets the current form. */
  readonly onChange: (change: (form: Form) => Form) => void;
  /** `null` for a token holder, who renders with their own token. */
  readonly onToken: ((token: string) => void) | null;
  /** Called only if the form is valid. */
  readonly onSubmit: () => void;
}

export function CaptureForm(props: CaptureFormProps): JSX.Element {
  const { form, parameters, problems, token, isRunning, onChange, onToken, onSubmit } = props;
  const [isSubmitted, setSubmitted] = useState(false);
  const [searchText, setSearchText] = useState("");
  const shown = problemsToShow(form, problems, isSubmitted);
  const isTokenMissing = token === "";
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    setSubmitted(true);
    const hasToken = !isTokenMissing && tokenProblem(token) === undefined;
    if (Object.keys(problems).length === 0 && hasToken) return onSubmit();
    // the search may have hidden the invalid field
    setSearchText("");
    focusFirstProblem(event.currentTarget);
  };
  return (
    <form class="stack" onSubmit={submit} noValidate>
      <div class="panel padded stack">
        <PageFields form={form} problems={shown} onChange={(changed) => onChange(() => changed)} />
        {onToken !== null && (
          <TokenField token={token} onChange={onToken} isMissing={isSubmitted && isTokenMissing} />
        )}
        <button type="submit" class="button primary" disabled={isRunning}>
          {isRunning ? "Rendering…" : "Render"}
        </button>
      </div>
      <ParameterGroups
        form={form}
        parameters={parameters}
        problems={shown}
        searchText={searchText}
        onSearch={setSearchText}
        onChange={(name, text) =>
          onChange((current) => ({ ...current, values: { ...current.values, [name]: text } }))
        }
      />
    </form>
  );
}

interface TokenFieldProps {
  readonly token: string;
  readonly isMissing: boolean;
  readonly onChange: (token: string) => void;
}

function TokenField({ token, isMissing, onChange }: TokenFieldProps): JSX.Element {
  const change = (text: string): void => {
    onChange(text.trim());
    storeToken("playground", text.trim());
  };
  return (
    <TextField
      label="API token"
      type="password"
      value={token}
      onChange={change}
      placeholder="7|…"
      problem={isMissing ? "is required: renders are charged to its account" : tokenProblem(token)}
      hint={
        <>
          Stored only in this tab. <a href={toHash(["accounts"])}>Create a token for an account</a>
        </>
      }
    />
  );
}

/** Hides the problem of a missing page until the form is submitted. */
function problemsToShow(form: Form, problems: ParameterProblems, isSubmitted: boolean): ParameterProblems {
  const isPageEmpty = (form.values[form.source] ?? "") === "";
  if (isSubmitted || !isPageEmpty) return problems;
  const { [form.source]: _, ...others } = problems;
  return others;
}

/** Opens the group of the first invalid field and focuses the field. */
function focusFirstProblem(form: EventTarget | null): void {
  if (!(form instanceof HTMLFormElement)) return;
  // by the next frame, the problems of this submission are shown
  requestAnimationFrame(() => {
    const field = form.querySelector<HTMLElement>("[aria-invalid=true]");
    field?.closest("details")?.setAttribute("open", "");
    field?.focus();
  });
}
