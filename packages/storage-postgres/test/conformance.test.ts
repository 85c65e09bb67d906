import { testStorage } from "@snap/testing";
import { describe, it } from "vitest";
import { useServer } from "./server.ts";

describe("over PostgreSQL", { tags: ["postgres"] }, () => {
  const { openEmptied } = useServer();
  testStorage({ describe, it }, openEmptied);
});
