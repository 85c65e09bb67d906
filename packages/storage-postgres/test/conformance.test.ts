import { testStorage } from "@snap/testing";
import { describe, it } from "vitest";
import { useServer } from "./server.ts";

describe("with PostgreSQL", { tags: ["postgres"] }, () => {
  const { openEmptied } = useServer();
  testStorage({ describe, it }, openEmptied);
});
