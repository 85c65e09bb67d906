import { PARAMETER_TABLE } from "@snap/protocol";
import { colourStrip, heroFigure, icons, mark, paperChart, pixelChart } from "./demo-figures.ts";
import { demoStyle } from "./demo-style.ts";

function card(facts: { icon: string; title: string; text: string; code: string; loud?: boolean }): string {
  const kind = facts.loud === true ? "card loud" : "card";
  return `<article class="${kind}">${facts.icon}<h3>${facts.title}</h3><p>${facts.text}</p><code>${facts.code}</code></article>`;
}

const parameterCount = new Set(PARAMETER_TABLE.map(({ name }) => name)).size;

const cards = [
  card({
    icon: icons.viewport,
    title: "What a visitor sees",
    text: "The viewport as it stands, at any size up to 10,000 pixels a side and up to three device pixels each.",
    code: "width=1280&amp;height=800",
  }),
  card({
    icon: icons.fullPage,
    title: "From top to bottom",
    text: "The whole scrollable page in a single picture, measured once it has settled.",
    code: "fullPage=true",
  }),
  card({
    icon: icons.selector,
    title: "Just this part",
    text: "One element by its CSS selector, or a rectangle by its corner and its size.",
    code: "selector=%23charts",
  }),
  card({
    icon: icons.alpha,
    title: "Nothing behind it",
    text: "A transparent background in PNG and WebP, with an alpha that really is zero.",
    code: "omitBackground=true",
  }),
  card({
    icon: icons.pdf,
    title: "Ready for the printer",
    text: "PDF in eleven paper formats or a size of your own, with margins, landscape and scale.",
    code: "pdf=true&amp;paperFormat=a4",
    loud: true,
  }),
  card({
    icon: icons.cache,
    title: "Twice is free",
    text: "An identical repeat comes from the cache: the same bytes at once, and no credit spent.",
    code: "cacheTtl=86400",
  }),
].join("");

const attempts = [
  ["selector=%23hero", "the top of this page, and nothing else"],
  ["selector=%23pixels&amp;scale=3", "the bar chart, sharp enough for print"],
  ["fullPage=true&amp;format=webp", "all of it, in a small file"],
  ["format=jpeg&amp;quality=10", "look at the colours below"],
  ["width=420&amp;height=860", "as on a telephone"],
  ["pdf=true&amp;landscape=true", "a document, on its side"],
]
  .map(([parameters, effect]) => `<tr><td>&amp;${parameters}</td><td>${effect}</td></tr>`)
  .join("");

/** The page that `serve --dev` serves, and that the printed line renders: one self-contained document. */
export const demoPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>snap: any page, as a picture</title>
<link rel="icon" href="data:,">
<style>${demoStyle}</style>
</head>
<body>
<div class="wrap">
<header id="top"><div class="mark">${mark}snap</div>
<nav><a href="#cards">What it does</a><a href="#charts">To scale</a><a href="#try">Try it</a><span class="pill">demo page</span></nav></header>
<main>
<div id="hero"><div>
<h1>Any page,<br>as a <em>picture.</em></h1>
<p class="lead" id="lead">snap renders web pages on a machine of yours. An address goes in; a PNG, a JPEG, a WebP or a PDF comes out. If you are looking at a file, it has just done so.</p>
<div class="request" id="request"><i>GET</i> /v1/snap<b>?url=</b>https://example.com</div>
</div>${heroFigure}</div>

<div id="facts">
<div><strong>4</strong><span>formats: PNG, JPEG, WebP and PDF</span></div>
<div><strong>${parameterCount}</strong><span>parameters, each checked before anything is spent</span></div>
<div><strong>1</strong><span>credit for a render; a failed one is refunded</span></div>
<div><strong>0</strong><span>credits for the same request again</span></div>
</div>

<section id="cards"><p class="kicker">What it does</p><h2>One address, and a word <em>for every wish.</em></h2>
<div class="grid">${cards}</div></section>

<section id="charts"><p class="kicker">To scale</p><h2>How large it gets <em>is up to you.</em></h2>
<div class="grid">
<figure id="pixels"><figcaption><b>Pixels of one viewport</b>1280 × 800 at the three device scale factors</figcaption>${pixelChart}</figure>
<figure id="paper"><figcaption><b>Sheets of paper</b>A0 to A6, to one measure; A4 unless you say otherwise</figcaption>${paperChart}</figure>
</div></section>

<section id="try"><div class="panel"><p class="kicker">Try it</p><h2>Add one of these <em>to the line you pasted.</em></h2>
<table>${attempts}</table></div></section>
</main>

<div id="strip" role="img" aria-label="Twelve colours">${colourStrip}</div>
<footer><span>snap, the self-hosted rendering service. MIT licence.</span><span>Every reference, with a form to try it: <code>/docs</code></span></footer>
</div>
</body>
</html>
`;
