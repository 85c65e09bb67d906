import { abortable } from "../../../timeouts.ts";
import { configureTargets } from "../follow-targets.ts";
import { credentialRules } from "../send-credentials.ts";
import { documentRules } from "../serve-document.ts";
import { block } from "../block/block.ts";
import type { PageToRender } from "../page-to-render.ts";
import { mediaSettings } from "./media.ts";
import { positionSettings, regionSettings } from "./region.ts";
import { scriptSettings } from "./scripts.ts";
import { BYPASS_SERVICE_WORKERS } from "./service-workers.ts";
import type { SettingsFactory } from "./setting.ts";
import { userAgentSettings } from "./user-agent.ts";
import { viewportSettings } from "./viewport.ts";

/** Every setting that parameters request before the page loads, except those that block. */
const SETTINGS: readonly SettingsFactory[] = [
  viewportSettings,
  mediaSettings,
  regionSettings,
  positionSettings,
  userAgentSettings,
  scriptSettings,
];

/** Configures a tab before it navigates. Sends no commands for settings that a ready tab already has. */
export async function configure(page: PageToRender, signal: AbortSignal): Promise<void> {
  const { tab, parameters } = page;
  const blocking = block(page);
  const requestRules = [...blocking.rules, ...credentialRules(page)];
  const settings = [
    ...SETTINGS.flatMap((settingsOf) => settingsOf(parameters)),
    ...blocking.settings,
    ...(requestRules.length > 0 ? [BYPASS_SERVICE_WORKERS] : []),
  ];
  const rules = [...requestRules, ...documentRules(page)];
  if (settings.length + rules.length > 0) await abortable(signal, configureTargets(tab, { settings, rules }));
}
