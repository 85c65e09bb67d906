import type { SignInKey } from "@snap/engine/ports";
import assert from "node:assert/strict";
import { concurrently, countOf, defineSuite } from "./suite.ts";
import type { OpenStorage, SuiteRunner } from "./suite.ts";

const NOW = 1_767_225_600_000;
const EXPIRES_AT = NOW + 600_000;

function keyOf(index: number, kind: SignInKey["kind"] = "link"): SignInKey {
  return { kind, hash: index.toString(16).padStart(64, "0") };
}

const KINDS = ["link", "session"] as const;
const LINK = keyOf(1);

/** Tests `SignInStore`: links work once, and everything expires at the exact millisecond. */
export function testSignInStore(runner: SuiteRunner, open: OpenStorage<"signIns">): void {
  defineSuite<"signIns">({ runner, open, name: "SignInStore" }, (test) => {
    test("finds a link or session until the exact millisecond of its expiry", async ({ signIns }) => {
      for (const kind of KINDS) {
        const key = keyOf(1, kind);
        await signIns.insert({ ...key, expiresAt: EXPIRES_AT });
        assert.equal(await signIns.find({ ...key, now: EXPIRES_AT - 1 }), EXPIRES_AT, kind);
        assert.equal(await signIns.find({ ...key, now: EXPIRES_AT }), null, kind);
      }
    });

    test("distinguishes kinds and hashes", async ({ signIns }) => {
      await signIns.insert({ ...LINK, expiresAt: EXPIRES_AT });
      for (const key of [keyOf(1, "session"), keyOf(2), { ...LINK, hash: "" }, { ...LINK, hash: "a\0b" }]) {
        const text = JSON.stringify(key);
        assert.equal(await signIns.find({ ...key, now: NOW }), null, `find ${text}`);
        assert.equal(await signIns.take({ ...key, now: NOW }), false, `take ${text}`);
      }
      await signIns.insert({ ...keyOf(1, "session"), expiresAt: EXPIRES_AT + 1 });
      assert.equal(await signIns.find({ ...keyOf(1, "session"), now: NOW }), EXPIRES_AT + 1);
      assert.equal(await signIns.find({ ...LINK, now: NOW }), EXPIRES_AT);
    });

    test("lets only one of many concurrent calls take a link", async ({ signIns }) => {
      await signIns.insert({ ...LINK, expiresAt: EXPIRES_AT });
      const outcomes = await concurrently(() => signIns.take({ ...LINK, now: NOW }));
      assert.equal(countOf(outcomes, true), 1, "calls that took the link");
      assert.equal(await signIns.find({ ...LINK, now: NOW }), null);
      assert.equal(await signIns.take({ ...LINK, now: NOW }), false);
    });

    test("does not take an expired link", async ({ signIns }) => {
      await signIns.insert({ ...LINK, expiresAt: EXPIRES_AT });
      assert.equal(await signIns.take({ ...LINK, now: EXPIRES_AT }), false);
      await signIns.insert({ ...keyOf(2), expiresAt: EXPIRES_AT });
      assert.equal(await signIns.take({ ...keyOf(2), now: EXPIRES_AT - 1 }), true);
    });

    test("clears all links and sessions", async ({ signIns }) => {
      await signIns.insert({ ...LINK, expiresAt: EXPIRES_AT });
      for (const index of [1, 2]) await signIns.insert({ ...keyOf(index, "session"), expiresAt: EXPIRES_AT });
      assert.equal(await signIns.clear(), 3);
      assert.equal(await signIns.clear(), 0);
      assert.equal(await signIns.find({ ...LINK, now: NOW }), null);
      assert.equal(await signIns.find({ ...keyOf(1, "session"), now: NOW }), null);
    });

    test("prunes expired links and sessions, up to the limit", async ({ signIns }) => {
      const keyAt = (index: number): SignInKey => keyOf(index, KINDS[index % 2]);
      for (let index = 0; index < 10; index += 1)
        await signIns.insert({ ...keyAt(index), expiresAt: NOW + index });
      assert.equal(await signIns.prune({ now: NOW + 4, limit: 0 }), 0);
      assert.equal(await signIns.prune({ now: NOW + 4, limit: 3 }), 3);
      assert.equal(await signIns.prune({ now: NOW + 4, limit: 3 }), 2);
      assert.equal(await signIns.prune({ now: NOW + 4, limit: 3 }), 0);
      for (let index = 0; index < 10; index += 1) {
        const found = await signIns.find({ ...keyAt(index), now: NOW - 1 });
        assert.equal(found, index < 5 ? null : NOW + index, `${keyAt(index).kind} ${index}`);
      }
    });
  });
}
