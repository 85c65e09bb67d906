import type { ComponentChildren, JSX } from "preact";
import { truncateMiddle } from "../format.ts";

/** Text that may be long, such as a URL, truncated in the middle. The tooltip and screen readers get the full text. */
export function LongText({ text, max = 60 }: { readonly text: string; readonly max?: number }): JSX.Element {
  const truncated = truncateMiddle(text, max);
  if (truncated === text) return <span class="long-text">{addBreakOpportunities(text)}</span>;
  return (
    <span class="long-text" title={text}>
      <span aria-hidden="true">{addBreakOpportunities(truncated)}</span>
      <span class="visually-hidden">{text}</span>
    </span>
  );
}

/** Prefers line breaks between the parts of a host name or an email address. */
function addBreakOpportunities(text: string): ComponentChildren {
  return text
    .split(/(?<=@)|(?=[.])/)
    .flatMap((part, index) => (index === 0 ? part : [<wbr key={index} />, part]));
}

/** Text with code in backticks, such as a parameter's description. */
export function CodeText({ text }: { readonly text: string }): JSX.Element {
  return (
    <>{text.split("`").map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>))}</>
  );
}
