import { at, picture, without, type Entry } from "../entry.ts";
import { html } from "../html.ts";
import { GRAY, GREEN, NAVY, RED, WHITE } from "../palette.ts";

const rightToLeft: Entry = {
  name: "right-to-left",
  title: "Right to left",
  about: "The page follows the browser's language, and Arabic is written from right to left.",
  page: html({
    style: `
      nav { float: inline-start; width: 100px; height: 220px; background: ${GREEN}; }
      p { margin: 0; padding: 20px; overflow: hidden; }`,
    body: `<h1>Gallery</h1><nav></nav><p></p>`,
    script: `
      const isArabic = navigator.language.startsWith("ar");
      document.documentElement.dir = isArabic ? "rtl" : "ltr";
      document.querySelector("h1").textContent = isArabic ? "مرحبا" : "Welcome";
      document.querySelector("p").textContent = new Intl.DateTimeFormat(navigator.language, { dateStyle: "full", timeZone: "UTC" })
        .format(Date.UTC(2026, 0, 31));`,
  }),
  before: picture({}, at(50, 150, GREEN), at(380, 280, WHITE)),
  after: picture({ locale: "ar" }, at(350, 150, GREEN), at(20, 280, WHITE)),
};

const timeZone: Entry = {
  name: "time-zone",
  title: "A time zone",
  about:
    "The page shows the visitor's local time at noon UTC: nine in the evening in Tokyo, when the sky is dark.",
  page: html({
    style: `body { height: 100vh; } p { margin: 0; padding: 90px 0 0; font-size: 60px; text-align: center; color: inherit; }`,
    body: "<p></p>",
    script: `
      const noon = new Date(Date.UTC(2026, 5, 1, 12));
      const isNight = noon.getHours() === 21;
      document.body.style.background = isNight ? "${NAVY}" : "#90caf9";
      document.body.style.color = isNight ? "white" : "black";
      document.querySelector("p").textContent = noon.toLocaleTimeString("en-US", { timeStyle: "short" });`,
  }),
  before: picture({ timeZone: "UTC" }, at(10, 10, "#90caf9")),
  after: picture({ timeZone: "Asia/Tokyo" }, at(10, 10, NAVY)),
};

const geolocation: Entry = {
  name: "geolocation",
  title: "A location",
  about: "A world map that marks the visitor's location.",
  page: html({
    style: `
      #map { position: relative; margin: 20px; width: 360px; height: 180px; background: ${GRAY}; }
      #dot { position: absolute; width: 20px; height: 20px; margin: -10px; border-radius: 50%; background: ${GREEN}; }`,
    body: `<h1>Where you are</h1><div id="map"></div>`,
    script: `
      navigator.geolocation.getCurrentPosition(
        ({ coords }) => {
          map.innerHTML = "<div id=dot style='left:" + (coords.longitude + 180) + "px;top:" + (90 - coords.latitude) + "px'></div>";
          requestAnimationFrame(() => { window.isLocated = true; });
        },
        () => { map.style.background = "${RED}"; window.isLocated = true; });`,
  }),
  before: picture({ waitForFunction: "window.isLocated" }, at(40, 200, RED), without(GREEN)),
  after: picture(
    { waitForFunction: "window.isLocated", latitude: 47, longitude: 8 },
    at(208, 111, GREEN),
    at(40, 200, GRAY),
    without(RED),
  ),
};

/** Pages that depend on the visitor's region. */
export const REGION_ENTRIES: readonly Entry[] = [rightToLeft, timeZone, geolocation];
