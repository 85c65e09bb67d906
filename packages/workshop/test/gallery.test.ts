// @module-tag browser
import { parseQuery } from "@snap/engine";
import { PARAMETER_TABLE, toQuery } from "@snap/protocol";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { changedParameters, completeParameters } from "../src/gallery/entry.ts";
import { ENTRIES, GROUPS } from "../src/gallery/groups.ts";
import { queryText } from "../src/gallery/page.ts";
import { openGallery, type Gallery } from "../src/gallery/render.ts";

// with more concurrent tests, some steps exceed their time limits, such as the wait for videos
vi.setConfig({ maxConcurrency: 2 });

let gallery: Gallery;
beforeAll(async () => {
  gallery = await openGallery(ENTRIES);
});
afterAll(() => gallery.close());

describe.concurrent("the picture of each page", () => {
  it.for(ENTRIES.map((entry) => [entry.name, entry] as const))("is as expected: %s", async ([, entry]) => {
    const before = await gallery.show(entry, "before");
    const after = await gallery.show(entry, "after");
    expect([...before.problems, ...after.problems]).toEqual([]);
  });
});

describe("the gallery", () => {
  it("shows every parameter that changes pictures", () => {
    const groups = new Set([
      "Viewport",
      "Appearance",
      "Access",
      "Region",
      "Wait",
      "Blocking",
      "Changes",
      "Content",
    ]);
    const names = PARAMETER_TABLE.filter(
      ({ group, modes }) => groups.has(group) && modes.includes("screenshot"),
    ).map(({ name }) => name);
    const shown = new Set(ENTRIES.flatMap(changedParameters));
    expect(
      new Set(names.filter((name) => !shown.has(name))),
      "add an entry for the parameter to packages/workshop/src/gallery/pages, and run pnpm site gallery NAME",
    ).toEqual(
      new Set([
        // These parameters change only the size of the picture, or what another parameter means.
        "width",
        "height",
        "scale",
        "selector",
        "clipX",
        "clipY",
        "clipWidth",
        "clipHeight",
        "accuracy",
        // These parameters set how long to wait, and the entries wait in other ways.
        "waitUntil",
        "waitTimeout",
        "onWaitTimeout",
        "waitForSelector",
        "delay",
      ]),
    );
  });

  it("has a unique heading for each group and entry", () => {
    const titles = [...GROUPS, ...ENTRIES].map(({ title }) => title);
    expect(titles).toEqual([...new Set(titles)]);
  });

  it.each(ENTRIES.map((entry) => [entry.name, entry] as const))(
    "documents a query that has the parameters of %s",
    (_name, { after }) => {
      const url = "https://example.com/";
      const parameters = completeParameters(after);
      expect(parseQuery(new URLSearchParams(`url=${url}&${queryText(parameters)}`))).toEqual(
        parseQuery(toQuery({ url, ...parameters })),
      );
    },
  );
});
