import { at, withNotes, picture, without, type Entry, type Group } from "../entry.ts";
import { html } from "../html.ts";
import { GRAY, GREEN, RED, WHITE } from "../palette.ts";

/** Returns a page that adds a font after `load`, in which each letter is a block 36 pixels wide. */
function fontPage(path: string): string {
  return html({
    style: `p { margin: 60px 20px; font: 60px/80px Blocks, monospace; color: ${GREEN}; }`,
    body: "<h1>Fonts</h1><p>LLLLLL</p>",
    script: `
      addEventListener("load", () => {
        const style = document.createElement("style");
        style.textContent = "@font-face { font-family: Blocks; src: url(${path}); font-display: swap }";
        document.head.append(style);
      });`,
  });
}

/** In the upper right of the first letter: empty in an L, filled in a block. */
const LETTER_CORNER = [50, 135] as const;

const slowFont: Entry = {
  name: "slow-font",
  title: "A slow font",
  about: "A web font, whose letters are blocks, arrives 700 ms after the page.",
  page: fontPage("/files/blocks.ttf?after=700"),
  before: picture({}, at(...LETTER_CORNER, WHITE)),
  after: picture({ stabilize: true }, at(...LETTER_CORNER, GREEN)),
  maxMs: 4000,
};

const missingFont: Entry = {
  name: "missing-font",
  title: "A font that never arrives",
  about:
    "The server accepts the request for the font and never responds. The render stops waiting after a few seconds, and shows the text in another font.",
  page: fontPage("/never"),
  before: picture({}, at(...LETTER_CORNER, WHITE)),
  after: picture({ stabilize: true }, at(...LETTER_CORNER, WHITE)),
  maxMs: 7000,
};

const endlessConnection: Entry = {
  name: "endless-connection",
  title: "Connections that never end",
  about: "Three requests never get a response, so the page never becomes idle.",
  page: html({
    style: `.panel { margin: 40px 20px; height: 160px; background: ${GREEN}; }`,
    body: `<h1>Prices</h1><div class="panel"></div>`,
    script: `for (const stream of [1, 2, 3]) fetch("/never?" + stream);`,
  }),
  before: picture(
    { waitUntil: "networkidle0", waitTimeout: 3000, onWaitTimeout: "capture" },
    at(200, 150, GREEN),
    withNotes("wait-capped"),
  ),
  after: picture(
    { waitUntil: "networkidle0", blockResources: "xhr" },
    at(200, 150, GREEN),
    withNotes("blocked=3"),
  ),
};

const brokenImage: Entry = {
  name: "broken-image",
  title: "A broken image",
  about: "One of two images does not exist, as the note reports.",
  page: html({
    style: "img { float: left; margin: 40px 20px; width: 160px; height: 160px; background: #c62828; }",
    body: `<h1>Team</h1><img src="/image/${GREEN.slice(1)}" alt=""><img class="portrait" src="/missing.png" alt="A portrait">`,
  }),
  before: picture({}, at(100, 168, GREEN), at(300, 240, RED), withNotes("images-failed=1")),
  after: picture(
    { hideSelectors: ".portrait" },
    at(100, 168, GREEN),
    without(RED),
    withNotes("images-failed=1"),
  ),
};

const webgl: Entry = {
  name: "webgl",
  title: "WebGL",
  about: "A WebGL scene that is drawn once its model has loaded.",
  page: html({
    style: `canvas { display: block; margin: 30px auto; background: ${GRAY}; }`,
    body: `<h1>Model</h1><canvas width="320" height="190"></canvas>`,
    script: `
      const gl = document.querySelector("canvas").getContext("webgl");
      const compile = (type, source) => {
        const shader = gl.createShader(type);
        gl.shaderSource(shader, source);
        gl.compileShader(shader);
        return shader;
      };
      function draw() {
        const program = gl.createProgram();
        gl.attachShader(program, compile(gl.VERTEX_SHADER, "attribute vec2 at; void main() { gl_Position = vec4(at, 0, 1); }"));
        gl.attachShader(program, compile(gl.FRAGMENT_SHADER, "void main() { gl_FragColor = vec4(46, 125, 50, 255) / 255.; }"));
        gl.linkProgram(program);
        gl.useProgram(program);
        gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
        gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-0.9, -0.9, 0.9, -0.9, 0, 0.9]), gl.STATIC_DRAW);
        gl.enableVertexAttribArray(0);
        gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
        gl.drawArrays(gl.TRIANGLES, 0, 3);
        requestAnimationFrame(() => { window.isDrawn = true; });
      }
      addEventListener("load", () => fetch("/image/0?after=600").then(draw));`,
  }),
  before: picture({}, at(200, 200, GRAY), without(GREEN)),
  after: picture({ waitForFunction: "window.isDrawn" }, at(200, 200, GREEN), at(50, 85, GRAY)),
};

const overlay: Entry = {
  name: "overlay",
  title: "A loading screen",
  about: "A screen that disappears 600 ms after the page has loaded.",
  page: html({
    style: `
      .panel { margin: 40px 20px; height: 160px; background: ${GREEN}; }
      .loading { position: fixed; inset: 0; background: ${RED}; }`,
    body: `<h1>Dashboard</h1><div class="panel"></div><div class="loading"></div>`,
    script: `addEventListener("load", () => setTimeout(() => document.querySelector(".loading").remove(), 600));`,
  }),
  before: picture({}, at(200, 150, RED)),
  after: picture({ waitForHidden: ".loading" }, at(200, 150, GREEN), without(RED)),
};

export const LOADING: Group = {
  title: "Pages that load slowly, or not at all",
  entries: [slowFont, missingFont, endlessConnection, brokenImage, webgl, overlay],
};
