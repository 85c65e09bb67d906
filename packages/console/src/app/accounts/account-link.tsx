import type { JSX } from "preact";
import { toHash } from "../routing/route.ts";
import { LongText } from "../ui/long-text.tsx";

interface AccountLinkProps {
  readonly id: string;
  /** Email addresses by account id. */
  readonly names: ReadonlyMap<string, string>;
  /** Maximum length in characters; longer text is truncated. */
  readonly max?: number;
}

/** Shows the email address, or the id if the address is unknown. */
export function AccountLink({ id, names, max = 32 }: AccountLinkProps): JSX.Element {
  return (
    <a href={toHash(["accounts", id])} title={id}>
      <LongText text={names.get(id) ?? id} max={max} />
    </a>
  );
}
