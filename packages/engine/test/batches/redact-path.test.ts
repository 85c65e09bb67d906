import { expect, it } from "vitest";
import { redactPath } from "../../src/batches/redact-path.ts";

const LONG = `/hooks/${"s".repeat(2000)}`;

it.for<readonly [path: string, text: string, redacted: string]>([
  ["/", "Cannot POST /", "Cannot POST /"],
  ["/h?a", "Cannot POST /h?a: no /h, and a", "Cannot POST [path]: no [path], and a"],
  [LONG, `Cannot POST ${LONG}.`, "Cannot POST [path]."],
  [LONG, `Cannot POST ${LONG.slice(0, 1900)}`, "Cannot POST [path]"],
  ["/hooks/%54OP%20SECRET?v=a+long+value", "/hooks/TOP SECRET, a long value", "[path], [path]"],
  ["/hooks/TOP%20SECRET/%ff", "no TOP SECRET", "no [path]"],
  ["/x?a=1&token=TOPSECRET", "<p>/x?a=1&amp;token=TOPSECRET</p>", "<p>[path]</p>"],
  ["/a&b'cdefg", "a&amp;b&#39;cdefg", "[path]"],
  ["/a/b/c", String.raw`{"path":"\/a\/b\/c"}`, '{"path":"[path]"}'],
  ["/a%22bcdefgh", String.raw`{"path":"a\"bcdefgh"}`, '{"path":"[path]"}'],
  ["/hooks/TOPSECRET?TOPVALUE", "unknown hook TOPSECRET (TOPVALUE)", "unknown hook [path] ([path])"],
  [
    "/hooks/TOPSECRET",
    "Cannot POST /HOOKS/topsecret, unknown hook TopSecre",
    "Cannot POST [path], unknown hook [path]",
  ],
  ["/a.b+c(d", "no /axb+c(d, no /A.B+C(D", "no /axb+c(d, no [path]"],
  ["/hooks/short", "unknown hook short", "unknown hook short"],
])("for the path %j, %j becomes %j", ([path, text, redacted]) => {
  expect(redactPath(text, `https://hooks.example.com${path}`)).toBe(redacted);
});
