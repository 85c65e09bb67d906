import { secretsIn } from "@snap/protocol";

/** Replaces the secrets with `[secret]`, so the parameters can be shown to operators. */
export function concealSecrets<Parameters extends object>(parameters: Parameters): Parameters {
  const concealed = secretsIn(parameters).map((name) => [name, "[secret]"] as const);
  return { ...parameters, ...Object.fromEntries(concealed) };
}
