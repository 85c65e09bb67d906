import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ScreenProps } from "../layout/screens.ts";
import { toHash } from "../routing/route.ts";
import { useSession } from "../session/session.ts";
import { readToken } from "../session/stored-tokens.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { PageHead } from "../ui/page-head.tsx";
import { CaptureForm } from "./capture-form.tsx";
import { EMPTY_FORM, findProblems, toParameters, type Form } from "./form.ts";
import { linkOf, readForm } from "./form-link.ts";
import { ResultPanel } from "./result-panel.tsx";
import { SnippetPanel } from "./snippets/snippet-panel.tsx";
import { useRender } from "./use-render.ts";

/** Delay before the address is updated, because browsers limit how often it can change. */
const ADDRESS_PAUSE_MS = 400;

/** A form with every parameter. A navigation resets it. */
export function PlaygroundScreen({ query, visit }: ScreenProps): JSX.Element {
  return <Playground key={visit} initial={readForm(query)} />;
}

function Playground({ initial }: { readonly initial: Form }): JSX.Element {
  const session = useSession();
  const [form, setForm] = useState(initial);
  const [token, setToken] = useState(
    session.kind === "token" ? session.token : (readToken("playground") ?? ""),
  );
  const render = useRender();
  const link = linkOf(form);
  useHashSync(link ?? toHash(["playground"]));
  const parameters = toParameters(form);
  const problems = findProblems(form);
  return (
    <>
      <PageHead
        title="Playground"
        summary="Try any parameter, then copy the request as code."
        actions={
          <>
            <CopyButton text={link === null ? null : new URL(link, location.href).href} what="Link">
              {link === null ? "Too long for a link" : "Copy link"}
            </CopyButton>
            <button type="button" class="button small" onClick={() => setForm(EMPTY_FORM)}>
              Clear
            </button>
          </>
        }
      />
      <div class="playground">
        <CaptureForm
          {...{ form, parameters, problems, token }}
          isRunning={render.isRunning}
          onChange={setForm}
          onToken={session.kind === "operator" ? setToken : null}
          onSubmit={() => render.run(parameters, token)}
        />
        <div class="stack beside">
          <ResultPanel render={render} />
          <SnippetPanel parameters={parameters} isValid={Object.keys(problems).length === 0} token={token} />
        </div>
      </div>
    </>
  );
}

/** Mirrors the form in the address, without secrets, for reloads and bookmarks. */
function useHashSync(hash: string): void {
  useEffect(() => {
    const timer = setTimeout(() => history.replaceState(null, "", hash), ADDRESS_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [hash]);
}
