import { expect, it } from "vitest";
import { isCatastrophicExpression } from "../../src/filter-lists/catastrophic-expression.ts";

it.each([
  String.raw`(a+)+b$`,
  String.raw`^(?:a*)*$`,
  String.raw`(a|a)*b`,
  String.raw`(?:a?){2,}b`,
  String.raw`((?:a{1,9})b?)+?c`,
  String.raw`(?<name>[a-z]+)*`,
  String.raw`((a+){2})+`,
  String.raw`(([a(]+\))c)*`,
])("finds an expression that can take exponential time: %s", (source) => {
  expect(isCatastrophicExpression(source)).toBe(true);
});

// most have a form that public lists use
it.each([
  String.raw`^https?:\/\/[a-z]{8,15}\.(?:com|net)\/[0-9a-f]{32}\.js$`,
  String.raw`^https?:\/\/(?:www\.|[a-z0-9]{7,10}\.)?[-a-z0-9]{5,}\.(?:club|xyz)\/.*\/[a-z0-9_]{2,15}\.(php|jsx?)$`,
  String.raw`(https?:\/\/)10\.20\..{100,}`,
  String.raw`\/[a-z](?=[a-z]{0,25}[0-9A-Z])[0-9a-zA-Z]{3,26}\/\d{4,6}(?:\?_=\d+)?$`,
  String.raw`\/img\/(?!new).+\.gif`,
  String.raw`(?:[0-9a-f]{2}\/)+[0-9a-f]{32}\.js`,
  String.raw`(\/[a-f]{6})*\.js`,
  String.raw`(?:[a-z]+-){2}[a-z]+\.gif`,
  String.raw`(a+)b+`,
  String.raw`([+*|])+\(a+\)+`,
])("finds nothing in a harmless expression: %s", (source) => {
  expect(isCatastrophicExpression(source)).toBe(false);
});
