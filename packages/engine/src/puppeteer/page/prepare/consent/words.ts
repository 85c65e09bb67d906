/*
 * The words of consent dialogs, in the most common languages. They are matched in the page against lowercase text.
 */

/** A consent dialog's text mentions cookies, a law about them, or the visitor's choices or consent. */
export const ABOUT_COOKIES =
  /cookie|ciastecz|evästee|\bsüti|çerez|куки|クッキー|쿠키|\bgdpr\b|\bdsgvo\b|\brgpd\b|your (privacy|consent) choices|we value your privacy|consent to (the )?(use|processing)/;

/** Words that may mean that a button allows more than what is necessary. */
const BROADENS = String.raw`\b(all|plus|marketing|alle|tout|toutes|tod[oa]s|tutt[ei])\b|analy|advert|statisti|personali[sz]ed`;

/**
 * Phrases that decline although they may contain a word such as "accept", or that allow only what is necessary; not if
 * the label contains a word of `BROADENS`.
 */
const DECLINES_TO_ACCEPT = new RegExp(
  String.raw`^(?!.*(${BROADENS})).*(${[
    String.raw`\b(do not|don['’]t) (accept|agree|allow|consent|sell)\b`,
    String.raw`without (accepting|agreeing|consent)`,
    String.raw`\b(deny|refuse|reject|decline|withdraw) (my )?consent\b`,
    String.raw`\b(only|just|strictly) (the )?(necessary|essential|required)|\b(necessary|essential|required)( cookies)? only`,
    "ohne (zustimmung|einwilligung)|(zustimmung|einwilligung) (ablehn|verweiger|widerruf)",
    "nur (die )?(technisch )?(notwendig|erforderlich|essen)",
    "sans accepter|uniquement (les )?(nécessaire|essentiel)|refuser (le |mon )?consentement",
    "no acept|solo (las )?(necesaria|esencial)|rechazar (el )?consentimiento",
    "non accett|senza accettare|solo (i )?(necessari|essenzial)",
    "alleen (noodzakelijk|functione)",
    "endast nödvändiga|kun nødvendige|vain välttämättömät",
  ].join("|")})`,
);

/** Words that negate or postpone a word of refusal in the same label. */
const NEGATIONS = [
  String.raw`\b(not|never|nothing|none|later|nicht|nichts|kein\w*|später|pas|jamais|rien|plus tard|nada|nunca|niente|mai)\b`,
  String.raw`n['’]t\b|\b(niet|nooit|nie|não|ne|inte|ikke|ei|älä)\b`,
  String.raw`\b(no|non) (rechaz|deneg|rifiut|refus|rejet)`,
].join("|");

/** Buttons that decline; not if the label contains a word of `NEGATIONS`. */
const DECLINES = new RegExp(
  String.raw`^(?!.*(${NEGATIONS})).*(${[
    String.raw`\b(reject|decline|refuse|deny|disagree|opt[- ]?out|no,? thanks)\b`,
    "ablehn|verweiger|widersprech",
    "refuser|rejeter|continuer sans",
    "rechaz|denegar",
    "rifiut",
    "weiger|afwijzen",
    "rejeitar|recusar|odrzu|odmow|odmítn|odmieta",
    "avvisa|afvis|avslå|avvis|hylkää|kiellä",
    "отклон|拒否|거부|拒绝",
  ].join("|")})`,
);

/** Buttons that offer a payment or a subscription instead of consent. They may leave the page. */
const SELLS =
  /\b(pay|buy|purchase|payer|payez|acheter|pagar?e?|pago|compra\w*|kaufen)\b|subscri|abb?on|\babo\b|premium|suscri|assin|zahl|betal|zapłać|prenumer|[€$£]/;

/** Buttons that accept everything, whatever else their label contains. */
const ACCEPTS_ALL = new RegExp(
  [
    String.raw`\b(accept|allow|agree|enable|select)\b.{0,12}\ball\b`,
    "alle.{0,20}(akzeptier|zulassen|annehmen|auswählen|zustimm)|tout (accepter|autoriser|sélectionner)",
    "acept.{0,4} tod|accett.{0,4} tutt|alles? (accepter|toestaan|selecter)|aceitar tod",
  ].join("|"),
);

/** Buttons that save a selection. */
const SAVES =
  /\b(save|confirm|submit)\b|select|choice|auswahl|speicher|choix|enregistr|selec|guardar|scelt|salva|opslaan|keuze|zapisz|wybran|spara|gem |lagre|tallenna/;

/** Buttons that accept or acknowledge. */
const ACCEPTS = new RegExp(
  [
    String.raw`accept|(?<!dis)agree|(?<!dis)allow|consent|\bgot it\b|^(that['’]s )?(ok|okay|fine)\b|understand|\byes\b|enable all`,
    "akzeptier|zustimm|einverstanden|einwillig|erlaub|zulassen|annehmen|verstanden|alles klar",
    "autoriser|tout accepter|compris|d'accord",
    "acept|permitir|entendido|de acuerdo|accett|consenti|ho capito",
    "accepte|akkoord|toestaan|aceit|concord|akceptuj|zgadzam|zezw|přijm|souhlas|prijať",
    "godkänn|tillåt|godkend|tillad|godta|tillat|hyväksy|salli",
    "принять|соглас|同意|許可|동의|허용|接受",
  ].join("|"),
);

/** Buttons that keep or apply the settings that the dialog suggests, or enable something. */
const APPLIES =
  /\b(use|keep|apply|continue|proceed|turn on|enable|activate|recommended|default|optimal)\b|standard|übernehm|fortfahren|aktivier|einschalt|empfohlen|activ|conserv|garder|appliqu|continu|recomm?[ae]nd|manten|mantien|aplicar|applica|attiva|consigliat|predefinit|aanvaard|inschakel|aanbevolen|toepassen|domyśln|włącz|aktiver|använd|rekommend|anbefal/;

/** Buttons that open the dialog's settings. */
const OPENS_SETTINGS = new RegExp(
  [
    "setting|preference|options|manage|customi[sz]e|purposes",
    "einstellung|anpassen|param[eéè]tr|personnalis|préférences|gérer",
    "configur|ajustes|personaliz|imposta|gestisci|preferenz|instell|voorkeur",
    "ustawie|inställning|indstilling|innstilling|asetuk|nastaven",
  ].join("|"),
);

/**
 * What a button does, by its lowercase label. The first match counts, because a label can match several. A button
 * that accepts is never clicked.
 */
export const BUTTON_KINDS: readonly (readonly [kind: string, words: RegExp])[] = [
  ["sells", SELLS],
  ["declines", DECLINES_TO_ACCEPT],
  ["accepts", ACCEPTS_ALL],
  ["saves", SAVES],
  ["accepts", ACCEPTS],
  ["declines", DECLINES],
  ["applies", APPLIES],
  ["settings", OPENS_SETTINGS],
];

/** Names of scripts, frames and functions that show consent dialogs. */
export const LOADS_A_DIALOG =
  /cookie[-_ ]?(consent|banner|notice|law|bot|yes|first|script|information|hub|dialog|wall|message)|consent|onetrust|didomi|quantcast|usercentrics|trustarc|truste\b|sourcepoint|privacy-mgmt|sp_message|klaro|complianz|osano|iubenda|gdpr|tcfapi|axeptio|termly|tarteaucitron/i;
