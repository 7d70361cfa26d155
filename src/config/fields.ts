import { isCidrBlock } from '../domain/security/addresses.ts';
import { z } from 'zod';
import { Secret } from '../domain/security/secret.ts';

// Messages end the sentence "NAME must …".

/** A text, trimmed; undefined when it is unset or empty. */
export const optionalTextField = z
  .string()
  .optional()
  .transform((text) => {
    const trimmed = text?.trim();
    return trimmed === '' ? undefined : trimmed;
  });

/** A text that passes a test, or undefined. */
export function textField(isValid: (text: string) => boolean, rule: string) {
  return optionalTextField.refine((text) => text === undefined || isValid(text), rule);
}

/** The same as a Secret, which cannot be printed. */
export function secretField(isValid: (text: string) => boolean, rule: string) {
  return textField(isValid, rule).transform((text) => (text === undefined ? undefined : new Secret(text)));
}

/** A whole number in decimal digits between two bounds, both included. */
export function integerField(fallback: number, min: number, max: number) {
  return optionalIntegerField(min, max).transform((value) => value ?? fallback);
}

/** The same; undefined when unset. */
export function optionalIntegerField(min: number, max: number) {
  return textField(
    (text) => /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max,
    `must be a whole number from ${min} to ${max}`,
  ).transform((text) => (text === undefined ? undefined : Number(text)));
}

/** One of a few words. */
export function wordField<const Word extends string>(words: readonly Word[], fallback: Word) {
  const find = (text: string | undefined): Word | undefined => words.find((word) => word === text);
  return textField((text) => find(text) !== undefined, `must be one of ${words.join(', ')}`).transform(
    (text) => find(text) ?? fallback,
  );
}

/** `on` or `off`; on by default. */
export const onOrOffField = wordField(['on', 'off'], 'on').transform((word) => word === 'on');

/** A comma list; empty when unset. */
export const listField = optionalTextField.transform(splitList);

/** The items of a comma list without the blanks around them; empty when unset. */
export function splitList(text: string | undefined): readonly string[] {
  return (text ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** A comma list of CIDR blocks; each that is none is a mistake of its own. */
export const networksField = listField.superRefine((blocks, context) => {
  for (const block of blocks) {
    if (isCidrBlock(block)) continue;
    const message = 'must be a comma list of CIDR blocks such as 10.0.0.0/8';
    context.addIssue({ code: 'custom', message, params: { shown: block } });
  }
});

/** The same for networks whose word is taken, which cannot be everybody. */
export const trustedNetworksField = networksField.superRefine((blocks, context) => {
  for (const block of blocks) {
    if (!isCidrBlock(block) || !/\/0+$/.test(block)) continue;
    const message =
      'must not trust every address: name the networks of your proxies, with a prefix from /1 on';
    context.addIssue({ code: 'custom', message, params: { shown: block } });
  }
});

/**
 * Whether browsers send this as an origin. A `*` in a name is one for the parser of addresses, but no host has such a name: whoever
 * writes it wants many.
 */
const isOrigin = (text: string): boolean =>
  /^https?:[^*]*$/.test(text) && URL.canParse(text) && new URL(text).origin === text;

/** A comma list of origins as browsers send them; each that is none is a mistake of its own. */
export const originsField = listField.superRefine((origins, context) => {
  for (const origin of origins) {
    if (isOrigin(origin)) continue;
    const message =
      'must be a comma list of origins such as https://app.example.com, without a path or a slash behind';
    context.addIssue({ code: 'custom', message, params: { shown: origin } });
  }
});
