import { testStorage } from "@snap/testing";
import { describe, it } from "vitest";
import { openInTemporaryDirectory } from "./temporary.ts";

testStorage({ describe, it }, openInTemporaryDirectory);
