import { autoconsentModule, rulesFor } from "./autoconsent.ts";
import { SET_STYLE } from "../../in-page.ts";
import { FIND_DIALOGS } from "./find-dialogs.ts";
import { LOADS_A_DIALOG } from "./words.ts";

/**
 * Drives autoconsent within a document. Each operation resolves with its result, or with the functions that autoconsent
 * wants to run among the page's own scripts; `resume` continues with their results. It sends nothing unless it is
 * called, so a page has no messages to forge and no channel to flood.
 */
const DRIVE = `(autoconsent, rules, page, isMain) => {
  /** Limits each pause between autoconsent's actions; some of its rules wait for seconds. */
  const PAUSE_MAX_MS = 400;
  const POPUP_MAX_MS = 300;
  const POLL_MS = 50;
  const ELEMENTS_MAX = 30_000;
  const SCRIPTS_MAX = 500;
  const SCRIPT_CHARACTERS = 20_000;
  const BLURRED_MAX = 200;
  const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

  const asked = [];
  let onAsked = () => {};
  let operation = null;
  /** Whether autoconsent has clicked or called anything. */
  let hasActed = false;

  /** Detects dialogs only when called, not automatically. */
  class Consent extends autoconsent.default {
    start() {}
  }
  const send = async ({ type, id, snippetId }) => {
    if (type !== "eval") return;
    hasActed = true;
    asked.push({ id, snippet: snippetId });
    onAsked();
  };
  const off = ["lifecycle", "rulesteps", "detectionsteps", "evals", "errors", "messages", "waits"];
  const config = {
    autoAction: null,
    enablePrehide: false,
    heuristicMode: "reject",
    heuristicPopupSearchTimeout: 50,
    logs: Object.fromEntries(off.map((name) => [name, false])),
  };
  const consent = new Consent(send, config, { autoconsent: [], compact: rules });

  const LINK = "a[href]:not([href^='#']):not([href^='javascript:'])";
  const SUBMITS = "button:not([type=button i],[type=reset i]),input[type=submit i],input[type=image i]";
  /** A link may leave the page, and a form may act on behalf of a logged-in visitor. */
  const staysOnPage = (button) => {
    const submits = page.matches(button, SUBMITS) && page.formOf(button) !== null;
    return !submits && page.closest(button, LINK) === null;
  };
  /** A vendor's rule knows its buttons; a heuristic one does not. */
  const mayClick = (button) => ["declines", "settings"].includes(page.kindOf(button)) && staysOnPage(button);
  const { click: clickOn } = HTMLElement.prototype;
  /** Never accepts, whatever a rule does. A switch may be labeled with what it allows. */
  const click = (element) => {
    const isSwitch = page.matches(element, "label,input[type=checkbox],input[type=radio],[role=switch],[role=checkbox]");
    if (!isSwitch && page.kindOf(element) === "accepts") return false;
    if (popup?.popups !== undefined && !mayClick(element)) return false;
    hasActed = true;
    clickOn.call(element);
    return true;
  };
  HTMLElement.prototype.click = function () {
    click(this);
  };
  const { domActions } = consent;
  domActions.wait = (ms) => wait(Math.min(ms, PAUSE_MAX_MS)).then(() => true);
  domActions.clickElement = async (element) => element instanceof HTMLElement && click(element);
  domActions.click = async (selector, all = false) => {
    const elements = domActions.elementSelector(selector).slice(0, all ? undefined : 1);
    return elements.length > 0 && elements.map(click).every(Boolean);
  };

  /** The rule whose dialog is open; \`null\` if there is none. */
  let popup = null;
  /** Names of the rules whose dialogs were open, in any frame. */
  const names = new Set();
  /** The state of the page when the first dialog was open. */
  let before = null;
  let hasOpened = false;
  const remember = (isDialogOpen) => {
    if (isMain && !hasOpened)
      before = { focused: document.activeElement, left: scrollX, top: scrollY, covers: page.covers() };
    hasOpened ||= isDialogOpen;
  };

  /** The elements of a rule's dialog that the rule or autoconsent's heuristics identify. */
  const elementsOf = ({ prehideSelectors = [], popups = [] }) =>
    prehideSelectors
      .flatMap((selector) => page.all(document, selector))
      .concat(popups.map(({ element }) => page.floatingAround(element) ?? element))
      .filter((element) => element instanceof HTMLElement);
  const isOpen = async (rule) => {
    const elements = elementsOf(rule);
    const isDetected = Promise.race([rule.detectPopup(), wait(POPUP_MAX_MS).then(() => false)]).catch(() => false);
    // a dialog may stay in the document once it has faded or slid away
    return (await isDetected) && (elements.length === 0 || elements.some(page.hasPaint));
  };
  const firstOpen = async (rules) => {
    const open = await Promise.all(rules.map(isOpen));
    return rules.find((_rule, i) => open[i]) ?? null;
  };
  const loadsDialog = () =>
    page.all(document, "script,iframe").slice(0, SCRIPTS_MAX).some((element) =>
      ${String(LOADS_A_DIALOG)}.test(
        element.src + " " + element.id + " " + (element.src ? "" : element.textContent.slice(0, SCRIPT_CHARACTERS)),
      ),
    );
  const detectDialogs = async () => {
    // autoconsent's heuristics compare all floating elements with each other
    consent.config.heuristicMode = page.all(document, "*").length > ELEMENTS_MAX ? "off" : "reject";
    consent.state.findCmpAttempts = 1; // it applies its heuristics on every second attempt
    const found = await consent.findCmp(0).catch(() => []);
    popup =
      (await firstOpen(found.filter((rule) => !rule.isCosmetic))) ??
      (await firstOpen(found.filter((rule) => rule.isCosmetic)));
    page.takeCutReason();
    const isDialogOpen = popup !== null || page.dialogs(isMain).length > 0;
    // a page with many candidates is about cookies, and dialogs on top of it are found in any case
    const isComplete = isDialogOpen || page.takeCutReason() !== "time";
    if (popup !== null) names.add(popup.name);
    remember(isDialogOpen);
    const isExpected = found.length > 0 || (isMain && loadsDialog());
    return { isOpen: isDialogOpen, isComplete, isExpected, names: [...names] };
  };

  const clickOne = (kind) => {
    for (const dialog of page.dialogs(isMain)) {
      const button = page.buttonsOf(dialog).find((each) => page.kindOf(each) === kind && staysOnPage(each));
      if (button !== undefined) return click(button);
    }
    return false;
  };
  const declineByWords = async () => {
    if (clickOne("declines")) return true;
    if (!clickOne("settings")) return false;
    for (let waitedMs = 0; waitedMs < PAUSE_MAX_MS; waitedMs += POLL_MS) {
      await wait(POLL_MS);
      if (clickOne("declines")) return true;
    }
    return false;
  };
  const decline = async () => {
    if (popup === null) return declineByWords();
    hasActed = false;
    const { isCosmetic } = popup;
    const isDone = await popup.optOut().catch(() => false);
    return isDone && hasActed && !isCosmetic && !popup.isIntermediate;
  };

  const ruleElements = () => consent.rules.filter((rule) => names.has(rule.name)).concat(popup ?? []).flatMap(elementsOf);
  const remaining = () => [...ruleElements().filter(page.hasPaint), ...page.dialogs(isMain)];
  const covers = () => page.covers().filter((element) => before?.covers.includes(element));
  const animations = () =>
    document.getAnimations().filter(
      ({ playState, effect }) => playState === "running" && Number.isFinite(effect?.getComputedTiming().endTime),
    );
  /** Waits until dialogs, covers and animations are gone; resolves with whether the dialogs are. */
  const waitUntilClosed = async (ruleNames, maxMs) => {
    for (const name of ruleNames) names.add(name);
    for (let waitedMs = 0; ; waitedMs += POLL_MS) {
      const isStillOpen = remaining().length > 0 || (popup !== null && (await isOpen(popup)));
      if (!isStillOpen && covers().length === 0 && animations().length === 0) return true;
      if (waitedMs >= maxMs) return !isStillOpen;
      await wait(POLL_MS);
    }
  };

  ${SET_STYLE}
  const conceal = (elements) => {
    for (const element of elements) setStyle(element, "display", "none");
  };
  /** Undoes what prevents scrolling behind a dialog, or blurs the page. */
  const unlock = () => {
    for (const element of [document.documentElement, document.body]) {
      if (!(element instanceof HTMLElement)) continue;
      const { overflowY, position } = getComputedStyle(element);
      if (overflowY === "hidden" || overflowY === "clip") setStyle(element, "overflow-y", "visible");
      if (position === "fixed") setStyle(element, "position", "static");
    }
    for (const element of page.all(document, "body,body > *,body > * > *").slice(0, BLURRED_MAX))
      if (element instanceof HTMLElement && getComputedStyle(element).filter.includes("blur(")) setStyle(element, "filter", "none");
  };
  const hide = async (ruleNames) => {
    for (const name of ruleNames) names.add(name);
    const dialogs = remaining();
    if (dialogs.length > 0) {
      conceal([...dialogs, ...covers()]);
      unlock();
    }
    page.takeCutReason();
    // the part that was not searched may show a dialog
    const isStillOpen = remaining().length > 0 || page.takeCutReason() !== null || (popup !== null && (await isOpen(popup)));
    return { isHidden: dialogs.length > 0, isStillOpen };
  };
  /** Hides the floating element around another, such as a dialog's frame. */
  const hideAround = (element) => {
    const floating = page.floatingAround(element);
    if (floating === null) return false;
    conceal([floating, ...covers()]);
    unlock();
    return true;
  };
  const tidy = () => {
    conceal(covers());
    if (before === null) return;
    const { focused, left, top } = before;
    if (document.activeElement !== focused) {
      document.activeElement?.blur?.();
      if (focused !== document.body) focused?.focus?.({ preventScroll: true });
    }
    scrollTo({ left, top, behavior: "instant" });
  };

  const operations = { detectDialogs, decline, waitUntilClosed, hide, tidy };
  const next = async () => {
    if (asked.length === 0) await Promise.race([operation, new Promise((resolve) => { onAsked = resolve; })]);
    if (asked.length > 0) return { asked: asked.splice(0) };
    return { result: await operation };
  };
  return {
    hideAround,
    run(name, ...args) {
      operation = Promise.resolve().then(() => operations[name](...args));
      return next();
    },
    resume(results) {
      for (const { id, result } of results) void consent.receiveMessageCallback({ type: "evalResp", id, result });
      return next();
    },
  };
}`;

/** An expression that prepares a document: it defines `consent` in the world where it is evaluated. */
export function preparationExpression(frame: { readonly url: string; readonly mainFrame: boolean }): string {
  const driver = `(${DRIVE})(${autoconsentModule()}, ${rulesFor(frame)}, ${FIND_DIALOGS}, ${frame.mainFrame})`;
  return `void (globalThis.consent = ${driver})`;
}
