import { slug } from "github-slugger";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { run, extendPath } from "../../src/machine/run.ts";
import { ROOT } from "../../src/workspace.ts";

const RULES = join(ROOT, "packages/server/deploy/alerts.yml");
const TESTS = join(import.meta.dirname, "alerts.test.yml");

interface Rules {
  readonly groups: readonly { readonly rules: readonly Rule[] }[];
}

interface Rule {
  readonly alert: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Readonly<Record<string, string>>;
}

interface RuleTests {
  readonly tests: readonly {
    readonly name: string;
    readonly promql_expr_test: readonly { readonly exp_samples: readonly unknown[] }[];
  }[];
}

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets?: readonly { readonly expr: string }[];
  }[];
}

const rules = (parse(readFileSync(RULES, "utf8")) as Rules).groups.flatMap((group) => group.rules);

describe("the alert rules", () => {
  it.each(rules.map((rule) => [rule.alert, rule] as const))(
    "have a severity, descriptions and a remedy: %s",
    (alert, { labels, annotations }) => {
      expect(["critical", "warning", "info"]).toContain(labels.severity);
      expect(Object.keys(annotations)).toEqual(["summary", "description", "remedy"]);
      const { remedy = "", description = "" } = annotations;
      expect(description).toMatch(/\.$/);
      const [page = "", anchor] = remedy.split("#");
      expect(anchor).toBe(alert.toLowerCase());
      const headings = readFileSync(join(ROOT, page), "utf8").match(/^#+ .+$/gm) ?? [];
      expect(headings.map((heading) => slug(heading.replace(/^#+ /, "")))).toContain(anchor);
    },
  );

  it("are tested in order, each with series that make it fire and series that do not", () => {
    const { tests } = parse(readFileSync(TESTS, "utf8")) as RuleTests;
    expect(tests.map(({ name }) => name)).toEqual(rules.map(({ alert }) => alert));
    for (const { promql_expr_test: evaluations } of tests) {
      const counts = evaluations.map(({ exp_samples: samples }) => samples.length);
      expect(Math.min(...counts)).toBe(0);
      expect(Math.max(...counts)).toBeGreaterThan(0);
    }
  });
});

it("the dashboard's panel for rendering requests covers exactly the routes that render", () => {
  const file = join(ROOT, "packages/server/deploy/dashboard.json");
  const { panels } = JSON.parse(readFileSync(file, "utf8")) as Dashboard;
  const panel = panels.find(({ title }) => title === "Duration of rendering requests");
  const matchers = panel?.targets?.map(({ expr }) => /route=~"([^"]+)"/.exec(expr)?.[1]);
  expect(matchers).toHaveLength(2);
  const routes = ["/v1/snap", "/v1/snap/signed", "/v1/captures", "/v1/renders", "/v1/usage"];
  for (const matcher of matchers ?? [])
    // Prometheus matches the whole value
    expect(routes.filter((route) => new RegExp(`^(?:${matcher})$`).test(route))).toEqual([
      "/v1/snap",
      "/v1/snap/signed",
      "/v1/captures",
    ]);
});

describe("promtool", { tags: ["promtool"] }, () => {
  beforeAll(extendPath);

  it("accepts the alert rules", async () => {
    expect(await run("promtool", ["check", "rules", "--lint=all", "--lint-fatal", RULES])).toMatchObject({
      ok: true,
    });
  });

  it("sees each alert fire only for the expected series", async () => {
    expect(await run("promtool", ["test", "rules", TESTS])).toMatchObject({ ok: true });
  });
});
