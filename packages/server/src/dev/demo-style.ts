/** The style of the demo page: no font, picture or script from anywhere else. */
export const demoStyle = `
:root {
  --ink: #17160f; --paper: #f7f3ea; --card: #fffdf8; --line: #ddd5c4; --soft: #6d6757;
  --accent: #e8471c; --accent-soft: #fbd9cb; --blue: #1f4fd8; --green: #157a55;
  --sans: "Helvetica Neue", "Liberation Sans", Arial, Helvetica, sans-serif;
  --serif: Georgia, "Liberation Serif", "Times New Roman", serif;
  --mono: "SF Mono", Menlo, Consolas, "Liberation Mono", "DejaVu Sans Mono", monospace;
}
* { box-sizing: border-box; margin: 0; }
html { background: var(--paper); -webkit-text-size-adjust: 100%; }
body {
  font: 17px/1.55 var(--sans); color: var(--ink); background: var(--paper);
  -webkit-print-color-adjust: exact; print-color-adjust: exact;
}
.wrap { max-width: 1160px; margin: 0 auto; padding: 0 32px; }
a { color: inherit; }
code { font-family: var(--mono); font-size: .86em; }
svg { display: block; width: 100%; height: auto; }
svg text { font-family: var(--sans); }

header { display: flex; align-items: center; justify-content: space-between; padding: 28px 0; }
.mark { display: flex; align-items: center; gap: 12px; font-weight: 700; font-size: 25px; letter-spacing: -.04em; }
.mark svg { width: 32px; }
nav { display: flex; align-items: center; gap: 30px; font-size: 15px; color: var(--soft); }
nav a { text-decoration: none; }
.pill { border: 1px solid var(--line); border-radius: 99px; padding: 6px 14px; font: 13px var(--mono); background: var(--card); }

#hero { display: grid; grid-template-columns: 1.08fr .92fr; gap: 48px; align-items: center; padding: 42px 0 70px; }
h1 { font-size: 100px; line-height: .92; letter-spacing: -.055em; font-weight: 700; }
h1 em { font-family: var(--serif); font-weight: 400; letter-spacing: -.045em; color: var(--accent); }
.lead { font-size: 20px; line-height: 1.5; color: #45402f; max-width: 30em; margin-top: 32px; }
.request { display: inline-block; margin-top: 30px; background: var(--ink); color: #f4efe2; border-radius: 10px; padding: 15px 20px; font: 14.5px var(--mono); white-space: nowrap; }
.request b { color: #ff8f6b; font-weight: 400; }
.request i { color: #9d9680; font-style: normal; }

#facts { display: grid; grid-template-columns: repeat(4, 1fr); border-top: 2px solid var(--ink); }
#facts div { padding: 22px 20px 26px 0; }
#facts div + div { border-left: 1px solid var(--line); padding-left: 24px; }
#facts strong { display: block; font-size: 44px; line-height: 1; letter-spacing: -.045em; }
#facts span { display: block; margin-top: 10px; font-size: 15px; line-height: 1.4; color: var(--soft); }

section { padding-top: 88px; }
h2 { font-size: 46px; line-height: 1.05; letter-spacing: -.04em; text-wrap: balance; }
h2 em { font-family: var(--serif); font-weight: 400; }
.kicker { font: 13px var(--mono); color: var(--accent); text-transform: uppercase; letter-spacing: .09em; margin-bottom: 14px; }

#cards .grid { display: grid; grid-template-columns: repeat(3, 1fr); gap: 20px; margin-top: 38px; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 16px; padding: 26px 26px 24px; break-inside: avoid; }
.card svg { width: 44px; margin-bottom: 20px; }
.card h3 { font-size: 21px; letter-spacing: -.02em; margin-bottom: 8px; }
.card p { font-size: 15.5px; color: #5a5443; }
.card code { display: inline-block; margin-top: 16px; color: var(--blue); background: #eef1fb; border-radius: 6px; padding: 3px 9px; }
.card.loud { background: var(--accent); border-color: var(--accent); color: #fff; }
.card.loud p { color: #ffe6dc; }
.card.loud code { color: #fff; background: #c5360f; }

#charts .grid { display: grid; grid-template-columns: 1.15fr .85fr; gap: 20px; margin-top: 38px; }
figure { background: var(--card); border: 1px solid var(--line); border-radius: 16px; padding: 28px; break-inside: avoid; }
figcaption { font-size: 15px; color: var(--soft); margin-bottom: 22px; }
figcaption b { display: block; color: var(--ink); font-size: 21px; letter-spacing: -.02em; }

#try { margin-top: 88px; padding: 0; }
#try .panel { background: var(--ink); color: #f4efe2; border-radius: 22px; padding: 52px 56px; break-inside: avoid; }
#try .kicker { color: #ff8f6b; }
#try table { width: 100%; border-collapse: collapse; margin-top: 30px; font-size: 16px; }
#try td { padding: 12px 0; border-top: 1px solid #3b382d; }
#try td:first-child { font-family: var(--mono); font-size: 15px; color: #ffd9c9; width: 56%; }
#try td:last-child { color: #b8b09a; }

#strip { display: grid; grid-template-columns: repeat(12, 1fr); margin-top: 72px; height: 56px; border-radius: 10px; overflow: hidden; }
footer { display: flex; justify-content: space-between; gap: 30px; padding: 26px 0 56px; color: var(--soft); font-size: 15px; }

@media (max-width: 900px) {
  #hero, #charts .grid { grid-template-columns: 1fr; }
  #cards .grid, #facts { grid-template-columns: 1fr 1fr; }
  #facts div:nth-child(3) { border-left: 0; padding-left: 0; }
  h1 { font-size: 72px; }
  .request { white-space: normal; }
  nav a { display: none; }
  #try .panel { padding: 34px 28px; }
}
@media (max-width: 560px) {
  .wrap { padding: 0 20px; }
  #cards .grid { grid-template-columns: 1fr; }
  h1 { font-size: 54px; }
  h2 { font-size: 34px; }
}
@media print {
  @page { margin: 14mm 12mm; }
  html, body { background: #fff; }
  body { font-size: 10.5pt; }
  .wrap { padding: 0; max-width: none; zoom: .84; }
  nav a { display: none; }
  header { padding: 0 0 18px; }
  #hero { grid-template-columns: 1.1fr .9fr; gap: 26px; padding: 20px 0 36px; }
  h1 { font-size: 62px; }
  .lead { font-size: 12.5pt; margin-top: 20px; }
  .request { font-size: 8.5pt; margin-top: 20px; padding: 10px 14px; white-space: nowrap; }
  #facts { grid-template-columns: repeat(4, 1fr); break-inside: avoid; }
  #facts div { padding-bottom: 0; }
  #facts div:nth-child(3) { border-left: 1px solid var(--line); padding-left: 24px; }
  #facts strong { font-size: 30px; }
  #facts span { font-size: 9pt; }
  section { padding-top: 40px; }
  h2 { font-size: 30px; break-after: avoid; }
  .kicker { break-after: avoid; font-size: 8.5pt; }
  #cards .grid { grid-template-columns: repeat(3, 1fr); gap: 12px; margin-top: 20px; }
  .card { padding: 18px; }
  .card svg { width: 34px; margin-bottom: 12px; }
  .card h3, figcaption b { font-size: 13pt; }
  .card p, figcaption { font-size: 9.5pt; }
  #charts { break-before: page; padding-top: 0; }
  #charts .grid { grid-template-columns: 1.15fr .85fr; gap: 12px; margin-top: 20px; }
  figure { padding: 18px; }
  .card, figure { background: #fff; }
  .card.loud { background: var(--accent); }
  #try { margin-top: 40px; padding: 0; }
  #try .panel { padding: 30px 34px; }
  #try table { font-size: 10pt; margin-top: 16px; }
  #try td { padding: 8px 0; }
  #try td:first-child { font-size: 9.5pt; }
  #strip { margin-top: 24px; height: 40px; break-inside: avoid; }
  footer { padding: 14px 0 0; font-size: 9pt; }
}
`;
