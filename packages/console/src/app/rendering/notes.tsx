import { explainNote } from "@snap/protocol";
import type { JSX } from "preact";
import { CodeText } from "../ui/long-text.tsx";

/** Lists notes with their explanations. */
export function Notes({ notes }: { readonly notes: readonly string[] }): JSX.Element {
  return (
    <ul class="notes">
      {notes.map((note) => (
        <li key={note}>
          <code>{note}</code> <CodeText text={explainNote(note) ?? ""} />
        </li>
      ))}
    </ul>
  );
}
