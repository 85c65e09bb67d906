import { SCREENSHOT, type ParameterRow } from "../row.ts";

export const IMAGE_ROWS: readonly ParameterRow[] = [
  {
    name: "format",
    modes: SCREENSHOT,
    group: "Image",
    kind: "choice",
    values: ["png", "jpeg", "webp"],
    default: "png",
    description: "Image format.",
    example: "webp",
  },
  {
    name: "quality",
    modes: SCREENSHOT,
    group: "Image",
    kind: "integer",
    min: 1,
    max: 100,
    needs: {
      name: "format",
      values: ["jpeg", "webp"],
      message: "requires a lossy format: jpeg or webp",
    },
    description: "Quality of a lossy image; requires `format` jpeg or webp.",
    example: 80,
  },
  {
    name: "omitBackground",
    modes: SCREENSHOT,
    group: "Image",
    kind: "flag",
    default: false,
    needs: {
      name: "format",
      values: ["png", "webp"],
      message: "requires a format with transparency: png or webp",
    },
    description: "Transparent background; requires `format` png or webp.",
    example: true,
  },
];
