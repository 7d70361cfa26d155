import type { z } from 'zod';
import { splitList } from './fields.ts';

/** What `name=value` means in a setting. Words and rules end the sentence "NAME must …". */
export interface NamedValues<Name extends string, Value> {
  readonly names: readonly Name[];
  /** `off, or name=number with the names`, before all of them. */
  readonly words: string;
  /** What each value has to be. */
  readonly rule: string;
  /** Undefined for a text that is no value. */
  readonly parse: (text: string) => Value | undefined;
}

/** The values of a comma list of `name=value` by their names; each item that is wrong, or names one again, is a mistake of its own. */
export function readNamedValues<Name extends string, Value>(
  list: string | undefined,
  { names, words, rule, parse }: NamedValues<Name, Value>,
  context: z.RefinementCtx,
): Map<Name, Value> {
  const values = new Map<Name, Value>();
  for (const item of splitList(list)) {
    const refuse = (message: string): void =>
      context.addIssue({ code: 'custom', message, params: { shown: item } });
    const [, given, text = ''] = /^([^=]+)=(.*)$/.exec(item) ?? [];
    const name = names.find((each) => each === given);
    const value = parse(text);
    if (name === undefined) refuse(`must be ${words} ${names.join(', ')}`);
    else if (values.has(name)) refuse(`must name ${name} once`);
    else if (value === undefined) refuse(`must give ${name} ${rule}`);
    else values.set(name, value);
  }
  return values;
}
