import type { ScreenshotParameters } from "@snap/protocol";

export interface ImageSize {
  readonly widthPixels: number;
  readonly heightPixels: number;
}

type Resizing = Pick<ScreenshotParameters, "resizeWidth" | "resizeHeight" | "resizeFit">;

/** Returns the size of an image after resizing, which never enlarges the image itself. */
export function resizedSize({ widthPixels, heightPixels }: ImageSize, resizing: Resizing): ImageSize {
  const { resizeWidth, resizeHeight, resizeFit = "inside" } = resizing;
  const ratios = [
    ...(resizeWidth === undefined ? [] : [resizeWidth / widthPixels]),
    ...(resizeHeight === undefined ? [] : [resizeHeight / heightPixels]),
  ];
  const fit = resizeFit === "cover" ? Math.max : Math.min;
  const ratio = ratios.length === 0 ? 1 : Math.min(1, fit(...ratios));
  const scaled = {
    widthPixels: Math.max(1, Math.round(widthPixels * ratio)),
    heightPixels: Math.max(1, Math.round(heightPixels * ratio)),
  };
  if (resizeFit === "contain")
    return {
      widthPixels: resizeWidth ?? scaled.widthPixels,
      heightPixels: resizeHeight ?? scaled.heightPixels,
    };
  return {
    widthPixels: Math.min(scaled.widthPixels, resizeWidth ?? Infinity),
    heightPixels: Math.min(scaled.heightPixels, resizeHeight ?? Infinity),
  };
}
