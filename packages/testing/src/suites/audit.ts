import type { AuditEntry } from "@snap/engine/ports";
import assert from "node:assert/strict";
import { concurrently, CONCURRENT_CALLS, defineSuite, overwrite, UNUSUAL_STRINGS } from "./suite.ts";
import type { OpenStorage, SuiteRunner } from "./suite.ts";

function sampleEntry(change: Partial<AuditEntry> = {}): AuditEntry {
  return {
    at: 1_000,
    command: "tokens revoke",
    subjects: ["token 7"],
    user: "ada",
    host: "snap-1",
    ...change,
  };
}

/** Tests `AuditStore`: it returns entries as they were appended, in order, and deletes only old ones. */
export function testAuditStore(runner: SuiteRunner, open: OpenStorage<"audit">): void {
  defineSuite<"audit">({ runner, open, name: "AuditStore" }, (test) => {
    test("lists the entries since an instant, in order", async ({ audit }) => {
      assert.deepEqual(await audit.list({ since: 0 }), []);
      const entries = [
        sampleEntry({ subjects: [], user: "uid 1000" }),
        sampleEntry({ at: 2_000, command: "accounts create", subjects: ["account acct_1", "token 1"] }),
        sampleEntry({ at: 2_000, command: "accounts update" }),
        sampleEntry({ at: 3_000 }),
      ];
      for (const entry of entries) await audit.append(entry);
      assert.deepEqual(await audit.list({ since: 0 }), entries);
      assert.deepEqual(await audit.list({ since: 2_000 }), entries.slice(1));
      assert.deepEqual(await audit.list({ since: 3_001 }), []);
    });

    test("isolates stored entries from its arguments and results", async ({ audit }) => {
      const entry = sampleEntry();
      await audit.append(entry);
      overwrite(entry);
      overwrite(await audit.list({ since: 0 }));
      assert.deepEqual(await audit.list({ since: 0 }), [sampleEntry()]);
    });

    test("stores any text", async ({ audit }) => {
      const entries = UNUSUAL_STRINGS.map((text) =>
        sampleEntry({ command: text, subjects: [text, ""], user: text, host: text }),
      );
      for (const entry of entries) await audit.append(entry);
      assert.deepEqual(await audit.list({ since: 0 }), entries);
    });

    test("stores all of many concurrent entries", async ({ audit }) => {
      await concurrently((index) => audit.append(sampleEntry({ subjects: [`token ${index}`] })));
      const subjects = new Set((await audit.list({ since: 0 })).flatMap((entry) => entry.subjects));
      assert.equal(subjects.size, CONCURRENT_CALLS);
    });

    test("deletes at most `limit` old entries", async ({ audit }) => {
      for (const at of [1_000, 2_000, 3_000, 4_000]) await audit.append(sampleEntry({ at }));
      assert.equal(await audit.prune({ before: 4_000, limit: 2 }), 2);
      assert.deepEqual(
        (await audit.list({ since: 0 })).map(({ at }) => at),
        [3_000, 4_000],
      );
      assert.equal(await audit.prune({ before: 4_000, limit: 2 }), 1);
      assert.equal(await audit.prune({ before: 4_000, limit: 2 }), 0);
    });
  });
}
