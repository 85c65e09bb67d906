import { DockerfileParser } from "dockerfile-ast";
import { validate } from "dockerfile-utils";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { compileSeccomp, type SeccompProfile } from "../src/deploy/seccomp-profile.ts";
import { run } from "../src/machine/run.ts";
import { SYSTEM_PARTS } from "../src/machine/system-parts.ts";
import { readManifest, ROOT } from "../src/repository/workspace.ts";
import { findComposeFaults } from "./compose-schema.ts";

const read = (name: string): string => readFileSync(join(ROOT, "packages/server/deploy", name), "utf8");

const dockerfile = read("Dockerfile");
const instructions = DockerfileParser.parse(dockerfile).getInstructions();
const unit = read("snap-server.service");
const profile = JSON.parse(read("seccomp.json")) as SeccompProfile;

/** Every entry of the filter's list. */
const SYSTEM_CALLS = 244;

/** The unit, comments aside: each line of it is a decision. */
const UNIT = [
  "Description=snap: web pages to PNG, JPEG, WebP and PDF",
  "Wants=network-online.target",
  "After=network-online.target",
  "Type=exec",
  "ExecStart=/usr/bin/node /opt/snap/bin/snap-server.js serve",
  "EnvironmentFile=/etc/snap/snap.env",
  "Environment=NODE_ENV=production SNAP_DATA_DIR=/var/lib/snap",
  "User=snap",
  "Group=snap",
  "StateDirectory=snap",
  "StateDirectoryMode=0700",
  "WorkingDirectory=/var/lib/snap",
  "UMask=0077",
  "Restart=on-failure",
  "RestartSec=2",
  "TimeoutStopSec=120",
  "KillMode=mixed",
  "OOMPolicy=continue",
  "LimitNOFILE=65536",
  "ProtectSystem=strict",
  "ProtectHome=yes",
  "PrivateTmp=yes",
  "PrivateDevices=yes",
  "PrivateIPC=yes",
  "ProtectClock=yes",
  "ProtectControlGroups=yes",
  "ProtectHostname=yes",
  "ProtectKernelLogs=yes",
  "ProtectKernelModules=yes",
  "ProtectKernelTunables=yes",
  "ProtectProc=invisible",
  "RemoveIPC=yes",
  "NoNewPrivileges=yes",
  "CapabilityBoundingSet=",
  "LockPersonality=yes",
  "RestrictRealtime=yes",
  "RestrictSUIDSGID=yes",
  "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK",
  "RestrictNamespaces=user pid net",
  "SystemCallArchitectures=native",
  "SystemCallFilter=@system-service chroot",
  "SystemCallFilter=~@aio @keyring",
  "SystemCallErrorNumber=ENOSYS",
  "WantedBy=multi-user.target",
];

/** The arguments of every instruction of a kind, each with the line breaks taken out. */
const argumentsOf = (keyword: string): string[] =>
  instructions
    .filter((instruction) => instruction.getKeyword() === keyword)
    .map((instruction) => instruction.getRawArgumentsContent() ?? "")
    .map((text) => text.replaceAll(/\\\n\s*/g, ""));

describe("Dockerfile", () => {
  it("lints clean", () => {
    expect(validate(dockerfile)).toEqual([]);
  });

  it("copies what a checkout has and its ignore list lets through", () => {
    const [manifests, everything, built] = argumentsOf("COPY");
    expect([everything, built]).toEqual([". .", "/opt/snap /opt/snap"]);
    const sources = manifests?.split(" ").slice(0, -1) ?? [];
    expect(sources).toEqual(["package.json", "pnpm-workspace.yaml", "pnpm-lock.yaml"]);
    expect(sources.filter((source) => !existsSync(join(ROOT, source)))).toEqual([]);
    const seen = read("Dockerfile.dockerignore")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"));
    expect(seen).toEqual([
      "*",
      "!package.json",
      "!pnpm-lock.yaml",
      "!pnpm-workspace.yaml",
      "!tsconfig.base.json",
      "!packages",
      "!examples",
      "**/node_modules",
      "**/dist",
      "**/data",
      "**/test",
      "**/.env",
      "**/*.env",
      "**/*.tgz",
      "packages/server/deploy",
    ]);
  });

  it("uses the versions of the repository", () => {
    const { packageManager } = readManifest(ROOT);
    const used = dockerfile.match(/pnpm@[\d.]+/g) ?? [];
    expect(new Set(used)).toEqual(new Set([packageManager]));
    const nodeMajor = readFileSync(join(ROOT, ".nvmrc"), "utf8").trim();
    expect(argumentsOf("ARG")).toEqual([`NODE_IMAGE=node:${nodeMajor}-bookworm-slim`]);
    expect(argumentsOf("FROM")).toEqual(["${NODE_IMAGE} AS build", "${NODE_IMAGE}"]);
  });

  it("installs the browser and the fonts that the repository's own set-up does, the larger CJK ones", () => {
    const packages = /--no-install-recommends((?: +[a-z][a-z0-9-]+)+)/.exec(
      argumentsOf("RUN").join("\n"),
    )?.[1];
    const ours = SYSTEM_PARTS.filter(({ name }) => name === "browser" || name === "fonts")
      .flatMap(({ aptPackages }) => aptPackages)
      .filter((name) => name !== "fonts-wqy-zenhei");
    expect(packages?.trim().split(/ +/).toSorted()).toEqual(
      [
        ...ours,
        "ca-certificates",
        "fonts-dejavu-core",
        "fonts-noto-cjk",
        "fonts-noto-core",
        "tini",
      ].toSorted(),
    );
    expect(dockerfile).toContain("rm -rf /var/lib/apt/lists/*");
  });

  it("runs as a user of its own, under an init, with its data in a volume that only it can read", () => {
    expect(argumentsOf("USER")).toEqual(["10001:10001"]);
    expect(dockerfile).toContain("groupadd --gid 10001 snap");
    expect(dockerfile).toContain("useradd --no-create-home --uid 10001 --gid snap");
    expect(dockerfile).toContain("install --directory --owner=snap --group=snap --mode=0700 /var/lib/snap");
    // The service can't write what it runs, and nothing in the image raises anybody's rights.
    expect(dockerfile).not.toMatch(/--chown|--chmod|chmod|setcap|sudo/);
    expect(argumentsOf("VOLUME")).toEqual(["/var/lib/snap"]);
    expect(argumentsOf("ENTRYPOINT")).toEqual(['["tini", "--", "snap-server"]']);
    expect(argumentsOf("CMD")).toEqual(['["serve"]']);
    expect(argumentsOf("STOPSIGNAL")).toEqual(["SIGTERM"]);
    expect(argumentsOf("HEALTHCHECK").join()).toContain("/healthz");
    expect(argumentsOf("ENV")).toEqual([
      "NODE_ENV=production SNAP_HOST=0.0.0.0 SNAP_PORT=3000 SNAP_DATA_DIR=/var/lib/snap",
    ]);
  });
});

describe("compose.yaml", () => {
  const compose = parse(read("compose.yaml"), { merge: true }) as {
    name: string;
    services: Record<"snap" | "proxy", Record<string, unknown>>;
    networks: Record<string, unknown>;
  };
  const { snap, proxy } = compose.services;

  it("is what Compose understands", () => {
    expect(findComposeFaults(compose)).toBeNull();
    const misspelt = { ...compose.services, snap: { ...snap, read_onlyy: true } };
    expect(findComposeFaults({ ...compose, services: misspelt })).not.toBeNull();
    expect(compose.name).toBe("snap");
  });

  it("builds the Dockerfile from the root", () => {
    expect(snap["build"]).toEqual({ context: "../../..", dockerfile: "packages/server/deploy/Dockerfile" });
  });

  it("runs the service with no more rights than it needs", () => {
    expect(snap).toMatchObject({
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true", "seccomp:./seccomp.json"],
      tmpfs: ["/tmp:size=512m,mode=1777,nosuid,nodev,noexec"],
      shm_size: "1gb",
      pids_limit: 1024,
      mem_limit: "4gb",
      memswap_limit: "4gb",
      restart: "unless-stopped",
      volumes: ["data:/var/lib/snap"],
      logging: { driver: "json-file", options: { "max-size": "10m", "max-file": "5" } },
    });
    // Whatever else there is would have to be thought about: privileges, hosts, devices, sockets.
    expect(Object.keys(snap).toSorted()).toEqual([
      "build",
      "cap_drop",
      "cpus",
      "env_file",
      "environment",
      "image",
      "logging",
      "mem_limit",
      "memswap_limit",
      "networks",
      "pids_limit",
      "read_only",
      "restart",
      "security_opt",
      "shm_size",
      "stop_grace_period",
      "tmpfs",
      "ulimits",
      "volumes",
    ]);
  });

  it("leaves it the time to finish its renders", () => {
    const bounds = readFileSync(join(ROOT, "packages/server/src/requests/bounds.ts"), "utf8");
    expect(bounds).toContain("drainMs: 90_000,");
    expect([snap["stop_grace_period"], proxy["stop_grace_period"]]).toEqual(["120s", "120s"]);
    expect(unit).toContain("\nTimeoutStopSec=120\n");
    expect(read("Caddyfile")).toContain("grace_period 100s");
  });

  it("keeps the way to the pages apart from the way in", () => {
    expect(compose.networks).toEqual({
      front: {
        internal: true,
        driver: "bridge",
        driver_opts: { "com.docker.network.bridge.name": "snap-front" },
      },
      pages: {
        driver: "bridge",
        driver_opts: {
          "com.docker.network.bridge.enable_icc": "false",
          "com.docker.network.bridge.name": "snap-pages",
        },
      },
      edge: null,
    });
    expect(Object.keys(compose.services)).toEqual(["snap", "proxy"]);
    expect(snap["networks"]).toEqual({ front: null, pages: null });
    expect(proxy["networks"]).toEqual({ front: null, edge: null });
    expect(read("README.md").match(/snap-(?:front|pages)/g)).toEqual(
      expect.arrayContaining(["snap-front", "snap-pages"]),
    );
  });

  it("runs the proxy with no more rights than it needs", () => {
    const { environment: _, ...rest } = proxy;
    expect(rest).toEqual({
      image: "caddy:2-alpine",
      ports: ["80:80", "443:443"],
      networks: { front: null, edge: null },
      volumes: ["./Caddyfile:/etc/caddy/Caddyfile:ro", "certificates:/data"],
      read_only: true,
      tmpfs: ["/tmp:size=16m,mode=1777,nosuid,nodev,noexec", "/config:size=16m,nosuid,nodev,noexec"],
      cap_drop: ["ALL"],
      cap_add: ["NET_BIND_SERVICE"],
      security_opt: ["no-new-privileges:true"],
      pids_limit: 256,
      mem_limit: "256mb",
      depends_on: { snap: { condition: "service_healthy" } },
      restart: "unless-stopped",
      stop_grace_period: "120s",
      logging: { driver: "json-file", options: { "max-size": "10m", "max-file": "5" } },
    });
  });

  it("has a proxy that gives renders their time and keeps figures inside", () => {
    const directives = read("Caddyfile")
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "" && !line.startsWith("#"));
    expect(directives).toEqual([
      "{",
      "admin off",
      "grace_period 100s",
      "servers {",
      "timeouts {",
      "read_header 15s",
      "read_body 30s",
      "idle 2m",
      "}",
      "}",
      "}",
      "{$SNAP_PUBLIC_URL} {",
      "respond /metrics 404",
      "reverse_proxy snap:3000 {",
      "flush_interval -1",
      "transport http {",
      "dial_timeout 5s",
      "response_header_timeout 120s",
      "keepalive 60s",
      "}",
      "}",
      "}",
    ]);
  });

  it("asks for the public address", () => {
    const asked = "${SNAP_PUBLIC_URL:?the origin that clients use, such as https://snap.example.com}";
    expect(snap["environment"]).toEqual({
      SNAP_PUBLIC_URL: asked,
      SNAP_HOST: "0.0.0.0",
      SNAP_PORT: "3000",
      SNAP_DATA_DIR: "/var/lib/snap",
      SNAP_SANDBOX: "on",
    });
    expect(proxy["environment"]).toEqual({ SNAP_PUBLIC_URL: asked });
  });
});

it("no deployment names a variable that there is not", () => {
  const known = readFileSync(join(ROOT, "packages/server/src/config/settings.ts"), "utf8");
  const files = [
    "Dockerfile",
    "compose.yaml",
    "compose.cluster.yaml",
    "Caddyfile",
    "Caddyfile.cluster",
    "snap-server.service",
    "snap.env.example",
    "cluster.env.example",
    "README.md",
  ];
  const named = new Set(files.flatMap((name) => read(name).match(/SNAP_[A-Z_]+/g) ?? []));
  expect([...named]).toContain("SNAP_PUBLIC_URL");
  expect([...named].filter((name) => !known.includes(`"${name}"`))).toEqual([]);
  // What it would take to turn the sandbox off stands nowhere.
  expect(files.filter((name) => /SNAP_SANDBOX[=:] *"?off/.test(read(name)))).toEqual([]);
});

describe("seccomp.json", () => {
  const names = profile.syscalls.flatMap((rule) => rule.names.map((name) => ({ name, rule })));

  it("refuses what it does not list, as if the kernel did not know it", () => {
    expect(profile.defaultAction).toBe("SCMP_ACT_ERRNO");
    expect(profile.defaultErrnoRet).toBe(38);
    expect(new Set(profile.syscalls.map(({ action }) => action))).toEqual(new Set(["SCMP_ACT_ALLOW"]));
    expect(profile.archMap).toEqual([
      { architecture: "SCMP_ARCH_X86_64", subArchitectures: [] },
      { architecture: "SCMP_ARCH_AARCH64", subArchitectures: [] },
    ]);
  });

  it("lists nothing twice but sockets, one condition each", () => {
    const listed = names.map(({ name }) => name);
    expect(listed.filter((name, index) => listed.indexOf(name) !== index)).toEqual([
      "socket",
      "socket",
      "socket",
    ]);
    const families = names.filter(({ name }) => name === "socket").map(({ rule }) => rule.args?.[0]);
    // AF_UNIX, AF_INET, AF_INET6, AF_NETLINK
    expect(families).toEqual([1, 2, 10, 16].map((value) => ({ index: 0, value, op: "SCMP_CMP_EQ" })));
  });

  it("lets only namespaces of users, processes and networks be made", () => {
    // CLONE_NEWTIME, _NEWNS, _NEWCGROUP, _NEWUTS and _NEWIPC must not be set.
    const mask = 0x80 + 0x20000 + 0x2000000 + 0x4000000 + 0x8000000;
    const condition = [{ index: 0, value: mask, valueTwo: 0, op: "SCMP_CMP_MASKED_EQ" }];
    const conditionOf = (wanted: string): unknown => names.find(({ name }) => name === wanted)?.rule.args;
    expect(conditionOf("clone")).toEqual(condition);
    expect(conditionOf("unshare")).toEqual(condition);
  });

  it("leaves out what reaches into the kernel and into other processes", () => {
    const dangerous =
      "acct add_key bpf clone3 delete_module fanotify_init finit_module fsopen init_module io_uring_setup iopl ioperm kcmp " +
      "kexec_load keyctl mount mount_setattr move_mount move_pages open_by_handle_at open_tree perf_event_open " +
      "personality pivot_root process_vm_readv process_vm_writev ptrace quotactl reboot request_key setns swapon " +
      "syslog umount2 userfaultfd";
    expect(names.filter(({ name }) => dangerous.split(" ").includes(name))).toEqual([]);
    // A call more is a decision: this number moves with it.
    expect(names).toHaveLength(SYSTEM_CALLS);
  });
});

describe("the browser under seccomp.json", { tags: ["browser", "seccomp"] }, () => {
  let folder: string;
  let filter: string;
  /** The number of each call on this machine: -1 for one that nobody knows, less for other machines' calls. */
  const numbers = new Map<string, number>();

  /** What a profile compiles to, in a file. */
  async function compile(name: string, compiled: SeccompProfile): Promise<string> {
    const file = join(folder, name);
    const numberOf = (call: string): number => numbers.get(call) ?? Number.NaN;
    await writeFile(file, compileSeccomp(compiled, { architecture: process.arch, numberOf }));
    return file;
  }

  /** Runs a command behind a filter, as whoever runs the tests; bwrap takes filters as descriptors. */
  const runBehind = (compiled: string, command: readonly string[]): ReturnType<typeof run> =>
    run(
      "/bin/sh",
      [
        "-c",
        'exec 9<"$1"; shift; exec bwrap --dev-bind / / --cap-add ALL --seccomp 9 -- "$@"',
        "sh",
        compiled,
        ...command,
      ],
      { env: { SNAP_DATA_DIR: folder } },
    );

  /** What `snap-server doctor` finds, by the name of the check. */
  async function examine(compiled: string): Promise<Map<string, string>> {
    const command = join(ROOT, "packages/server/bin/snap-server.js");
    const { output } = await runBehind(compiled, [process.execPath, command, "doctor", "--json"]);
    const { checks } = JSON.parse(output) as { checks: { name: string; status: string }[] };
    return new Map(checks.map(({ name, status }) => [name, status]));
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "snap-seccomp-"));
    for (const { names } of profile.syscalls)
      for (const name of names) numbers.set(name, Number((await run("scmp_sys_resolver", [name])).output));
    filter = await compile("ours", profile);
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("lists no call that nobody knows", () => {
    expect(numbers.get("unshare")).toBeGreaterThan(0);
    expect([...numbers].filter(([, number]) => Number.isNaN(number) || number === -1)).toEqual([]);
  });

  it("starts in its sandbox and renders", async () => {
    const found = await examine(filter);
    expect(found.get("sandbox")).toBe("ok");
    expect(found.get("render")).toBe("ok");
    expect(found.get("storage")).toBe("ok");
  });

  it("has no sandbox where no namespace may be made", async () => {
    const syscalls = profile.syscalls.filter(({ names }) => !names.includes("unshare"));
    const threads = { comment: "", names: ["clone"], action: "SCMP_ACT_ALLOW" };
    // CLONE_NEWUSER, _NEWPID and _NEWNET besides.
    const args = [{ index: 0, value: 0x7e020080, valueTwo: 0, op: "SCMP_CMP_MASKED_EQ" }];
    const stricter = await compile("stricter", { ...profile, syscalls: [...syscalls, { ...threads, args }] });
    expect((await examine(stricter)).get("sandbox")).toBe("problem");
  });

  it("could not mount anything", async () => {
    const mayUnshare = (namespace: string): ReturnType<typeof run> =>
      runBehind(filter, ["unshare", "--user", namespace, "true"]);
    expect(await mayUnshare("--net")).toEqual({ ok: true, output: "" });
    expect(await mayUnshare("--mount")).toEqual({
      ok: false,
      output: expect.stringContaining("Function not implemented"),
    });
  });
});

describe("snap-server.service", () => {
  it("keeps the service in, and lets the browser's sandbox live", () => {
    const lines = unit.split("\n").filter((line) => /^[A-Z]/.test(line));
    expect(lines).toEqual(UNIT);
  });

  describe("to systemd itself", { tags: ["systemd"] }, () => {
    let folder: string;
    let file: string;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "snap-unit-"));
      file = join(folder, "snap-server.service");
      // What it starts need not be on the machine of the tests.
      await writeFile(file, unit.replace("/usr/bin/node", process.execPath));
    });

    afterAll(() => rm(folder, { recursive: true, force: true }));

    it("is without a mistake", async () => {
      expect(await run("systemd-analyze", ["verify", "--man=no", "--recursive-errors=no", file])).toEqual({
        ok: true,
        output: "",
      });
    });

    it("is exposed no more than 3 of 10", async () => {
      const { ok, output } = await run("systemd-analyze", [
        "security",
        "--offline=yes",
        "--threshold=30",
        file,
      ]);
      expect({ ok, output }).toEqual({ ok: true, output: expect.stringContaining("Overall exposure level") });
    });
  });
});
