import { readSecret } from "./read-secret.ts";
import type { Setting } from "./setting.ts";
import { SETTINGS } from "./settings.ts";

/** The settings whose value can be in a file. */
export const SECRET_SETTINGS: readonly Setting[] = Object.values<Setting>(SETTINGS).filter(
  ({ secret }) => secret === true,
);

/** Returns the variable that names the file of a secret. */
export function fileVariableOf({ variable }: Pick<Setting, "variable">): `SNAP_${string}_FILE` {
  return `${variable}_FILE`;
}

interface SecretFiles {
  /** The contents, by the variable of the setting. */
  readonly values: Readonly<Record<string, string>>;
  /** Why a file cannot be used, by the variable of the setting. */
  readonly problems: Readonly<Record<string, string>>;
}

/**
 * Reads the secrets from their files, such as files that container platforms and systemd mount. Drops a file's
 * trailing newlines.
 */
export function readSecretFiles(environment: Readonly<Record<string, string | undefined>>): SecretFiles {
  const values: Record<string, string> = {};
  const problems: Record<string, string> = {};
  for (const setting of SECRET_SETTINGS) {
    const { variable } = setting;
    const file = environment[fileVariableOf(setting)];
    if (file === undefined) continue;
    const secret = environment[variable] === undefined ? readSecret(file) : null;
    if (secret === null) problems[variable] = `must not be set together with ${variable}; unset one of them`;
    else if ("problem" in secret) problems[variable] = secret.problem;
    else values[variable] = secret.value;
  }
  return { values, problems };
}
