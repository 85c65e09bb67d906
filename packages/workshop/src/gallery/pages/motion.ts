import { at, picture, without, type Entry, type Group } from "../entry.ts";
import { html } from "../html.ts";
import { GRAY, GREEN, NAVY, RED } from "../palette.ts";

const CENTER = [200, 170] as const;
/** Delays both captures until the page has changed. */
const LATE_CAPTURE = { delay: 600 } as const;

/** A page that is green at first and red later. */
function movingEntry(entry: Pick<Entry, "name" | "title" | "about" | "page">): Entry {
  return {
    ...entry,
    before: picture(LATE_CAPTURE, at(...CENTER, RED), without(GREEN)),
    after: picture({ ...LATE_CAPTURE, stabilize: true }, at(...CENTER, GREEN), without(RED)),
    maxMs: 5000,
  };
}

const STAGE = "display: block; margin: 30px auto; width: 320px; height: 190px;";

const carousel = movingEntry({
  name: "carousel",
  title: "A carousel",
  about: "A CSS animation moves to the second slide.",
  page: html({
    style: `
      .stage { ${STAGE} overflow: hidden; }
      .slides { display: flex; width: 200%; height: 100%; animation: advance 60s infinite; }
      .slides div { flex: 1; }
      @keyframes advance { 0%, 0.1% { transform: none; } 0.2%, 100% { transform: translateX(-50%); } }`,
    body: `<h1>Shop</h1>
      <div class="stage"><div class="slides">
        <div style="background: ${GREEN}"></div><div style="background: ${RED}"></div>
      </div></div>`,
  }),
});

const gif = movingEntry({
  name: "gif",
  title: "A GIF",
  about: "The second frame follows after a tenth of a second.",
  page: html({
    body: `<h1>GIF</h1><img src="/files/two-frames.gif" alt="" style="${STAGE} image-rendering: pixelated">`,
  }),
});

const video = movingEntry({
  name: "video",
  title: "A video",
  about: "A muted video that plays automatically.",
  page: html({
    body: `<h1>Video</h1><video src="/files/two-scenes.webm" autoplay muted style="${STAGE} object-fit: fill"></video>`,
  }),
});

const spinner: Entry = {
  name: "spinner",
  title: "A CSS spinner",
  about: "A ring that spins forever. Without `stabilize`, each picture can show it at a different angle.",
  page: html({
    style: `
      .spinner { box-sizing: border-box; margin: 40px auto; width: 160px; height: 160px; border-radius: 50%;
        border: 24px solid ${GRAY}; border-top-color: ${GREEN}; animation: turn 1s linear infinite; }
      @keyframes turn { to { transform: rotate(360deg); } }`,
    body: `<h1>Loading</h1><div class="spinner"></div>`,
  }),
  before: picture(LATE_CAPTURE),
  after: picture(
    { ...LATE_CAPTURE, stabilize: true },
    at(200, 100, GREEN),
    at(132, 168, GRAY),
    at(268, 168, GRAY),
    at(200, 236, GRAY),
  ),
  maxMs: 5000,
};

const entrance: Entry = {
  name: "entrance",
  title: "An entrance animation",
  about: "A panel takes 20 seconds to slide in.",
  page: html({
    style: `
      .panel { ${STAGE} background: ${GREEN}; animation: enter 20s ease-in both; }
      @keyframes enter { from { transform: translateX(400px); } }`,
    body: `<h1>Entrance</h1><div style="overflow: hidden"><div class="panel"></div></div>`,
  }),
  before: picture({}, at(50, 170, "#ffffff")),
  after: picture({ stabilize: true }, at(50, 170, GREEN), at(350, 170, GREEN), at(20, 170, "#ffffff")),
  maxMs: 5000,
};

const reducedMotion: Entry = {
  name: "reduced-motion",
  title: "Reduced motion",
  about: "The page stops its animation if the visitor prefers reduced motion.",
  page: html({
    style: `
      .ball { margin: 50px 20px; width: 120px; height: 120px; border-radius: 50%; background: ${NAVY};
        animation: roll 2s infinite alternate; }
      @keyframes roll { to { transform: translateX(240px); } }
      @media (prefers-reduced-motion: reduce) { .ball { margin: 50px auto; animation: none; background: ${GREEN}; } }`,
    body: `<h1>Ball</h1><div class="ball"></div>`,
  }),
  before: picture({}, without(GREEN)),
  after: picture({ reducedMotion: true }, at(200, 158, GREEN)),
};

export const MOTION: Group = {
  title: "Pages that move",
  entries: [carousel, gif, video, spinner, entrance, reducedMotion],
};
