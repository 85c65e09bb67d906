import { validate } from "dockerfile-utils";
import express from "express";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { listVariables, readConfig } from "../../../server/src/config.ts";
import { run } from "../../src/machine/run.ts";
import { readManifest, ROOT } from "../../src/workspace.ts";
import { findComposeProblems } from "./compose-schema.ts";

interface Compose {
  readonly services: Readonly<
    Record<
      string,
      { readonly environment?: Readonly<Record<string, string>>; readonly volumes?: readonly string[] }
    >
  >;
}

const read = (name: string): string => readFileSync(join(ROOT, "packages/server/deploy", name), "utf8");
const load = (name: string): Compose => parse(read(name), { merge: true }) as Compose;

describe.each(["compose.yaml", "compose.cluster.yaml"])("%s", (name) => {
  it("is valid according to Compose's schema", () => {
    const compose = load(name);
    expect(findComposeProblems({ ...compose })).toBeNull();
    const [service = "", settings] = Object.entries(compose.services)[0] ?? [];
    const misspelled = { ...compose.services, [service]: { ...settings, read_onlyy: true } };
    expect(findComposeProblems({ ...compose, services: misspelled })).not.toBeNull();
  });

  it("mounts the folder ./files once its commented-out volume is uncommented", () => {
    const uncommented = parse(read(name).replace(/^( *)#(?=- |volumes:)/m, "$1"), { merge: true }) as Compose;
    expect(findComposeProblems({ ...uncommented })).toBeNull();
    const [service] = Object.values(uncommented.services);
    expect(service?.volumes).toContain("./files:/etc/snap:ro");
  });
});

/** Substitutes the variables from .env, as Compose does. */
const interpolate = (value: string, env: Readonly<Record<string, string>>): string =>
  value.replaceAll(/\$\{(\w+)(?::([?-])([^}]*))?\}/g, (_, name: string, sign = "", text = "") => {
    const found = env[name] ?? "";
    if (found === "" && sign === "?") throw new Error(`${name}: ${text}`);
    return found === "" ? String(text) : found;
  });

const environmentOf = (
  { services }: Compose,
  name: string,
  env: Readonly<Record<string, string>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(services[name]?.environment ?? {}).map(([key, value]) => [key, interpolate(value, env)]),
  );

it.each([
  ["compose.yaml", "snap"],
  ["compose.cluster.yaml", "api-1"],
])("the service in %s trusts proxies with private addresses, but not with a public one", (file, name) => {
  const secret = "0123456789abcdef";
  const env = {
    SNAP_PUBLIC_URL: "https://snap.example.com",
    SNAP_SECRET_KEY: secret,
    POSTGRES_PASSWORD: secret,
    REDIS_PASSWORD: secret,
  };
  const { config } = readConfig(environmentOf(load(file), name, env));
  const trusts = express().set("trust proxy", config.trustProxy).get("trust proxy fn") as (
    address: string,
    hop: number,
  ) => boolean;
  // Docker assigns its networks private addresses, such as the first two
  const trusted = ["172.18.0.3", "192.168.16.3", "203.0.113.6"].filter((address) => trusts(address, 0));
  expect(trusted).toEqual(["172.18.0.3", "192.168.16.3"]);
});

describe("the services in compose.cluster.yaml", () => {
  const compose = load("compose.cluster.yaml");
  const example = Object.fromEntries(
    Array.from(read("cluster.env.example").matchAll(/^(\w+)=(.*)$/gm), ([, name = "", value = ""]) => [
      name,
      value,
    ]),
  );
  const secrets = ["SNAP_SECRET_KEY", "POSTGRES_PASSWORD", "REDIS_PASSWORD"];
  const filled = Object.fromEntries(secrets.map((name) => [name, "0123456789abcdef"]));

  it.each(secrets)("do not start without %s", (name) => {
    const start = (): unknown =>
      Object.keys(compose.services).map((service) =>
        environmentOf(compose, service, { ...example, ...filled, [name]: "" }),
      );
    expect(start).toThrow(name);
  });

  it.each([
    ["api-1", "api"],
    ["api-3", "api"],
    ["worker-2", "worker"],
  ])("have a valid configuration if .env is complete: %s", (name, role) => {
    const env = { ...example, ...filled };
    const { config, warnings } = readConfig({ ...env, ...environmentOf(compose, name, env) });
    expect(warnings).toEqual([]);
    expect(config).toMatchObject({
      host: "0.0.0.0",
      role,
      shared: {
        databaseUrl: "postgres://snap:0123456789abcdef@postgres:5432/snap",
        redisUrl: "redis://:0123456789abcdef@redis:6379",
      },
      sandbox: "on",
    });
  });
});

describe("Dockerfile", () => {
  it("has no lint errors", () => {
    expect(validate(read("Dockerfile"))).toEqual([]);
  });

  it.each([
    ["amd64", "x64"],
    ["arm64", "arm64"],
  ])("installs binaries for the image's architecture: %s", async (architecture, cpu) => {
    const [, command = ""] = /^RUN (.* deploy .*)$/m.exec(read("Dockerfile")) ?? [];
    const { output } = await run("sh", ["-c", `npx() { echo "$@"; }; ${command}`], {
      env: { TARGETARCH: architecture },
    });
    expect(output).toMatch(new RegExp(` deploy --prod --cpu=${cpu} /opt/snap$`));
  });

  it("uses the repository's version of pnpm", () => {
    const used = new Set(read("Dockerfile").match(/pnpm@[\d.]+/g));
    expect([...used]).toEqual([readManifest(ROOT).packageManager]);
  });
});

it("no deployment uses an unknown variable or turns the sandbox off", () => {
  const files = [
    "Dockerfile",
    "compose.yaml",
    "compose.cluster.yaml",
    "Caddyfile",
    "Caddyfile.cluster",
  ].concat(
    ["snap-server.service", "snap.env.example", "cluster.env.example"],
    ["values.yaml", "values.schema.json", "templates/_helpers.tpl", "ci/cluster-values.yaml"].map(
      (file) => `helm/snap/${file}`,
    ),
  );
  const text = files.map(read).join("\n");
  const known = new Set(listVariables().map(({ name }) => name));
  const named = text.match(/SNAP_[A-Z_]+/g) ?? [];
  expect(named).toContain("SNAP_PUBLIC_URL");
  expect(named.filter((name) => !known.has(name))).toEqual([]);
  expect(text).not.toMatch(/SNAP_SANDBOX[=:] *"?off/);
  expect(text).toContain('- name: SNAP_SANDBOX\n          value: "on"');
});
