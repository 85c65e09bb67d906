import { createEngine, parseAllowedTargets } from "@snap/engine";
import { createPuppeteerRenderer } from "@snap/engine/puppeteer";
import { openSqliteStorage } from "@snap/storage-sqlite";
import { QUALITY, type RenderJob, type StartProgram } from "./way.ts";

/** Ours without HTTP: the engine over the embedded storage, everything on. */
export const startEngine: StartProgram = async ({ browserPath, allowedTargets, folder }) => {
  const targets = { allow: parseAllowedTargets(allowedTargets), ownHostnames: [] };
  const engine = createEngine({
    storage: await openSqliteStorage({ directory: folder }),
    renderer: createPuppeteerRenderer({ executablePath: browserPath, targets }),
    secretKey: "only of the benchmark",
  });
  const account = await engine.accounts.create({
    email: "bench@example.com",
    verified: true,
    planSlug: "scale",
    creditsPerPeriod: 1_000_000,
    requestsPerMinute: 1_000_000,
  });
  const { token } = await engine.tokens.create({ accountId: account.id });
  return {
    async render(job) {
      const principal = await engine.authenticate(token);
      const { rendering } = await engine.capture({ principal, parameters: parametersOf(job) });
      return rendering.bytes;
    },
    close: () => engine.close(),
  };
};

/** The same request in our own words. */
export function parametersOf({ url, format, fullPage, waitUntil }: RenderJob): {
  url: string;
  [name: string]: string | number | boolean;
} {
  // A PDF has no `waitUntil` to send: it waits as it does by default.
  if (format === "pdf") return { url, pdf: true };
  return {
    url,
    format,
    ...(waitUntil === "default" ? {} : { waitUntil }),
    ...(fullPage ? { fullPage } : {}),
    ...(format === "png" ? {} : { quality: QUALITY }),
  };
}
