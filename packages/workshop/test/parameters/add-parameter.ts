import type { ParameterRow } from "@snap/protocol";
import { vi } from "vitest";
import type * as tableModule from "../../../protocol/src/parameters/table.ts";

const TABLE = "../../../protocol/src/parameters/table.ts";

const DARK_MODE: ParameterRow = {
  name: "darkMode",
  modes: ["screenshot", "pdf"],
  group: "Page",
  kind: "flag",
  default: false,
  description: "Render the page's dark design.",
  example: true,
};

/** Adds `darkMode` to the table that later imports load. Returns a function that restores the table. */
export function addParameter(): () => void {
  vi.doMock(TABLE, async (importOriginal) => {
    const original = await importOriginal<typeof tableModule>();
    return { ...original, PARAMETER_TABLE: [...original.PARAMETER_TABLE, DARK_MODE] };
  });
  return () => vi.doUnmock(TABLE);
}
