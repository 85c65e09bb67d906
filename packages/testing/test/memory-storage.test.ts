import { describe, it } from "vitest";
import {
  createMemoryRenderLeases,
  createMemoryStorage,
  testRenderLeases,
  testStorage,
} from "../src/index.ts";

testStorage({ describe, it }, async (settings) => {
  const storage = createMemoryStorage(settings);
  return { storage, close: () => storage.close() };
});

testRenderLeases({ describe, it }, async () => {
  const storage = createMemoryStorage();
  return {
    storage: { ...storage, renderLeases: createMemoryRenderLeases() },
    close: () => storage.close(),
  };
});
