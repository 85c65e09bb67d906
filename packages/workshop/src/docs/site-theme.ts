import type { Theme } from "vitepress";
import DefaultTheme from "vitepress/theme";

/** The default theme, with a directive that renders the Mermaid blocks inside an element. */
export const siteTheme: Theme = {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => void app.directive("diagrams", { mounted: (element) => void draw(element) }),
};

interface BrowserWindow {
  readonly document: {
    createElement(name: string): { onload: () => void; src: string };
    querySelector(selector: string): unknown;
    readonly head: { append(element: unknown): void };
  };
  readonly mermaid: {
    initialize(settings: { readonly startOnLoad: boolean; readonly theme: string }): void;
    run(options: { readonly nodes: unknown }): Promise<void>;
  };
}

let loaded: Promise<void> | undefined;

/** Runs in the reader's browser, which loads Mermaid only on pages with a diagram. */
async function draw({ children }: { readonly children: unknown }): Promise<void> {
  const window = globalThis as unknown as BrowserWindow;
  await (loaded ??= load(window));
  const isDark = window.document.querySelector("html.dark") !== null;
  window.mermaid.initialize({ startOnLoad: false, theme: isDark ? "dark" : "neutral" });
  await window.mermaid.run({ nodes: children });
}

/** Mermaid is a classic script that defines `window.mermaid`. */
async function load({ document }: BrowserWindow): Promise<void> {
  // @ts-expect-error Only Vite understands `?url`.
  const { default: src } = (await import("@mermaid-js/tiny?url")) as { readonly default: string };
  const script = document.createElement("script");
  await new Promise<void>((resolve) => {
    document.head.append(Object.assign(script, { src, onload: resolve }));
  });
}
