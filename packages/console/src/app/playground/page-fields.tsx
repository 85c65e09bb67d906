import type { ParameterProblems } from "@snap/protocol";
import type { JSX } from "preact";
import { TextField } from "../ui/fields.tsx";
import { Segments } from "../ui/segments.tsx";
import { selectMode, type Form, type Source } from "./form.ts";
import { MultilineField } from "./parameter-field.tsx";

interface PageFieldsProps {
  readonly form: Form;
  readonly problems: ParameterProblems;
  readonly onChange: (form: Form) => void;
}

const CONTENT_HINTS: Readonly<Record<Exclude<Source, "url">, string>> = {
  html: "A full page or a fragment. It can load images and styles from the web.",
  markdown: "Rendered with a plain style sheet.",
};

/** The fields for the page and the mode. */
export function PageFields({ form, problems, onChange }: PageFieldsProps): JSX.Element {
  const { mode, source, values } = form;
  const text = values[source] ?? "";
  const problem = problems[source]?.join("; ");
  const setText = (value: string): void => onChange({ ...form, values: { ...values, [source]: value } });
  return (
    <>
      <div class="choices">
        <Segments
          label="Mode"
          options={[
            ["screenshot", "Screenshot"],
            ["pdf", "PDF"],
          ]}
          value={mode}
          onChange={(value) => onChange(selectMode(form, value))}
        />
        <Segments
          label="Page"
          options={[
            ["url", "URL"],
            ["html", "HTML"],
            ["markdown", "Markdown"],
          ]}
          value={source}
          onChange={(value) => onChange({ ...form, source: value })}
        />
      </div>
      {source === "url" ? (
        <TextField
          label="url"
          value={text}
          onChange={setText}
          problem={problem}
          inputMode="url"
          placeholder="https://example.com/"
        />
      ) : (
        <MultilineField
          label={source}
          value={text}
          onChange={setText}
          problem={problem}
          hint={<>{CONTENT_HINTS[source]}</>}
          placeholder={source === "html" ? "<h1>Hello</h1>" : "# Hello"}
          rows={8}
        />
      )}
    </>
  );
}
