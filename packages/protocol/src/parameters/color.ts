/** The named colors (CSS Color 4, 6.1), and `transparent`. */
const NAMES: ReadonlySet<string> = new Set(
  "aliceblue antiquewhite aqua aquamarine azure beige bisque black blanchedalmond blue blueviolet brown burlywood cadetblue chartreuse chocolate coral cornflowerblue cornsilk crimson cyan darkblue darkcyan darkgoldenrod darkgray darkgreen darkkhaki darkmagenta darkolivegreen darkorange darkorchid darkred darksalmon darkseagreen darkslateblue darkslategray darkturquoise darkviolet deeppink deepskyblue dimgray dodgerblue firebrick floralwhite forestgreen fuchsia gainsboro ghostwhite gold goldenrod gray green greenyellow honeydew hotpink indianred indigo ivory khaki lavender lavenderblush lawngreen lemonchiffon lightblue lightcoral lightcyan lightgoldenrodyellow lightgray lightgreen lightpink lightsalmon lightseagreen lightskyblue lightslategray lightsteelblue lightyellow lime limegreen linen magenta maroon mediumaquamarine mediumblue mediumorchid mediumpurple mediumseagreen mediumslateblue mediumspringgreen mediumturquoise mediumvioletred midnightblue mintcream mistyrose moccasin navajowhite navy oldlace olive olivedrab orange orangered orchid palegoldenrod palegreen paleturquoise palevioletred papayawhip peachpuff peru pink plum powderblue purple rebeccapurple red rosybrown royalblue saddlebrown salmon sandybrown seagreen seashell sienna silver skyblue slateblue slategray snow springgreen steelblue tan teal thistle tomato transparent turquoise violet wheat white whitesmoke yellow yellowgreen".split(
    " ",
  ),
);

const HEX = /^#([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/;

const NUMBER = "[+-]?(?:\\d+(?:\\.\\d+)?|\\.\\d+)";
const PERCENTAGE = `${NUMBER}%`;
const ANGLE = `${NUMBER}(?:deg|grad|rad|turn)?`;
const VALUE = `(?:${NUMBER}%?|none)`;
const HUE = `(?:${ANGLE}|none)`;
const SPACE = "(?:srgb(?:-linear)?|display-p3|a98-rgb|prophoto-rgb|rec2020|xyz(?:-d50|-d65)?)";

/** The functions of CSS Color 4 and their arguments, separated by spaces, with an optional `/` and alpha. */
const MODERN = [
  ["rgba?", VALUE, VALUE, VALUE],
  ["hsla?", HUE, VALUE, VALUE],
  ["hwb", HUE, VALUE, VALUE],
  ["(?:ok)?lab", VALUE, VALUE, VALUE],
  ["(?:ok)?lch", VALUE, VALUE, HUE],
  ["color", SPACE, VALUE, VALUE, VALUE],
];
/** The legacy syntax, with commas. */
const LEGACY = [
  ["rgba?", NUMBER, NUMBER, NUMBER],
  ["rgba?", PERCENTAGE, PERCENTAGE, PERCENTAGE],
  ["hsla?", ANGLE, PERCENTAGE, PERCENTAGE],
];
const FUNCTION = new RegExp(
  `^(?:${[
    ...MODERN.map(([name, ...parts]) => `${name}\\( *${parts.join(" +")}(?: */ *${VALUE})? *\\)`),
    ...LEGACY.map(([name, ...parts]) => `${name}\\( *${parts.join(" *, *")}(?: *, *${NUMBER}%?)? *\\)`),
  ].join("|")})$`,
);

/**
 * Returns the text in lowercase if it is a CSS color: a name, a hex color, or a CSS Color 4
 * function with numbers; otherwise `null`. Rejects colors that depend on the page, such as `var()`.
 *
 * @example
 * canonicalColor("#FF00FF"); // "#ff00ff"
 * canonicalColor("oklch(70% 0.2 330)"); // "oklch(70% 0.2 330)"
 */
export function canonicalColor(text: string): string | null {
  const color = text.toLowerCase();
  return NAMES.has(color.replace("grey", "gray")) || HEX.test(color) || FUNCTION.test(color) ? color : null;
}
