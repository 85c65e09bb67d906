import { secretsIn } from "@snap/protocol";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { BASE_URL } from "../../api/addresses.ts";
import { Tabs } from "../../ui/tabs.tsx";
import type { Parameters } from "../form.ts";
import { Code } from "./code.tsx";
import { ImageSnippet } from "./image-snippet.tsx";
import { curlSnippet, pythonSnippet, toolCallSnippet, typeScriptSnippet } from "./snippet-text.ts";

interface SnippetPanelProps {
  readonly parameters: Parameters;
  readonly isValid: boolean;
  readonly token: string;
}

const PROGRAMS: Readonly<
  Record<
    string,
    { readonly label: string; readonly snippet: (parameters: Parameters, baseUrl: string) => string }
  >
> = {
  curl: { label: "curl", snippet: curlSnippet },
  typescript: { label: "TypeScript", snippet: typeScriptSnippet },
  python: { label: "Python", snippet: pythonSnippet },
  tool: { label: "Tool call", snippet: toolCallSnippet },
};
const TABS = [
  ...Object.entries(PROGRAMS).map(([name, { label }]) => ({ name, label })),
  { name: "image", label: "<img>" },
];

/** The form's request as code. */
export function SnippetPanel({ parameters, isValid, token }: SnippetPanelProps): JSX.Element {
  const [selected, select] = useState("curl");
  const program = PROGRAMS[selected];
  return (
    <section class="panel padded" aria-labelledby="snippets">
      <h2 id="snippets">Copy as code</h2>
      {isValid ? (
        <Tabs label="Language" tabs={TABS} selected={selected} onSelect={select}>
          {program === undefined ? (
            <ImageSnippet parameters={parameters} token={token} />
          ) : (
            <>
              <Code text={program.snippet(parameters, BASE_URL)} what={program.label} />
              <SnippetHint name={selected} secrets={secretsIn(parameters)} />
            </>
          )}
        </Tabs>
      ) : (
        <p class="state">Once the form is valid, its request appears here as code.</p>
      )}
    </section>
  );
}

function SnippetHint({
  name,
  secrets,
}: {
  readonly name: string;
  readonly secrets: readonly string[];
}): JSX.Element {
  return (
    <p class="hint">
      {name === "tool" ? (
        <>
          Send it to <code>/mcp</code>, or have an assistant call the tool.
        </>
      ) : (
        <>
          Set <code>SNAP_TOKEN</code> to your token first.
        </>
      )}
      {secrets.length > 0 && ` Contains secrets: ${secrets.join(", ")}.`}
    </p>
  );
}
