import type { CDPSession } from "puppeteer";
import type { SettingsFactory } from "./setting.ts";

/** `javascript`: the service's own steps still run, in isolated worlds. */
export const scriptSettings: SettingsFactory = ({ javascript }) =>
  javascript ? [] : [{ targets: "frames", apply: ({ session }) => disableScripts(session) }];

/** Stops the scripts of the session's frames, including those that are already running. */
export async function disableScripts(session: CDPSession): Promise<void> {
  await session.send("Emulation.setScriptExecutionDisabled", { value: true });
}
