import { readConfig, type Config } from "../../config.ts";
import { messageOf } from "../../config/message-of.ts";
import { checkBrowser } from "./check-browser.ts";
import { checkFonts } from "./check-fonts.ts";
import { checkNames } from "./check-names.ts";
import { checkStorage } from "./check-storage.ts";
import { ok, problem, warning, type Finding } from "./finding.ts";

/** Every check of this machine, in the order in which one would mend what they find. */
export async function examine(): Promise<readonly Finding[]> {
  const { config, findings } = checkConfiguration();
  // Without a configuration there is nothing further to look at.
  if (config === null) return findings;
  const checks = [checkBrowser(config), checkFonts(), checkStorage(config), checkNames()];
  return [...findings, ...(await Promise.all<Finding | readonly Finding[]>(checks)).flat()];
}

function checkConfiguration(): { readonly config: Config | null; readonly findings: readonly Finding[] } {
  const name = "configuration";
  try {
    const { config, warnings } = readConfig(process.env);
    const doubts = warnings.map((text) => warning(name, text, "unset it, or correct its name"));
    return { config, findings: doubts.length > 0 ? doubts : [ok(name, "every variable is valid")] };
  } catch (error) {
    return { config: null, findings: [problem(name, messageOf(error), "correct it, and ask again")] };
  }
}
