import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { ok, problem, warning, type Finding } from "./finding.ts";

const LIST_TIMEOUT_MS = 10_000;

/** Scripts that pages are written in, by what fontconfig calls them, and a package that brings them. */
const SCRIPTS = [
  { name: "Latin", language: "en", install: "fonts-liberation" },
  { name: "Chinese", language: "zh-cn", install: "fonts-noto-cjk" },
  { name: "Japanese", language: "ja", install: "fonts-noto-cjk" },
  { name: "Korean", language: "ko", install: "fonts-noto-cjk" },
  { name: "emoji", language: "und-zsye", install: "fonts-noto-color-emoji" },
] as const;

/** Text in a script without a font comes out as empty boxes. */
export async function checkFonts(): Promise<Finding> {
  const counts = await Promise.all(SCRIPTS.map(({ language }) => countFonts(language)));
  if (counts.some((count) => count === null))
    return warning("fonts", "fc-list can't be asked which there are", "apt-get install fontconfig");
  const missing = SCRIPTS.filter((_, index) => counts[index] === 0);
  if (missing.length === 0) return ok("fonts", SCRIPTS.map(({ name }) => name).join(", "));
  const message = `none for ${missing.map(({ name }) => name).join(", ")}: such text is drawn as empty boxes`;
  const advice = `apt-get install ${[...new Set(missing.map(({ install }) => install))].join(" ")}`;
  return missing.some(({ name }) => name === "Latin")
    ? problem("fonts", message, advice)
    : warning("fonts", message, advice);
}

async function countFonts(language: string): Promise<number | null> {
  try {
    const { stdout } = await promisify(execFile)("fc-list", [`:lang=${language}`, "family"], {
      timeout: LIST_TIMEOUT_MS,
    });
    return stdout.split("\n").filter((line) => line !== "").length;
  } catch {
    return null;
  }
}
