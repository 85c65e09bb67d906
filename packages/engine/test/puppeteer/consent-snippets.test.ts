import { describe, expect, it } from "vitest";
import { ALLOWED_SNIPPETS, snippetCalls } from "../../src/puppeteer/page/prepare/consent/autoconsent.ts";
import { BUTTON_KINDS } from "../../src/puppeteer/page/prepare/consent/words.ts";

describe("a function that runs alongside a page's own scripts", () => {
  it.each([...ALLOWED_SNIPPETS])("is part of autoconsent, and accepts nothing: %s", (id) => {
    expect(snippetCalls([id])).toContain("=>");
    expect(snippetCalls([id])).not.toMatch(/accept|allowAll|respondAll\(true|'save'/i);
  });

  it.each([
    "EVAL_CONSENTMANAGER_4",
    "EVAL_CONSENTMANAGER_NCMP_ACCEPT",
    "EVAL_COOKIEINFORMATION_1",
    "EVAL_EZOIC_0",
    "EVAL_MICROSOFT_1",
    "EVAL_POVR_GOBACK",
    "EVAL_TARTEAUCITRON_1",
    "EVAL_TEALIUM_2",
    "EVAL_THEFREEDICTIONARY_1",
    "EVAL_USERCENTRICS_API_3",
    "alert(1)",
    "__proto__",
    "constructor",
  ])("is never %s", (id) => {
    expect(snippetCalls([id, id])).toBe("[false, false]");
  });
});

describe("a button", () => {
  const kindOf = (label: string): string =>
    BUTTON_KINDS.find(([, words]) => words.test(label))?.[0] ?? "other";

  it.each([
    ["accept all cookies", "accepts"],
    ["select all and continue", "accepts"],
    ["i agree", "accepts"],
    ["got it!", "accepts"],
    ["ok", "accepts"],
    ["alle akzeptieren", "accepts"],
    ["alle auswählen", "accepts"],
    ["zustimmen und weiter", "accepts"],
    ["tout accepter", "accepts"],
    ["j'accepte", "accepts"],
    ["aceptar todas", "accepts"],
    ["accetta tutti", "accepts"],
    ["alles accepteren", "accepts"],
    ["akceptuję", "accepts"],
    ["accept – you can opt out anytime", "accepts"],
    ["accept all (decline later in settings)", "accepts"],
    ["yes, accept and deny nothing", "accepts"],
    ["accept necessary and essential only plus marketing cookies", "accepts"],
    ["accepteer, weigeren kan later", "accepts"],
    ["accepter (refuser plus tard)", "accepts"],
    ["ok, accept all reject", "accepts"],
    ["i do not refuse cookies", "other"],
    ["decline later", "other"],
    ["don't reject", "other"],
    ["nicht ablehnen", "other"],
    ["ne pas refuser", "other"],
    ["non rifiutare", "other"],
    ["no rechazar", "other"],
    ["niet weigeren", "other"],
    ["não rejeitar", "other"],
    ["no, reject all", "declines"],
    ["no, rechazar todo", "declines"],
    ["reject all", "declines"],
    ["disagree", "declines"],
    ["refuse consent", "declines"],
    ["zustimmung verweigern", "declines"],
    ["nur notwendige cookies akzeptieren", "declines"],
    ["accetta solo i necessari", "declines"],
    ["do not sell my personal information", "declines"],
    ["i do not accept", "declines"],
    ["accept only necessary", "declines"],
    ["continue without accepting", "declines"],
    ["use necessary cookies only", "declines"],
    ["ablehnen", "declines"],
    ["nur notwendige cookies", "declines"],
    ["continuer sans accepter", "declines"],
    ["tout refuser", "declines"],
    ["rechazar todo", "declines"],
    ["rifiuta", "declines"],
    ["alles weigeren", "declines"],
    ["accept selected", "saves"],
    ["confirm my choices", "saves"],
    ["auswahl erlauben", "saves"],
    ["reject and subscribe", "sells"],
    ["ablehnen mit abo für 2,99 €", "sells"],
    ["rifiuta e abbonati", "sells"],
    ["refuser et payer", "sells"],
    ["rechazar y pagar", "sells"],
    ["ablehnen und bezahlen", "sells"],
    ["use recommended settings", "applies"],
    ["continue with default settings", "applies"],
    ["apply settings", "applies"],
    ["turn on personalised options", "applies"],
    ["einstellungen übernehmen", "applies"],
    ["mit standardeinstellungen fortfahren", "applies"],
    ["activer la personnalisation", "applies"],
    ["conserver les paramètres recommandés", "applies"],
    ["mantieni impostazioni consigliate", "applies"],
    ["activar personalización", "applies"],
    ["instellingen aanvaarden", "applies"],
    ["alle voorkeuren inschakelen", "applies"],
    ["manage preferences", "settings"],
    ["cookie settings", "settings"],
    ["einstellungen verwalten", "settings"],
    ["paramétrer les cookies", "settings"],
    ["cookie policy", "other"],
  ])("labeled %j is classified as %s", (label, kind) => {
    expect(kindOf(label)).toBe(kind);
  });
});
