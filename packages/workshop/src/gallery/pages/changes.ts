import type { Entry, Expected, Group, PictureParameters } from "../entry.ts";
import { html } from "../html.ts";
import { GREEN, NAVY, RED, WHITE } from "../palette.ts";

const SIZE = [400, 300] as const;

/** A page with a red chat window in front of a green panel. */
const CHAT = html({
  style: `
    .panel { margin: 20px; height: 200px; background: ${GREEN}; }
    .chat { position: fixed; right: 10px; bottom: 10px; width: 150px; height: 120px; background: ${RED}; }`,
  body: `<h1>Article</h1><div class="panel"></div><div class="chat"></div>`,
});

/** A green panel below a red one, which takes space. */
const NOTICE = html({
  style: `.notice { height: 80px; background: ${RED}; } .panel { height: 100px; background: ${GREEN}; }`,
  body: `<div class="notice"></div><div class="panel"></div>`,
});

const CHAT_SHOWN: Expected = { size: SIZE, colors: [[320, 230, RED]] };
const CHAT_GONE: Expected = { size: SIZE, colors: [[320, 230, GREEN]], absent: [RED] };

function change(
  entry: Pick<Entry, "name" | "title" | "about" | "page">,
  [before, parameters, after]: readonly [Expected, PictureParameters, Expected],
): Entry {
  return {
    ...entry,
    before: { parameters: {}, expected: before },
    after: { parameters, expected: after, maxMs: 2500 },
  };
}

export const CHANGES: Group = {
  title: "Changes before the capture",
  entries: [
    change(
      { name: "css", title: "A style sheet", about: "The style sheet hides a chat window.", page: CHAT },
      [CHAT_SHOWN, { css: ".chat { opacity: 0 }" }, CHAT_GONE],
    ),
    change(
      {
        name: "hide",
        title: "Hidden elements",
        about: "A notice becomes invisible, but still takes up space.",
        page: NOTICE,
      },
      [
        {
          size: SIZE,
          colors: [
            [200, 40, RED],
            [200, 130, GREEN],
          ],
        },
        { hideSelectors: ".notice" },
        {
          size: SIZE,
          colors: [
            [200, 40, WHITE],
            [200, 130, GREEN],
          ],
          absent: [RED],
        },
      ],
    ),
    change(
      {
        name: "remove",
        title: "Removed elements",
        about: "A notice disappears, and the rest moves up.",
        page: NOTICE,
      },
      [
        {
          size: SIZE,
          colors: [
            [200, 40, RED],
            [200, 130, GREEN],
          ],
        },
        { removeSelectors: ".notice" },
        {
          size: SIZE,
          colors: [
            [200, 40, GREEN],
            [200, 130, WHITE],
          ],
          absent: [RED],
        },
      ],
    ),
    change(
      {
        name: "click",
        title: "A click",
        about: "A button shows the details.",
        page: html({
          style: `button { margin: 20px; width: 120px; height: 40px; border: 0; color: white; background: ${NAVY}; } .details { margin: 20px; height: 140px; background: ${GREEN}; }`,
          body: `<h1>Order</h1><button onclick="document.querySelector('.details').hidden = false">Details</button><div class="details" hidden></div>`,
        }),
      },
      [
        { size: SIZE, colors: [[30, 75, NAVY]], absent: [GREEN] },
        { click: "button" },
        { size: SIZE, colors: [[200, 200, GREEN]] },
      ],
    ),
    change({ name: "script", title: "A script", about: "The script closes a chat window.", page: CHAT }, [
      CHAT_SHOWN,
      { script: "document.querySelector('.chat').remove()" },
      CHAT_GONE,
    ]),
    change(
      {
        name: "mask",
        title: "Masks",
        about: "Boxes cover what nobody should read; nothing moves.",
        page: html({
          style: `.secret { margin: 20px; width: 200px; height: 60px; line-height: 60px; text-align: center; color: ${RED}; background: #ffebee; }`,
          body: `<h1>Account</h1><div class="secret">DE89 3704 0044</div><div class="secret">Jane Doe</div>`,
        }),
      },
      [
        {
          size: SIZE,
          colors: [
            [25, 75, "#ffebee"],
            [25, 155, "#ffebee"],
          ],
        },
        { mask: ".secret", maskColor: GREEN },
        {
          size: SIZE,
          colors: [
            [20, 68, GREEN],
            [219, 127, GREEN],
            [120, 98, GREEN],
            [120, 178, GREEN],
            [230, 98, WHITE],
          ],
          absent: [RED, "#ffebee"],
        },
      ],
    ),
  ],
};
