import { LIMITS } from "../../limits.ts";
import { canonicalStoreKey, DEFAULT_STORE_KEY, PLACEHOLDERS } from "../object-key.ts";
import { BOTH, type Row } from "../row.ts";

const STORE_NAME = /^[a-z0-9][a-z0-9-]*$/;

export const DELIVERY_ROWS: readonly Row[] = [
  {
    name: "storeTo",
    modes: BOTH,
    kind: "text",
    isDelivery: true,
    maxCharacters: 63,
    syntax: "the name of a store: lowercase letters, digits and hyphens",
    placeholder: "name",
    canonicalize: (text) => (STORE_NAME.test(text) ? text : null),
    description: "Also store the rendering in the operator's object store of this name. Not in signed URLs.",
    example: "archive",
  },
  {
    name: "storeKey",
    modes: BOTH,
    kind: "text",
    isDelivery: true,
    maxCharacters: LIMITS.storeKeyCharacters,
    syntax: `a path without empty, . or .. segments, backslashes or control characters, encoded or not, and with braces only in ${PLACEHOLDERS}`,
    placeholder: "path",
    implied: DEFAULT_STORE_KEY,
    requires: ["storeTo"],
    canonicalize: canonicalStoreKey,
    description:
      "Key of the stored object, under the account's prefix. `{host}` is the host of `url`, `{date}` the UTC date, `{id}` the id of the request or batch item, `{ext}` the extension of the format. Replaces an object that has the same key. Requires `storeTo`.",
    example: "invoices/{date}/{id}.{ext}",
  },
];
