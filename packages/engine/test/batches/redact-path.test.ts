import { expect, it } from "vitest";
import { redactPath } from "../../src/batches/redact-path.ts";

const LONG = `/hooks/${"s".repeat(2000)}`;

it("redacts a long path in a long response full of escapes", () => {
  const path = `/${"%5C".repeat(600)}`;
  const text = String.raw`\\`.repeat(1000);
  expect(redactPath(`${text}!`, `https://hooks.example.com${path}`)).toContain("[path]");
});

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
  ["/h?user=ada&key=s3cret7", String.raw`{"path":"/h?user=ada\u0026key=s3cret7"}`, '{"path":"[path]"}'],
  ["/h?k=abc+def/ghi12==", String.raw`no abc\u002Bdef/ghi12== here`, "no [path] here"],
  ["/hooks/abc%2Bdef%2Fghi12==", String.raw`no abc\u002Bdef/ghi12\u003d&#61; here`, "no [path] here"],
  ["/hooks/a'b'c'd'e", "no a&#x27;b&#x27;c&#39;d&apos;e here", "no [path] here"],
  [
    "/hooks/%E6%97%A5%F0%9F%98%80secret",
    String.raw`no \u65e5\ud83d\uDE00secret, 日&#128512;secret`,
    "no [path], [path]",
  ],
  ["/hooks/a&b&c&d&e&f", "Cannot POST /hooks/a&amp;b&amp;c&am", "Cannot POST [path]"],
  ["/hooks/a&amp;b&amp;c", "no a&amp;b&amp;c", "no [path]"],
  ["/hooks/aaaaaaaa", "&#9999999;\\ &", "&#9999999;\\ &"],
  ["/hooks/short", "unknown hook short", "unknown hook short"],
])("for the path %j, %j becomes %j", ([path, text, redacted]) => {
  expect(redactPath(text, `https://hooks.example.com${path}`)).toBe(redacted);
});
