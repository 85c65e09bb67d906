import type { JSX } from "preact";
import { Icon } from "../ui/icon.tsx";

export function Brand(): JSX.Element {
  return (
    <span class="brand">
      <span class="brand-mark">
        <Icon name="playground" />
      </span>
      snap
      <span class="brand-part">console</span>
    </span>
  );
}
