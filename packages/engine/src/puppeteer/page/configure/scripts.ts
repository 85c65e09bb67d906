import type { Settings } from "./setting.ts";

/** `javascript`: the steps of the service still run, in isolated worlds. */
export const scriptSettings: Settings = ({ javascript }) =>
  javascript
    ? []
    : [
        {
          targets: "frames",
          apply: ({ session }) => session.send("Emulation.setScriptExecutionDisabled", { value: true }),
        },
      ];
