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
  /** One for each variable that cannot be used. */
  readonly mistakes: readonly (readonly [variable: string, message: string])[];
}

/**
 * Reads the secrets from their files, such as files that container platforms and systemd mount. Drops a file's
 * trailing newlines.
 */
export function readSecretFiles(environment: Readonly<Record<string, string | undefined>>): SecretFiles {
  const values: Record<string, string> = {};
  const mistakes: [string, string][] = [];
  for (const setting of SECRET_SETTINGS) {
    const { variable } = setting;
    const fileVariable = fileVariableOf(setting);
    const file = environment[fileVariable];
    if (file === undefined) continue;
    const secret = environment[variable] === undefined ? readSecret(file) : null;
    if (secret === null)
      mistakes.push([fileVariable, `must not be set together with ${variable}; unset one of them`]);
    else if ("problem" in secret) mistakes.push([fileVariable, secret.problem]);
    else values[variable] = secret.value;
  }
  return { values, mistakes };
}
