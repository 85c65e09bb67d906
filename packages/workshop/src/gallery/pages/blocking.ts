import { at, withNotes, picture, without, type Entry, type Group, type PictureParameters } from "../entry.ts";
import { html } from "../html.ts";
import { GREEN, NAVY, RED } from "../palette.ts";

const IMAGE = `/image/${RED.slice(1)}`;
const STYLE = `
  .panel { margin: 20px; height: 100px; background: ${GREEN}; }
  img, iframe { display: block; margin: 20px; width: 360px; height: 80px; border: 0; }`;

/** A page with a green panel and a red part below it. */
function pageWith(part: string): string {
  return html({ style: STYLE, body: `<h1>Article</h1><div class="panel"></div>${part}` });
}

function blocked(
  entry: Pick<Entry, "name" | "title" | "about" | "page">,
  parameters: PictureParameters,
): Entry {
  const panel = at(200, 100, GREEN);
  return {
    ...entry,
    before: picture({}, panel, at(200, 220, RED)),
    after: picture(parameters, panel, at(390, 20, NAVY), without(RED), withNotes("blocked=1")),
  };
}

/** Lists that an operator would supply. */
export const FILTER_LISTS = {
  ads: ["/color/*?ad$subdocument", "##.ad-space"].join("\n"),
  trackers: "/files/tracker.js$script",
} as const;

export const BLOCKING: Group = {
  title: "Blocked requests",
  entries: [
    blocked(
      {
        name: "blocked-url",
        title: "A URL pattern",
        about: "A frame whose URL has a certain path shows an advertisement.",
        page: pageWith(`<iframe src="/color/${RED.slice(1)}"></iframe>`),
      },
      { blockUrls: "*://*/color/*" },
    ),
    blocked(
      {
        name: "blocked-images",
        title: "A resource type",
        about: "The page without its images.",
        page: pageWith(`<img src="${IMAGE}" alt="">`),
      },
      { blockResources: "image" },
    ),
    blocked(
      {
        name: "ads",
        title: "Advertisements",
        about:
          "The service has a filter list with two rules: one blocks the banner's frame, the other hides the space that it leaves.",
        page: pageWith(`<div class="ad-space"><iframe src="/color/${RED.slice(1)}?ad"></iframe></div>`),
      },
      { blockAds: true },
    ),
    blocked(
      {
        name: "trackers",
        title: "Trackers",
        about: "A tracker's script shows that it has run.",
        page: html({
          style: STYLE,
          body: `<h1>Article</h1><div class="panel"></div><script src="/files/tracker.js"></script>`,
        }),
      },
      { blockTrackers: true },
    ),
  ],
};
