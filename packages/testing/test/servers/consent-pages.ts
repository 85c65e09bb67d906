/*
 * Pages with consent dialogs. Most have the markup of a major vendor, some that of no known vendor.
 * Each reports a choice by requesting `/clicked/NAME/CHOICE`. Without its dialog, a page looks
 * exactly like the plain one.
 */

/** A page with a consent dialog. */
export interface ConsentPage {
  /** Also the path, after a slash. */
  readonly name: string;
  readonly html: string;
  /** The note of a render that has handled the dialog. */
  readonly note: "consent-declined" | "consent-hidden";
}

const CONTENT = `<main>
  <h1>Tides of the North Sea</h1>
  <p>High water moves around the coast twice a day, and arrives an hour later with each.</p>
  <div class="field" style="background:#2a6f97"></div>
  <div class="field" style="background:#a9d6e5"></div>
  <p>Every harbor has its own table.</p>
</main>`;

const STYLE = `<style>
  body { margin: 0; font: 18px/1.5 sans-serif; background: #fff }
  main { padding: 40px; width: 700px }
  .field { height: 500px; margin: 20px 0 }
  .bar { position: fixed; left: 0; right: 0; bottom: 0; padding: 30px; background: #222; color: #fff; z-index: 9999 }
  .box { position: fixed; left: 25%; top: 25%; width: 50%; padding: 30px; background: #eee; z-index: 9999 }
  .dark { position: fixed; inset: 0; background: rgba(0, 0, 0, .6); z-index: 9998 }
  .fading { opacity: 0; transition: opacity .3s }
  .closed { display: none }
</style>`;

const document = (body: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>Tides</title>${STYLE}<body>${CONTENT}${body}`;

/** The page without a dialog. */
export const PLAIN_PAGE = document("");

const TEXT = "We and our partners use cookies to store and access information on your device.";

const page = (
  name: string,
  { html, script, note = "consent-declined" }: { html: string; script: string; note?: ConsentPage["note"] },
): ConsentPage => ({
  name,
  html: document(`${html}<script>
    const $ = (selector) => document.querySelector(selector);
    const record = (choice) => { new Image().src = location.origin + "/clicked/${name}/" + choice };
    const on = (selector, choice, close) => $(selector).addEventListener("click", () => { record(choice); close() });
    ${script}
  </script>`),
  note,
});

const ONETRUST = `<div id="onetrust-consent-sdk">
  <div class="onetrust-pc-dark-filter dark"></div>
  <div id="onetrust-banner-sdk" class="otFlat bottom bar" role="dialog" aria-label="Cookie banner">
    <div id="onetrust-policy-text">${TEXT}</div>
    <button id="onetrust-pc-btn-handler">Cookies Settings</button>
    FIRST
    <button id="onetrust-accept-btn-handler">Accept All Cookies</button>
  </div>
  <div id="onetrust-pc-sdk" class="otPcCenter box closed" role="dialog" aria-label="Preference center">
    <h2>Manage Consent Preferences</h2>
    <label><input type="checkbox" class="category-switch-handler" checked>Targeting Cookies</label>
    <button id="accept-recommended-btn-handler">Allow All</button>
    <button class="save-preference-btn-handler onetrust-close-btn-handler">Confirm My Choices</button>
  </div>
</div>`;

const onetrust = page("onetrust", {
  html: ONETRUST.replace("FIRST", '<button id="onetrust-reject-all-handler">Reject All</button>'),
  script: `document.body.style.overflow = "hidden";
    const close = () => {
      document.body.style.overflow = "";
      for (const part of document.querySelectorAll("#onetrust-consent-sdk > div")) part.classList.add("fading");
      setTimeout(() => $("#onetrust-consent-sdk").remove(), 400);
    };
    on("#onetrust-reject-all-handler", "reject", close);
    on("#onetrust-accept-btn-handler", "accept", close);`,
});

const onetrustSettings = page("onetrust-settings", {
  html: ONETRUST.replace("FIRST", ""),
  script: `const close = () => $("#onetrust-consent-sdk").remove();
    on("#onetrust-pc-btn-handler", "settings", () => $("#onetrust-pc-sdk").classList.remove("closed"));
    on("#onetrust-accept-btn-handler", "accept", close);
    on("#accept-recommended-btn-handler", "accept", close);
    on(".save-preference-btn-handler", "unchanged", () => {});
    $(".save-preference-btn-handler").addEventListener("click", () => {
      record($(".category-switch-handler").checked ? "accept" : "reject");
      close();
    });`,
});

const cookiebot = page("cookiebot", {
  html: `<div id="CybotCookiebotDialogBodyUnderlay" class="dark"></div>
    <div id="CybotCookiebotDialog" class="box" role="dialog" aria-modal="true">
      <h2>This website uses cookies</h2><p>${TEXT}</p>
      <button id="CybotCookiebotDialogBodyLevelButtonLevelOptinDeclineAll">Deny</button>
      <button id="CybotCookiebotDialogBodyLevelButtonLevelOptinAllowAll">Allow all</button>
    </div>`,
  script: `window.Cookiebot = { hasResponse: false, dialog: { visible: true } };
    const close = () => {
      Cookiebot.hasResponse = true;
      $("#CybotCookiebotDialog").remove();
      $("#CybotCookiebotDialogBodyUnderlay").remove();
    };
    on("#CybotCookiebotDialogBodyLevelButtonLevelOptinDeclineAll", "reject", close);
    on("#CybotCookiebotDialogBodyLevelButtonLevelOptinAllowAll", "accept", close);`,
});

const didomi = page("didomi", {
  html: `<div id="didomi-host"><div id="didomi-popup" class="didomi-popup-backdrop dark">
    <div class="didomi-popup-container box" role="dialog" aria-modal="true">
      <p>${TEXT}</p>
      <button id="didomi-notice-learn-more-button">Learn More</button>
      <button id="didomi-notice-disagree-button">Disagree and close</button>
      <button id="didomi-notice-agree-button">Agree and close</button>
    </div></div></div>`,
  script: `document.body.classList.add("didomi-popup-open");
    document.body.style.cssText = "overflow: hidden; position: fixed; width: 100%";
    const close = () => { document.body.style.cssText = ""; $("#didomi-host").replaceChildren() };
    on("#didomi-notice-disagree-button", "reject", close);
    on("#didomi-notice-agree-button", "accept", close);`,
});

const quantcast = page("quantcast", {
  html: `<div class="qc-cmp2-container" id="qc-cmp2-container"><div id="qc-cmp2-main" class="dark">
    <div id="qc-cmp2-ui" class="qc-cmp2-ui-container box" role="dialog" aria-modal="true">
      <p>${TEXT}</p>
      <div class="qc-cmp2-summary-buttons">
        <button mode="secondary" class="css-1">MORE OPTIONS</button>
        <button mode="secondary" class="css-2">DISAGREE</button>
        <button mode="primary" class="css-3">AGREE</button>
      </div>
    </div></div></div>`,
  script: `const close = () => $("#qc-cmp2-container").remove();
    on(".css-2", "reject", close);
    on(".css-3", "accept", close);`,
});

const usercentrics = page("usercentrics", {
  html: `<div id="usercentrics-root"></div>`,
  script: `const root = $("#usercentrics-root").attachShadow({ mode: "open" });
    root.innerHTML = \`${STYLE}<div data-testid="uc-container"><div class="dark"></div>
      <div class="box" role="dialog" data-testid="uc-default-wall"><p>${TEXT}</p>
        <button data-testid="uc-deny-all-button">Deny</button>
        <button data-testid="uc-accept-all-button">Accept All</button>
      </div></div>\`;
    document.body.classList.add("overflowHidden");
    window.UC_UI = {
      closeCMP: () => {},
      denyAllConsents: () => { record("reject"); close() },
      acceptAllConsents: () => { record("accept"); close() },
    };
    const close = () => root.replaceChildren();
    for (const [id, choice] of [["deny", "reject"], ["accept", "accept"]])
      root.querySelector("[data-testid=uc-" + id + "-all-button]").addEventListener("click", () => {
        record(choice);
        close();
      });`,
});

const trustarc = page("trustarc", {
  html: `<div id="truste-consent-track" class="bar"><div id="truste-consent-content">
    <p id="truste-consent-text">${TEXT}</p>
    <button id="truste-show-consent">Manage Settings</button>
    <button id="truste-consent-required">Required Only</button>
    <button id="truste-consent-button">Accept All</button>
  </div></div>`,
  script: `const close = () => $("#truste-consent-track").classList.add("closed");
    on("#truste-consent-required", "reject", close);
    on("#truste-consent-button", "accept", close);`,
});

/** The path of the frame on the page `sourcepoint`. The frame must come from another origin. */
export const SOURCEPOINT_FRAME_PATH = "/index.html";

export const SOURCEPOINT_FRAME = `<!doctype html><meta charset="utf-8">${STYLE}
  <div class="message type-modal" style="background:#fff;height:300px;padding:30px"><p>${TEXT}</p>
    <button class="message-component message-button sp_choice_type_12">Options</button>
    <button class="message-component message-button sp_choice_type_13">Reject all</button>
    <button class="message-component message-button sp_choice_type_11">Accept all</button>
  </div>
  <script>
    for (const [type, choice] of [[13, "reject"], [11, "accept"]])
      document.querySelector(".sp_choice_type_" + type).addEventListener("click", () => parent.postMessage(choice, "*"));
  </script>`;

const sourcepoint = page("sourcepoint", {
  html: `<div id="sp_message_container_1" class="dark" style="background:rgba(0,0,0,.4)">
    <iframe id="sp_message_iframe_1" style="position:fixed;left:25%;top:25%;width:50%;height:400px;border:0"></iframe></div>`,
  script: `document.documentElement.classList.add("sp-message-open");
    document.documentElement.style.overflow = "hidden";
    $("iframe").src = "http://cmp.test:" + location.port + "${SOURCEPOINT_FRAME_PATH}?message_id=1&requestUUID=2";
    addEventListener("message", ({ data }) => {
      record(data);
      document.documentElement.style.overflow = "";
      $("#sp_message_container_1").remove();
    });`,
});

const klaro = page("klaro", {
  html: `<div id="klaro" class="klaro"><div class="cookie-notice bar" role="dialog"><div class="cn-body">
    <p>${TEXT}</p><div class="cn-ok">
    <a class="cm-link cn-learn-more" href="#">Let me choose</a>
    <button class="cm-btn cm-btn-danger cn-decline">I decline</button>
    <button class="cm-btn cm-btn-success">That's ok</button></div></div></div></div>`,
  script: `const close = () => $(".cookie-notice").remove();
    on(".cn-decline", "reject", close);
    on(".cm-btn-success", "accept", close);`,
});

const complianz = page("complianz", {
  html: `<div id="cmplz-cookiebanner-container"><div class="cmplz-cookiebanner cmplz-show banner-1 box" role="dialog">
    <div class="cmplz-title">Manage Consent</div><div class="cmplz-message">${TEXT}</div>
    <button class="cmplz-btn cmplz-accept">Accept</button>
    <button class="cmplz-btn cmplz-deny">Deny</button>
    <button class="cmplz-btn cmplz-view-preferences">View preferences</button></div></div>`,
  script: `const close = () => $(".cmplz-cookiebanner").classList.add("closed");
    on(".cmplz-deny", "reject", close);
    on(".cmplz-accept", "accept", close);`,
});

const cookieyes = page("cookieyes", {
  html: `<div class="cky-overlay dark"></div>
    <div class="cky-consent-container cky-box-bottom-left box" role="region" aria-label="We value your privacy">
    <div class="cky-consent-bar" data-cky-tag="notice"><p>${TEXT}</p>
      <button class="cky-btn cky-btn-customize" data-cky-tag="settings-button">Customize</button>
      <button class="cky-btn cky-btn-reject" data-cky-tag="reject-button">Reject All</button>
      <button class="cky-btn cky-btn-accept" data-cky-tag="accept-button">Accept All</button></div></div>`,
  script: `const close = () => { $(".cky-overlay").remove(); $(".cky-consent-container").remove() };
    on("[data-cky-tag=reject-button]", "reject", close);
    on("[data-cky-tag=accept-button]", "accept", close);`,
});

const osano = page("osano", {
  html: `<div class="osano-cm-window"><div class="osano-cm-dialog osano-cm-dialog--type_bar bar" role="dialog">
    <div class="osano-cm-message">${TEXT}</div>
    <button class="osano-cm-accept-all osano-cm-button">Accept All</button>
    <button class="osano-cm-denyAll osano-cm-button">Reject Non-Essential</button></div></div>`,
  script: `window.Osano = { cm: { dialogOpen: true } };
    const close = () => {
      Osano.cm.dialogOpen = false;
      $(".osano-cm-dialog").classList.add("osano-cm-dialog--hidden", "closed");
    };
    on(".osano-cm-denyAll", "reject", close);
    on(".osano-cm-accept-all", "accept", close);`,
});

const UNKNOWN = `<div class="notice-4711 bar"><p>${TEXT}</p>
  <button class="n1">Accept all</button><button class="n2">SECOND</button></div>`;

const unknown = page("unknown", {
  html: UNKNOWN.replace("SECOND", "Reject all"),
  script: `const close = () => $(".notice-4711").remove();
    on(".n1", "accept", close);
    on(".n2", "reject", close);`,
});

const unknownSettings = page("unknown-settings", {
  html: UNKNOWN.replace("SECOND", "Privacy settings"),
  script: `const close = () => $(".notice-4711").remove();
    on(".n1", "accept", close);
    on(".n2", "settings", () => {
      $(".notice-4711").innerHTML = "<p>Choose the cookies you want.</p><button class=n3>Allow all</button><button class=n4>Reject all</button>";
      on(".n3", "accept", close);
      on(".n4", "reject", close);
    });`,
});

const late = page("late", {
  html: "",
  script: `const showCookieBanner = () => {
      document.body.insertAdjacentHTML("beforeend", \`${UNKNOWN.replace("SECOND", "Decline")}\`);
      const close = () => $(".notice-4711").remove();
      on(".n1", "accept", close);
      on(".n2", "reject", close);
    };
    addEventListener("load", () => setTimeout(showCookieBanner, 1000));`,
});

const acceptOnly = page("accept-only", {
  html: `<div class="layer-1 dark"></div><div class="layer-2 box" role="dialog"><p>${TEXT}</p>
    <p>By continuing you agree to our cookie policy.</p><button class="n1">Accept and continue</button></div>`,
  script: `document.documentElement.style.overflow = document.body.style.overflow = "hidden";
    $("main").style.filter = "blur(6px)";
    on(".n1", "accept", () => {});`,
  note: "consent-hidden",
});

export const CONSENT_PAGES: readonly ConsentPage[] = [
  onetrust,
  onetrustSettings,
  cookiebot,
  didomi,
  quantcast,
  usercentrics,
  trustarc,
  sourcepoint,
  klaro,
  complianz,
  cookieyes,
  osano,
  unknown,
  unknownSettings,
  late,
  acceptOnly,
];
