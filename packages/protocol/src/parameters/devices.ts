/** Puppeteer's devices, in kebab case. Most also exist in landscape, such as `iphone-15-pro-landscape`. */
const PORTRAIT_DEVICES: readonly string[] =
  "blackberry-playbook blackberry-z30 galaxy-note-3 galaxy-note-ii galaxy-s-iii galaxy-s5 galaxy-s8 galaxy-s9 galaxy-tab-s4 ipad ipad-gen-6 ipad-gen-7 ipad-mini ipad-pro ipad-pro-11 iphone-4 iphone-5 iphone-6 iphone-6-plus iphone-7 iphone-7-plus iphone-8 iphone-8-plus iphone-se iphone-se-3rd-gen iphone-x iphone-xr iphone-11 iphone-11-pro iphone-11-pro-max iphone-12 iphone-12-pro iphone-12-pro-max iphone-12-mini iphone-13 iphone-13-pro iphone-13-pro-max iphone-13-mini iphone-14 iphone-14-plus iphone-14-pro iphone-14-pro-max iphone-15 iphone-15-plus iphone-15-pro iphone-15-pro-max iphone-16 iphone-16-plus iphone-16-pro iphone-16-pro-max iphone-16e iphone-17 iphone-air iphone-17-pro iphone-17-pro-max iphone-17e jiophone-2 kindle-fire-hdx lg-optimus-l70 microsoft-lumia-550 microsoft-lumia-950 nexus-10 nexus-4 nexus-5 nexus-5x nexus-6 nexus-6p nexus-7 nokia-lumia-520 nokia-n9 pixel-2 pixel-2-xl pixel-3 pixel-4 pixel-4a-5g pixel-5 moto-g4".split(
    " ",
  );

/** Devices without a landscape variant. */
const PORTRAIT_ONLY: ReadonlySet<string> = new Set(["microsoft-lumia-550"]);

/** Names that `device` accepts. */
export const DEVICES: readonly string[] = PORTRAIT_DEVICES.flatMap((name) =>
  PORTRAIT_ONLY.has(name) ? [name] : [name, `${name}-landscape`],
);
