/** Maximum for ISO 639 codes. Longer subtags, such as `german`, are unused (RFC 5646, 2.2.1). */
const LANGUAGE_CHARACTERS_MAX = 3;

/**
 * Returns a language tag (BCP 47) in canonical form, or `null` if the text is not one.
 *
 * @example
 * canonicalLocale("de-ch"); // "de-CH"
 */
export function canonicalLocale(text: string): string | null {
  try {
    const [locale = ""] = Intl.getCanonicalLocales(text);
    const [language = ""] = locale.split("-", 1);
    return language.length <= LANGUAGE_CHARACTERS_MAX ? locale : null;
  } catch {
    return null;
  }
}

/**
 * Returns a time zone as the runtime spells it, or `null` if it is unknown. Offsets such as `+02:00` are not time zones.
 *
 * @example
 * canonicalTimeZone("europe/zurich"); // "Europe/Zurich"
 */
export function canonicalTimeZone(text: string): string | null {
  if (!/^[a-z]/i.test(text)) return null;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}
