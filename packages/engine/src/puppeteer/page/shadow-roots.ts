/** Defines a function in the page that returns a root and every open shadow root within it. */
export const ROOTS_OF = `const rootsOf = (root) => [
  root,
  ...[...root.querySelectorAll("*")].flatMap((element) => (element.shadowRoot ? rootsOf(element.shadowRoot) : [])),
];`;
