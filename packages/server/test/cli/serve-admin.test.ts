import { describe, expect, it } from "vitest";
import { adminOptions, checkEncryption } from "../../src/cli/serve-admin.ts";
import { readConfig, type Environment } from "../../src/config.ts";

const SNAP_ADMIN_TOKEN = "0123456789abcdef";
const FACTS = { isDev: false, sandbox: "on", warnings: [] } as const;

describe("the service warns at startup if it serves the admin API without TLS", () => {
  it.each<[Environment, boolean]>([
    [{}, false],
    [{ SNAP_CONSOLE: "on" }, false],
    [{ SNAP_CONSOLE: "on", SNAP_HOST: "localhost" }, false],
    [{ SNAP_CONSOLE: "on", SNAP_HOST: "0.0.0.0" }, true],
    [{ SNAP_ADMIN_TOKEN, SNAP_HOST: "10.0.0.5" }, true],
    [{ SNAP_HOST: "0.0.0.0" }, false],
    [{ SNAP_CONSOLE: "on", SNAP_HOST: "0.0.0.0", SNAP_PUBLIC_URL: "https://snap.example.com" }, false],
    [{ SNAP_CONSOLE: "on", SNAP_PUBLIC_URL: "http://snap.example.com" }, true],
    [{ SNAP_CONSOLE: "on", SNAP_PUBLIC_URL: "http://localhost:3000" }, false],
    [{ SNAP_CONSOLE: "on", SNAP_PUBLIC_URL: "http://[::1]:3000", SNAP_HOST: "::1" }, false],
    [{ SNAP_CONSOLE: "on", SNAP_PUBLIC_URL: "http://localhost:3000", SNAP_HOST: "0.0.0.0" }, true],
    [
      {
        SNAP_ADMIN_TOKEN,
        SNAP_ROLE: "worker",
        SNAP_HOST: "0.0.0.0",
        SNAP_PUBLIC_URL: "http://snap.internal",
      },
      false,
    ],
  ])("with %j: %s", (environment, warns) => {
    const findings = checkEncryption(readConfig(environment, "service").config, false);
    expect(findings.map(({ code }) => code)).toEqual(warns ? ["admin_api_unencrypted"] : []);
  });
});

describe("the console", () => {
  it.each<[Environment, boolean, boolean]>([
    [{}, false, false],
    [{}, true, true],
    [{ SNAP_CONSOLE: "off" }, true, false],
    [{ SNAP_CONSOLE: "on" }, false, true],
    [{ SNAP_CONSOLE: "on", SNAP_ROLE: "api" }, false, true],
    [{ SNAP_CONSOLE: "on", SNAP_ROLE: "worker", SNAP_PUBLIC_URL: "https://snap.example.com" }, false, false],
  ])("with %j, and --dev %s, is served: %s", async (environment, isDev, isServed) => {
    const { config } = readConfig(environment, "service");
    const { console: site } = await adminOptions(config, { ...FACTS, isDev });
    expect(site != null).toBe(isServed);
  });

  it("shows problems found at startup", async () => {
    const { config } = readConfig({ SNAP_CONSOLE: "on" }, "service");
    const warnings = ["SNAP_PROT is not a known variable; did you mean SNAP_PORT?"];
    const { problems } = await adminOptions(config, { isDev: false, sandbox: "off", warnings });
    expect(problems?.map(({ status, code }) => `${status} ${code}`)).toEqual([
      "warning sandbox_off",
      "warning configuration_suspicious",
    ]);
  });
});
