import { ABOUT_COOKIES, BUTTON_KINDS } from "./words.ts";

/*
 * Runs in an isolated world. Even there, a form control hides the form's property of the same name
 * ("DOM clobbering"). So this code calls the getters and methods of the prototypes.
 */

const KINDS = BUTTON_KINDS.map(([kind, words]) => `["${kind}", ${String(words)}]`).join(", ");

/**
 * An expression that returns functions to find dialogs and the floating element around another element, and to classify
 * buttons.
 */
export const FIND_DIALOGS = `(() => {
  const method = (type, name) => (target, ...args) => type.prototype[name].apply(target, args);
  const getter = (type, name) => {
    const { get } = Object.getOwnPropertyDescriptor(type.prototype, name);
    return (target) => get.call(target);
  };
  const parentOf = getter(Node, "parentNode");
  const valueOf = getter(Node, "nodeValue");
  const shadowOf = getter(Element, "shadowRoot");
  const attribute = method(Element, "getAttribute");
  const matches = method(Element, "matches");
  const box = method(Element, "getBoundingClientRect");
  const isShown = method(Element, "checkVisibility");
  const inElement = method(Element, "querySelectorAll");
  const all = (root, selector) => [
    ...(root instanceof Element ? inElement(root, selector) : root.querySelectorAll(selector)),
  ];

  const KINDS = [${KINDS}];
  const DIALOGS_MAX = 10;
  /** Points to look at, as fractions of the viewport's width and height. */
  const GRID = [0.04, 0.27, 0.5, 0.73, 0.96];
  const CANDIDATES_MAX = 100;
  const BUTTONS_MAX = 100;
  const TEXT_MIN = 15;
  const TEXT_MAX = 5_000;
  const LABEL_MAX = 80;
  const PARTS_MAX = 20;
  /** A document that takes longer is searched only partly. */
  const SEARCH_MAX_MS = 150;

  let cutBy = null;
  /** Returns what cut a search short since the last call, "time" or "candidates"; null if nothing did. */
  const takeCutReason = () => {
    const last = cutBy;
    cutBy = null;
    return last;
  };

  /** \`root\` and the nodes in it: elements, text, and those in open shadow roots. */
  const nodesOf = function* (root, endsAtMs = performance.now() + SEARCH_MAX_MS) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    for (let node = root; node !== null; node = walker.nextNode()) {
      if (performance.now() >= endsAtMs) {
        cutBy = "time";
        return;
      }
      yield node;
      const shadow = node instanceof Element ? shadowOf(node) : null;
      if (shadow !== null) yield* nodesOf(shadow, endsAtMs);
    }
  };
  const texts = function* (root) {
    for (const node of nodesOf(root)) {
      if (!(node instanceof Text)) continue;
      const parent = parentOf(node);
      if (!(parent instanceof Element) || !matches(parent, "script,style,noscript,template,textarea")) yield node;
    }
  };
  const textOf = (root, counts = () => true) => {
    let text = "";
    for (const node of texts(root)) {
      if (!counts(node)) continue;
      text += valueOf(node).slice(0, TEXT_MAX) + " ";
      if (text.length > TEXT_MAX * 2) break;
    }
    return text.replace(/\\s+/g, " ").trim().toLowerCase();
  };
  const formOf = (element) => {
    const type = element instanceof HTMLButtonElement ? HTMLButtonElement : HTMLInputElement;
    return element instanceof type ? getter(type, "form")(element) : null;
  };
  const closest = method(Element, "closest");
  const hostOrParent = (node) => {
    const parent = parentOf(node);
    return parent instanceof ShadowRoot ? parent.host : parent instanceof Element ? parent : null;
  };

  const isPainted = (element) => {
    const { left, top, right, bottom } = box(element);
    const isInViewport = right > 0 && bottom > 0 && left < innerWidth && top < innerHeight;
    const isOpaque = isShown(element, { opacityProperty: true, visibilityProperty: true });
    return isInViewport && right - left > 1 && bottom - top > 1 && isOpaque;
  };
  /** Checks all descendants, because an element whose children float has no box. */
  const hasPaint = (element) => {
    for (const node of nodesOf(element)) if (node instanceof Element && isPainted(node)) return true;
    return false;
  };

  const isFloating = (element) => {
    const { position, zIndex } = getComputedStyle(element);
    if (position === "fixed" || position === "sticky" || (position === "absolute" && Number(zIndex) >= 100)) return true;
    return matches(element, "dialog[open],[role=dialog],[role=alertdialog],[aria-modal=true]");
  };
  /** The outermost element around \`node\` that floats above the page and contains nothing else. */
  const floatingAround = (node) => {
    const { documentElement: root, body } = document;
    let found = null;
    let length = 0;
    for (let at = node; at !== null && at !== body && at !== root; at = hostOrParent(at)) {
      if (!(at instanceof HTMLElement) || !isFloating(at)) continue;
      const text = textOf(at).length;
      if (found !== null && text > length + 50) break;
      [found, length] = [at, found === null ? text : length];
    }
    return found;
  };

  /** An element's labels: first the visible one, then others that may contradict it. */
  const labelsOf = (element) => {
    // text that is not painted could contradict what a reader sees
    const text = textOf(element, (node) => isPainted(hostOrParent(node)));
    const value = element instanceof HTMLInputElement ? attribute(element, "value") : null;
    const others = [element, ...all(element, "*").slice(0, PARTS_MAX)].flatMap((part) => [
      ...["aria-label", "title", "alt"].map((name) => attribute(part, name)),
      // a string in quotes; without a pseudo-element, a keyword
      ...["::before", "::after"].map((name) => /^"(.*)"$/s.exec(getComputedStyle(part, name).content)?.[1]),
    ]);
    return [text, value, ...others]
      .map((label) => (label ?? "").trim().toLowerCase())
      .filter((label) => label !== "");
  };
  const kindOfLabel = (label) => KINDS.find(([, words]) => label.length <= LABEL_MAX && words.test(label))?.[0] ?? "other";
  const kindOf = (element) => {
    const kinds = labelsOf(element).map(kindOfLabel);
    return ["accepts", "sells"].find((kind) => kinds.includes(kind)) ?? kinds[0] ?? "other";
  };
  const buttonsOf = (element) => {
    const buttons = [];
    for (const node of nodesOf(element)) {
      if (buttons.length >= BUTTONS_MAX) break;
      const isButton =
        node instanceof HTMLElement && matches(node, "button,[role=button],a,input[type=button],input[type=submit]");
      if (isButton && isPainted(node)) buttons.push(node);
    }
    return buttons;
  };

  const isDialog = (element) => {
    const text = textOf(element);
    if (text.length < TEXT_MIN || text.length > TEXT_MAX || !${String(ABOUT_COOKIES)}.test(text)) return false;
    if (all(element, "main,nav,article,video,input[type=password],input[type=email],input[type=search]").length > 0)
      return false;
    return hasPaint(element) && buttonsOf(element).some((button) => ["accepts", "declines"].includes(kindOf(button)));
  };
  /** The floating elements on top of the page at points of a grid. */
  const floatingAtPoints = () => {
    const points = GRID.flatMap((x) => GRID.map((y) => [innerWidth * x, innerHeight * y]));
    const tops = new Set(points.map(([x, y]) => document.elementsFromPoint(x, y)[0] ?? null));
    return new Set([...tops].map(floatingAround).filter((element) => element !== null));
  };
  /** Consent dialogs above the page; in a frame, the frame itself may be one. */
  const dialogs = (isMain) => {
    const found = new Set();
    const seen = new Set([null]);
    // quick, even in a large document
    for (const floating of floatingAtPoints()) {
      if (isDialog(floating)) found.add(floating);
      seen.add(floating);
    }
    for (const node of texts(document)) {
      if (found.size >= DIALOGS_MAX) break;
      if (seen.size >= CANDIDATES_MAX) {
        cutBy ??= "candidates";
        break;
      }
      if (!${String(ABOUT_COOKIES)}.test(valueOf(node).toLowerCase())) continue;
      const parent = hostOrParent(node);
      const floating = seen.has(parent) ? null : floatingAround(parent);
      if (!seen.has(floating) && isDialog(floating)) found.add(floating);
      seen.add(parent).add(floating);
    }
    const { body } = document;
    if (!isMain && found.size === 0 && body instanceof HTMLElement && isDialog(body)) found.add(body);
    return [...found];
  };

  /** Translucent layers over the whole viewport, which dialogs place behind themselves. */
  const covers = () => {
    const isCover = (element) => {
      const { position, zIndex, backgroundColor, backgroundImage, backdropFilter, opacity } = getComputedStyle(element);
      if (position !== "fixed" || Number(zIndex) < 1 || backgroundImage !== "none") return false;
      const alpha = Number(/^rgba\\(.*, ([\\d.]+)\\)$/.exec(backgroundColor)?.[1] ?? 1) * Number(opacity);
      const { left, top, right, bottom } = box(element);
      const isFull = left <= 1 && top <= 1 && right >= innerWidth - 1 && bottom >= innerHeight - 1;
      const isTranslucent = (alpha > 0 && alpha < 1) || (backdropFilter ?? "none") !== "none";
      return isFull && isTranslucent && isPainted(element) && textOf(element) === "";
    };
    // clicks in the corners would hit a cover
    const points = [[2, 2], [innerWidth - 2, 2], [2, innerHeight - 2], [innerWidth - 2, innerHeight - 2]];
    const elements = points.flatMap(([x, y]) => document.elementsFromPoint(x, y));
    return [...new Set(elements)].filter((element) => element instanceof HTMLElement && isCover(element));
  };

  return { all, matches, closest, formOf, dialogs, takeCutReason, covers, floatingAround, buttonsOf, kindOf, hasPaint };
})()`;
