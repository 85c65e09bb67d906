import { render } from "preact";
import { App } from "./app.tsx";

const container = document.querySelector("#app");
if (container !== null) render(<App />, container);
