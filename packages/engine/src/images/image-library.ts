import { imageProcessor, type ImageLibrary } from "./image-processor.ts";

/** sharp, with a type that does not name its package, so programs compile without it. */
export const imageLibrary: ImageLibrary = imageProcessor;
