import { SCREENSHOT, type Row } from "../row.ts";

/** The `quality` of an AVIF image if it is not sent. */
export const DEFAULT_AVIF_QUALITY = 50;

const DIMENSIONS = ["resizeWidth", "resizeHeight"];

export const IMAGE_ROWS: readonly Row[] = [
  {
    name: "format",
    modes: SCREENSHOT,
    kind: "choice",
    values: ["png", "jpeg", "webp"],
    elsewhere: new Map([
      ["avif", "output=avif"],
      ["pdf", "pdf=true"],
    ]),
    default: "png",
    description: "Image format.",
    example: "webp",
  },
  {
    name: "quality",
    modes: SCREENSHOT,
    kind: "integer",
    min: 1,
    max: 100,
    needs: {
      name: "format",
      values: ["jpeg", "webp"],
      unless: "output",
      message: "requires a lossy format: jpeg or webp",
    },
    impliedWith: { name: "output", value: DEFAULT_AVIF_QUALITY },
    description: `Quality of a lossy image; requires \`format\` jpeg or webp, or \`output\`. For AVIF, ${DEFAULT_AVIF_QUALITY} by default.`,
    example: 80,
  },
  {
    name: "output",
    modes: SCREENSHOT,
    kind: "choice",
    values: ["avif"],
    excludesSent: ["format"],
    description: "Format of the file, instead of `format`. The operator must have installed sharp.",
    example: "avif",
  },
  {
    name: "omitBackground",
    modes: SCREENSHOT,
    kind: "flag",
    default: false,
    needs: {
      name: "format",
      values: ["png", "webp"],
      message: "requires a format with transparency: png or webp",
    },
    description: "Transparent background; requires `format` png or webp, or `output`.",
    example: true,
  },
  {
    name: "resizeWidth",
    modes: SCREENSHOT,
    kind: "integer",
    min: 1,
    max: 10_000,
    description: "Width in pixels to which the image is shrunk. The operator must have installed sharp.",
    example: 400,
  },
  {
    name: "resizeHeight",
    modes: SCREENSHOT,
    kind: "integer",
    min: 1,
    max: 10_000,
    description: "Height in pixels to which the image is shrunk. The operator must have installed sharp.",
    example: 300,
  },
  {
    name: "resizeFit",
    modes: SCREENSHOT,
    kind: "choice",
    values: ["inside", "cover", "contain"],
    implied: "inside",
    requires: DIMENSIONS,
    description:
      "How the image fits both dimensions: `inside` fits it into them, `cover` cuts off what exceeds them, `contain` adds a border: transparent, or white in a JPEG. Requires `resizeWidth` or `resizeHeight`.",
    example: "cover",
  },
  {
    name: "resizePosition",
    modes: SCREENSHOT,
    kind: "choice",
    values: ["top", "center", "bottom"],
    implied: "center",
    requires: DIMENSIONS,
    needs: {
      name: "resizeFit",
      values: ["cover", "contain"],
      message: "requires resizeFit cover or contain",
    },
    description:
      "The part that `cover` keeps, or where `contain` puts the image. Requires `resizeFit` cover or contain.",
    example: "top",
  },
];
