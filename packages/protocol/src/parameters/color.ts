/** The named colors (CSS Color 4, 6.1), and `transparent`. */
const NAMES: ReadonlySet<string> = new Set(
  "aliceblue antiquewhite aqua aquamarine azure beige bisque black blanchedalmond blue blueviolet brown burlywood cadetblue chartreuse chocolate coral cornflowerblue cornsilk crimson cyan darkblue darkcyan darkgoldenrod darkgray darkgreen darkgrey darkkhaki darkmagenta darkolivegreen darkorange darkorchid darkred darksalmon darkseagreen darkslateblue darkslategray darkslategrey darkturquoise darkviolet deeppink deepskyblue dimgray dimgrey dodgerblue firebrick floralwhite forestgreen fuchsia gainsboro ghostwhite gold goldenrod gray green greenyellow grey honeydew hotpink indianred indigo ivory khaki lavender lavenderblush lawngreen lemonchiffon lightblue lightcoral lightcyan lightgoldenrodyellow lightgray lightgreen lightgrey lightpink lightsalmon lightseagreen lightskyblue lightslategray lightslategrey lightsteelblue lightyellow lime limegreen linen magenta maroon mediumaquamarine mediumblue mediumorchid mediumpurple mediumseagreen mediumslateblue mediumspringgreen mediumturquoise mediumvioletred midnightblue mintcream mistyrose moccasin navajowhite navy oldlace olive olivedrab orange orangered orchid palegoldenrod palegreen paleturquoise palevioletred papayawhip peachpuff peru pink plum powderblue purple rebeccapurple red rosybrown royalblue saddlebrown salmon sandybrown seagreen seashell sienna silver skyblue slateblue slategray slategrey snow springgreen steelblue tan teal thistle tomato transparent turquoise violet wheat white whitesmoke yellow yellowgreen".split(
    " ",
  ),
);

const HEX = /^#([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i;
const COMPONENT = "[+-]?(?:\\d+\\.?\\d*|\\.\\d+)(?:%|deg|grad|rad|turn)?";
const FUNCTION = new RegExp(
  `^(?:rgb|hsl)a?\\( *${COMPONENT}(?:(?: *, *${COMPONENT}){2,3}|(?: +${COMPONENT}){2}(?: */ *${COMPONENT})?) *\\)$`,
  "i",
);

/**
 * Returns whether a text is a CSS color: a name, a hexadecimal number, or `rgb()` or `hsl()` with numbers.
 *
 * @example
 * isColor("#ff00ff"); // true
 * isColor("rgb(0 0 0 / 50%)"); // true
 */
export function isColor(text: string): boolean {
  return NAMES.has(text.toLowerCase()) || HEX.test(text) || FUNCTION.test(text);
}
