import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { BASE_URL } from "../../api/addresses.ts";
import { tokenIdOf } from "../../session/stored-tokens.ts";
import { SelectField, TextField } from "../../ui/fields.tsx";
import type { Parameters } from "../form.ts";
import { Code } from "./code.tsx";
import { imageHtml, explainUnsignable } from "./sign-image.ts";

interface ImageSnippetProps {
  readonly parameters: Parameters;
  readonly token: string;
}

const EXPIRIES = [
  { value: "", label: "When the token does" },
  { value: "3600", label: "In 1 hour" },
  { value: "86400", label: "In 24 hours" },
  { value: "2592000", label: "In 30 days" },
];

/** The URL works until the token stops working. */
const NO_EXPIRY = { choice: "", expires: null };

/** HTML with a signed URL: an image, or a link to a PDF. The secret stays in this component. */
export function ImageSnippet({ parameters, token }: ImageSnippetProps): JSX.Element {
  const [tokenId, setTokenId] = useState(tokenIdOf(token) ?? "");
  const [signingSecret, setSecret] = useState("");
  // computed once per choice, because the URL must not change while it is being copied
  const [expiry, setExpiry] = useState<{ readonly choice: string; readonly expires: number | null }>(
    NO_EXPIRY,
  );
  const unsignableReason = explainUnsignable(parameters);
  if (unsignableReason !== null) return <p class="banner warn">{unsignableReason}</p>;
  const isComplete = /^\d{1,15}$/.test(tokenId) && signingSecret !== "";
  return (
    <div class="stack">
      <div class="field-row">
        <TextField
          label="Token id"
          value={tokenId}
          onChange={(text) => setTokenId(text.trim())}
          inputMode="numeric"
          placeholder="7"
        />
        <TextField
          label="Signing secret"
          type="password"
          value={signingSecret}
          onChange={(text) => setSecret(text.trim())}
        />
        <SelectField
          label="Expires"
          value={expiry.choice}
          onChange={(choice) =>
            setExpiry(choice === "" ? NO_EXPIRY : { choice, expires: expiryAfter(Number(choice)) })
          }
          options={EXPIRIES}
        />
      </div>
      <p class="hint">
        Your browser signs the URL; the secret does not leave it. On your site, sign URLs on the server, and
        never put the secret into a page.
      </p>
      {isComplete ? (
        <Code
          text={imageHtml(parameters, {
            baseUrl: BASE_URL,
            tokenId: Number(tokenId),
            signingSecret,
            expires: expiry.expires,
          })}
          what="Image"
        />
      ) : (
        <p class="state">Enter the token id and its signing secret to sign the URL.</p>
      )}
    </div>
  );
}

function expiryAfter(seconds: number): number {
  return Math.floor(Date.now() / 1000) + seconds;
}
