import { describe, it } from "vitest";
import { createMemoryFlights, createMemoryStorage, testFlightStore, testStorage } from "../src/index.ts";

testStorage({ describe, it }, async () => {
  const storage = createMemoryStorage();
  return { storage, close: () => storage.close() };
});

testFlightStore({ describe, it }, async () => {
  const storage = createMemoryStorage();
  return {
    storage: { ...storage, flights: createMemoryFlights() },
    close: () => storage.close(),
  };
});
