import type { PdfCapture, PdfInput, RenderInput, ScreenshotCapture, ScreenshotInput } from "./types.ts";
import type { DeliveryName, PdfRules, ScreenshotRules, SecretName } from "./values.ts";

/*
 * The types of arguments. `Argument` is the inferred type of the argument. If it definitely breaks a rule, the argument
 * does not compile, and the error names the parameter to fix. If that depends on run-time values, such as those of a
 * form, it compiles, and the run-time check decides.
 */

/** What a member of an argument can be. */
type Member<Argument, Name> = Name extends keyof Argument ? Argument[Name] : undefined;

/** Whether a parameter is definitely sent; a flag counts if it is `true`. */
type IsSent<Value> = [Extract<Value, false | undefined>] extends [never] ? true : false;

/** Whether two types have no value in common. */
type IsDisjoint<A, B> = [Extract<A, B> | Extract<B, A>] extends [never] ? true : false;

/** The names of a rule's members that the argument definitely breaks. */
type BrokenNames<Argument, Rule> = {
  [Name in keyof Rule]-?: IsDisjoint<Member<Argument, Name>, Rule[Name]> extends true ? Name : never;
}[keyof Rule];

/** The rules that apply and are definitely broken, each with its broken members only. */
type BrokenRules<Argument, Rules> = {
  [
    Name in keyof Rules as IsSent<Member<Argument, Name>> extends true
      ? [BrokenNames<Argument, Rules[Name]>] extends [never]
        ? never
        : Name
      : never
  ]: {
    // not an alias, which errors would show in place of the members
    [Other in keyof Rules[Name] as Other & BrokenNames<Argument, Rules[Name]>]: Rules[Name][Other];
  };
};

type UnionToIntersection<Union> = (Union extends unknown ? (value: Union) => void : never) extends (
  value: infer All,
) => void
  ? All
  : never;

/** `Input`, and what else the broken rules require of the argument. */
type CheckedInput<Input, Argument, Rules> =
  BrokenRules<Argument, Rules> extends infer Broken
    ? Input & UnionToIntersection<Broken[keyof Broken]>
    : never;

/** Content excludes a URL, and other content. */
interface ContentRules {
  readonly html: { readonly url?: undefined; readonly markdown?: undefined };
  readonly markdown: { readonly url?: undefined; readonly html?: undefined };
}

/** A URL is required if there can be no content. */
type PageOf<Argument> = [
  Member<Argument, "url"> | Member<Argument, "html"> | Member<Argument, "markdown">,
] extends [undefined]
  ? { url: string }
  : unknown;

/** Headers and footers are printed in the margins. */
interface HeaderRules {
  readonly headerHtml: { readonly marginTop: number };
  readonly footerHtml: { readonly marginBottom: number };
}

/** With `output`, `quality` does not depend on `format`. */
type ImageRules<Argument> = [Extract<Member<Argument, "output">, string>] extends [never]
  ? ScreenshotRules
  : Omit<ScreenshotRules, "quality">;

/** The rendering of an item is fetched from the cache. */
interface BatchRules {
  readonly url: { readonly cache?: true | undefined };
}

// each type is distributive, for arguments with a union type; the branch for never is only for inference

/** The argument of `screenshot()`. */
export type ValidScreenshot<Argument> = Argument extends never
  ? Argument
  : CheckedInput<ScreenshotCapture & PageOf<Argument>, Argument, ImageRules<Argument> & ContentRules>;

/** The argument of `pdf()`. */
export type ValidPdf<Argument> = Argument extends never
  ? Argument
  : CheckedInput<PdfCapture & PageOf<Argument>, Argument, PdfRules & HeaderRules & ContentRules>;

/** An argument of either mode. With a `pdf` that is known only at run time, the rules of neither mode apply. */
type OfMode<Argument, Others, Rules> =
  IsSent<Member<Argument, "pdf">> extends true
    ? CheckedInput<PdfInput & Others, Argument, Rules & PdfRules & HeaderRules>
    : true extends Member<Argument, "pdf">
      ? CheckedInput<RenderInput & Others, Argument, Rules>
      : CheckedInput<ScreenshotInput & Others, Argument, Rules & ImageRules<Argument>>;

/** A batch item. */
export type ValidBatchItem<Argument> = Argument extends never
  ? Argument
  : OfMode<Argument, unknown, BatchRules>;

/** The parameters of a signed URL. */
export type ValidSignable<Argument> = Argument extends never
  ? Argument
  : OfMode<Argument, { [Name in SecretName | DeliveryName]?: undefined }, unknown>;
