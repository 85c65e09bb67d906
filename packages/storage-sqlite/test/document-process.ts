import { openSqliteStorage } from "../src/index.ts";

/* Stores documents until it is killed: `document-process.ts DIRECTORY BYTES`. */

const [, , directory = "", size = ""] = process.argv;
const { documents } = await openSqliteStorage({ directory });
const bytes = new Uint8Array(Number(size));
for (let number = 0; ; number += 1) {
  await documents.put({
    document: {
      accountId: "acct_1",
      id: number.toString(16).padStart(64, "0"),
      contentType: "text/html",
      bytes: bytes.byteLength,
      files: 1,
      storedAt: 1_767_225_600_000,
      expiresAt: 1_767_225_601_000,
    },
    files: [{ path: "index.html", contentType: "text/html", bytes }],
    quota: { documents: 10_000, bytes: 1e12 },
  });
  process.stdout.write(`${number}\n`);
}
