import {
  CONSENT_PAGES,
  SOURCEPOINT_FRAME,
  SOURCEPOINT_FRAME_PATH,
  type ConsentPage,
} from "../../../../testing/test/servers/consent-pages.ts";
import { withNotes, picture, type Entry, type Group } from "../entry.ts";

/** Large enough for the dialogs, which are in the middle or at the bottom. */
const SIZE = { width: 1000, height: 600 } as const;
/** The late dialog appears a second after the page. */
const LATE_CAPTURE = { delay: 1300 } as const;

const ABOUT: Readonly<Record<ConsentPage["note"], string>> = {
  "consent-declined":
    "The service declines the dialog. The page then looks exactly like one without a dialog.",
  "consent-hidden": "This dialog can only be accepted, so it is hidden, and nothing is clicked.",
};

/** Titles of the dialogs whose title is not only the capitalized name of the vendor. */
const TITLES: Readonly<Record<string, string>> = {
  onetrust: "OneTrust",
  "onetrust-settings": "OneTrust, with the choice on a second page",
  quantcast: "Quantcast (InMobi)",
  usercentrics: "Usercentrics, in a shadow root",
  trustarc: "TrustArc",
  sourcepoint: "Sourcepoint, in a frame from another origin",
  cookieyes: "CookieYes",
  unknown: "A dialog from an unknown vendor",
  "unknown-settings": "A dialog from an unknown vendor, with the choice on a second page",
  late: "A dialog that appears a second late",
  "accept-only": "A dialog that can only be accepted",
};

function entryOf({ name, html, note }: ConsentPage): Entry {
  const parameters = { ...SIZE, ...(name === "late" && LATE_CAPTURE) };
  return {
    name: `consent-${name}`,
    title: TITLES[name] ?? `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    about: ABOUT[note],
    page: html,
    before: picture(parameters),
    after: picture({ ...parameters, blockCookieBanners: true }, withNotes(note)),
    maxMs: 5000,
  };
}

export const CONSENT: Group = {
  title: "Cookie banners",
  entries: CONSENT_PAGES.map(entryOf),
};

/** The page in Sourcepoint's frame, by its path without the slash. */
export const CONSENT_FRAMES: ReadonlyMap<string, string> = new Map([
  [SOURCEPOINT_FRAME_PATH.slice(1), SOURCEPOINT_FRAME],
]);
