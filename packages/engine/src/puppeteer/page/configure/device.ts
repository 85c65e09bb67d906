import type { SnapParameters } from "@snap/protocol";
import { KnownDevices, type Device } from "puppeteer";

/** Puppeteer's devices by the name that `device` accepts: Puppeteer's name in kebab case. */
const DEVICES: ReadonlyMap<string, Device> = new Map(
  Object.entries(KnownDevices).map(([name, device]) => [toKebabCase(name), device]),
);

/** Returns the device that a screenshot emulates, if any. */
export function deviceOf(parameters: SnapParameters): Device | undefined {
  return parameters.pdf || parameters.device === undefined ? undefined : DEVICES.get(parameters.device);
}

function toKebabCase(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replace(/-$/, "");
}
