import { expect, it } from "vitest";
import { isPublicName } from "../../src/targets/target.ts";
import { normalizeHostname } from "../../src/targets/target-list.ts";

it.each([
  "localhost",
  "a.b.localhost",
  "intranet",
  "metadata",
  "com",
  "printer.local",
  "api.default.svc",
  "api.default.svc.cluster.local",
  "db.internal",
  "metadata.google.internal",
  "host.docker.internal",
  "router.home.arpa",
  "1.0.0.127.in-addr.arpa",
  "1.ip6.arpa",
  "localhost.localdomain",
  "dc.corp",
  "nas.lan",
  "nas.home",
  "app.intranet",
  "app.private",
  "metadata.goog",
  "api.metadata.cloud.ibm.com",
  "",
])("%j is not public", (name) => expect(isPublicName(name)).toBe(false));

it.each([
  "example.com",
  "localhost.example.com",
  "internal.example.com",
  "mylocal.host",
  "notlocal.io",
  "foo.test",
  "xn--bcher-kva.example",
  "goog.metadata.example",
])("%j can be public", (name) => expect(isPublicName(name)).toBe(true));

it("handles a name with half a million labels or dots quickly", () => {
  const labels = "a.".repeat(500_000);
  expect(isPublicName(`${labels}example`)).toBe(true);
  expect(isPublicName(`${labels}internal`)).toBe(false);
  const dots = ".".repeat(500_000);
  expect(normalizeHostname(`a${dots}b${dots}`)).toBe(`a${dots}b`);
});
