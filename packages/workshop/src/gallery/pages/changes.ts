import { at, picture, without, type Group } from "../entry.ts";
import { html } from "../html.ts";
import { GREEN, NAVY, RED, WHITE } from "../palette.ts";

/** A page with a red chat window in front of a green panel. */
const CHAT = html({
  style: `
    .panel { margin: 20px; height: 200px; background: ${GREEN}; }
    .chat { position: fixed; right: 10px; bottom: 10px; width: 150px; height: 120px; background: ${RED}; }`,
  body: `<h1>Article</h1><div class="panel"></div><div class="chat"></div>`,
});

/** A red notice, which takes up space, above a green panel. */
const NOTICE = html({
  style: `.notice { height: 80px; background: ${RED}; } .panel { height: 100px; background: ${GREEN}; }`,
  body: `<div class="notice"></div><div class="panel"></div>`,
});

const CHAT_SHOWN = picture({}, at(320, 230, RED));
const CHAT_GONE = [at(320, 230, GREEN), without(RED)];
const NOTICE_SHOWN = picture({}, at(200, 40, RED), at(200, 130, GREEN));

export const CHANGES: Group = {
  title: "Changes before the capture",
  entries: [
    {
      name: "css",
      title: "A style sheet",
      about: "The style sheet hides a chat window.",
      page: CHAT,
      before: CHAT_SHOWN,
      after: picture({ css: ".chat { opacity: 0 }" }, ...CHAT_GONE),
    },
    {
      name: "hide",
      title: "Hidden elements",
      about: "A notice becomes invisible, but still takes up space.",
      page: NOTICE,
      before: NOTICE_SHOWN,
      after: picture({ hideSelectors: ".notice" }, at(200, 40, WHITE), at(200, 130, GREEN), without(RED)),
    },
    {
      name: "remove",
      title: "Removed elements",
      about: "A notice disappears, and the rest moves up.",
      page: NOTICE,
      before: NOTICE_SHOWN,
      after: picture({ removeSelectors: ".notice" }, at(200, 40, GREEN), at(200, 130, WHITE), without(RED)),
    },
    {
      name: "click",
      title: "A click",
      about: "A button shows the details.",
      page: html({
        style: `button { margin: 20px; width: 120px; height: 40px; border: 0; color: white; background: ${NAVY}; } .details { margin: 20px; height: 140px; background: ${GREEN}; }`,
        body: `<h1>Order</h1><button onclick="document.querySelector('.details').hidden = false">Details</button><div class="details" hidden></div>`,
      }),
      before: picture({}, at(30, 75, NAVY), without(GREEN)),
      after: picture({ click: "button" }, at(200, 200, GREEN)),
    },
    {
      name: "script",
      title: "A script",
      about: "The script closes a chat window.",
      page: CHAT,
      before: CHAT_SHOWN,
      after: picture({ script: "document.querySelector('.chat').remove()" }, ...CHAT_GONE),
    },
    {
      name: "mask",
      title: "Masks",
      about: "Boxes cover confidential text; the layout does not change.",
      page: html({
        style: `.secret { margin: 20px; width: 200px; height: 60px; line-height: 60px; text-align: center; color: ${RED}; background: #ffebee; }`,
        body: `<h1>Account</h1><div class="secret">DE89 3704 0044</div><div class="secret">Jane Doe</div>`,
      }),
      before: picture({}, at(25, 75, "#ffebee"), at(25, 155, "#ffebee")),
      after: picture(
        { mask: ".secret", maskColor: GREEN },
        at(20, 68, GREEN),
        at(219, 127, GREEN),
        at(120, 98, GREEN),
        at(120, 178, GREEN),
        at(230, 98, WHITE),
        without(RED, "#ffebee"),
      ),
    },
  ],
};
