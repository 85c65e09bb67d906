import { describe, it } from "vitest";
import { createMemoryStorage, testStorage } from "../src/index.ts";

testStorage({ describe, it }, async () => {
  const storage = createMemoryStorage();
  return { storage, close: () => storage.close() };
});
