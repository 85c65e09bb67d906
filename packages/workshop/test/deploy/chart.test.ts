import { Ajv } from "ajv";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { listVariables, readConfig } from "../../../server/src/config.ts";
import { openApiDocument } from "../../../server/src/openapi/document.ts";
import { run, type Outcome } from "../../src/machine/run.ts";
import { ROOT } from "../../src/workspace.ts";

const CHART = join(ROOT, "packages/server/deploy/helm/snap");
const read = (name: string): string => readFileSync(join(CHART, name), "utf8");

type Values = Readonly<Record<string, unknown>>;

interface Variable {
  readonly name: string;
  readonly value: string;
}

interface Container {
  readonly env: readonly Variable[];
  readonly image: string;
  readonly securityContext: unknown;
  readonly resources: unknown;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly [probe: `${string}Probe`]: { readonly httpGet: { readonly path: string } };
}

interface Resource {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly replicas?: number;
    readonly template?: {
      readonly spec: {
        readonly containers: readonly [Container];
        readonly volumes: readonly { readonly name: string }[];
        readonly enableServiceLinks: boolean;
        readonly automountServiceAccountToken: boolean;
        readonly securityContext: unknown;
        readonly terminationGracePeriodSeconds: number;
      };
    };
  };
}

/** The values that `helm lint` and these tests use. */
const SINGLE = parse(read("ci/single-values.yaml")) as Values;
const CLUSTER = parse(read("ci/cluster-values.yaml")) as Values;

const defaults = parse(read("values.yaml")) as Values;

it("values.yaml forwards every path of the API, the old /api/v1, /mcp and /docs, but no internal path", () => {
  const { paths } = defaults["ingress"] as { readonly paths: readonly string[] };
  const prefixes = paths.map((path) => `${path.replace(/\/$/, "")}/`);
  const isForwarded = (path: string): boolean => prefixes.some((prefix) => `${path}/`.startsWith(prefix));
  const described = Object.keys(openApiDocument("https://snap.example.com").paths ?? {});
  const publicPaths = described.map((path) => `/v1${path}`).concat("/api/v1/snap", "/mcp", "/docs");
  expect(publicPaths.filter((path) => !isForwarded(path))).toEqual([]);
  const internal = ["/", "/metrics", "/healthz", "/readyz", "/console/", "/admin/v1/accounts"];
  expect(internal.filter(isForwarded)).toEqual([]);
});

describe("values.schema.json", () => {
  const validate = new Ajv({ strict: true, allErrors: true }).compile(JSON.parse(read("values.schema.json")));
  /** Returns the paths of the values that it rejects. Values replace whole defaults, unlike in Helm. */
  const rejected = (values: Values): readonly string[] => {
    validate({ ...defaults, ...values });
    return (validate.errors ?? [])
      .filter(({ keyword }) => keyword !== "if")
      .map(({ instancePath, params }) => `${instancePath}/${String(params["additionalProperty"] ?? "")}`);
  };

  it("accepts the values in ci, which set everything that has no default", () => {
    expect(rejected(SINGLE)).toEqual([]);
    expect(rejected(CLUSTER)).toEqual([]);
    expect(rejected({})).toEqual(["/image/", "/publicUrl/"]);
  });

  it("needs no Secret in cluster mode if the secrets are in files", () => {
    const files = {
      SNAP_DATABASE_URL_FILE: "/etc/snap/database-url",
      SNAP_REDIS_URL_FILE: "/etc/snap/redis-url",
      SNAP_SECRET_KEY_FILE: "/etc/snap/secret-key",
    };
    expect(rejected({ ...CLUSTER, secretName: "", settings: files })).toEqual([]);
    const { SNAP_SECRET_KEY_FILE: _, ...incomplete } = files;
    expect(rejected({ ...CLUSTER, secretName: "", settings: incomplete })).toContain("/settings/");
  });

  it("rejects every secret in settings", () => {
    const names = listVariables().map(({ name }) => name);
    const secrets = names.filter((name) => names.includes(`${name}_FILE`));
    expect(secrets).toContain("SNAP_TOKEN");
    for (const name of secrets)
      expect(rejected({ ...SINGLE, settings: { [name]: "in the open" } })).not.toEqual([]);
  });

  it.each<[string, Values]>([
    ["/imagee", { imagee: "" }],
    ["/image/", { image: "registry.example.com/snap-server" }],
    ["/publicUrl/", { publicUrl: "https://snap.example.com/v1" }],
    ["/mode/", { mode: "both" }],
    ["/secretName/", { mode: "cluster", secretName: "" }],
    ["/settings", { settings: { SNAP_SANDBOX: "off" } }],
    ["/settings", { settings: { PATH: "/usr/bin" } }],
    ["/settings/SNAP_METRICS_PATH/", { settings: { SNAP_METRICS_PATH: 1 } }],
    ["/extraVolumes/0/name/", { extraVolumes: [{ name: "data", emptyDir: {} }] }],
    ["/extraVolumeMounts/0/mountPath/", { extraVolumeMounts: [{ name: "files", mountPath: "etc/snap" }] }],
    ["/terminationGracePeriodSeconds/", { terminationGracePeriodSeconds: 90 }],
    ["/api/replicas/", { api: { replicas: 0 } }],
    ["/worker/replica", { worker: { replicas: 1, replica: 2 } }],
    ["/metrics/enabled/", { metrics: { enabled: false, podMonitor: true } }],
    ["/seccompProfile/", { seccompProfile: "/snap/seccomp.json" }],
  ])("rejects %s in %j", (path, values) => {
    const paths = rejected({ ...SINGLE, ...values });
    expect(paths.some((found) => found.startsWith(path))).toBe(true);
  });
});

it("the pods' metrics have the job label that the alerts expect", () => {
  const [, label = "no label"] = /^ {2}jobLabel: (\S+)$/m.exec(read("templates/pod-monitor.yaml")) ?? [];
  const podLabels = read("templates/_helpers.tpl").matchAll(/^(app\S+): (\S+)$/gm);
  const job = new Map(Array.from(podLabels, ([, name, value]) => [name, value])).get(label);
  const alerts = readFileSync(join(ROOT, "packages/server/deploy/alerts.yml"), "utf8");
  const expected = new Set(Array.from(alerts.matchAll(/\bjob="([^"]*)"/g), ([, name]) => name));
  expect([...expected]).toEqual([job]);
});

describe.each([
  ["single", ["all"]],
  ["cluster", ["api", "worker"]],
])("the chart in %s mode", { tags: ["helm"] }, (mode, roles) => {
  const values = ["--values", join(CHART, `ci/${mode}-values.yaml`)];
  const template = (...args: string[]): Promise<Outcome> =>
    run("helm", ["template", "web", CHART, ...values, ...args]);

  async function render(): Promise<readonly Resource[]> {
    const { output } = await template();
    const documents = parseAllDocuments(output).map((document) => document.toJS() as Resource | null);
    return documents.filter((document) => document !== null);
  }

  it("passes helm lint", async () => {
    const outcome = await run("helm", ["lint", "--strict", CHART, ...values]);
    expect(outcome).toMatchObject({ ok: true });
  });

  it("creates the expected objects and no others", async () => {
    const names = (await render()).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(names.toSorted()).toEqual(
      mode === "single"
        ? ["Deployment web-all", "PersistentVolumeClaim web-data", "Service web"]
        : [
            "Deployment web-api",
            "Deployment web-worker",
            "Ingress web",
            "NetworkPolicy web",
            "PodDisruptionBudget web-api",
            "PodDisruptionBudget web-worker",
            "PodMonitor web",
            "Service web",
          ],
    );
  });

  it.each(roles)("gives the container valid settings and no extra privileges: %s", async (role) => {
    const deployment = (await render()).find(({ metadata }) => metadata.name === `web-${role}`);
    const pod = deployment?.spec.template?.spec;
    const [container] = pod?.containers ?? [];
    const secret =
      mode === "single"
        ? {}
        : {
            SNAP_SECRET_KEY: "k".repeat(32),
            SNAP_DATABASE_URL: "postgres://db/snap",
            SNAP_REDIS_URL: "redis://cache",
          };
    const variables = Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value]));
    const { config, warnings } = readConfig({ ...secret, ...variables });
    expect(warnings).toEqual([]);
    expect(config).toMatchObject({ role, host: "0.0.0.0", port: 3000, sandbox: "on", drainDelayMs: 10_000 });

    // A Service called snap would otherwise set SNAP_PORT to a URL.
    expect(pod).toMatchObject({
      enableServiceLinks: false,
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 120,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 10_001,
        seccompProfile: { type: "Localhost", localhostProfile: "snap/seccomp.json" },
      },
    });
    expect(container?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    const mounts = container?.volumeMounts ?? [];
    const volumes = new Set(pod?.volumes.map(({ name }) => name));
    expect(mounts.filter(({ name }) => !volumes.has(name))).toEqual([]);
    expect(mounts.some(({ mountPath }) => mountPath === "/etc/snap")).toBe(mode === "cluster");
    const probes = [container?.startupProbe, container?.livenessProbe, container?.readinessProbe];
    expect(probes.map((probe) => probe?.httpGet.path)).toEqual(["/healthz", "/healthz", "/readyz"]);
  });

  it("rejects values that the schema does not allow", async () => {
    expect((await template("--set", "publicUrl=snap.example.com")).ok).toBe(false);
  });
});

it("a worker can have its own image, so it can be upgraded first", { tags: ["helm"] }, async () => {
  const { output } = await run("helm", [
    "template",
    "web",
    CHART,
    "-f",
    join(CHART, "ci/cluster-values.yaml"),
  ]);
  const images = [...output.matchAll(/image: "(.*)"/g)].map(([, image]) => image);
  expect(images).toEqual([
    "registry.example.com/snap-server:1.0.0",
    "registry.example.com/snap-server:1.1.0",
  ]);
});
