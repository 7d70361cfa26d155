import { expect, test } from 'vitest';
import document from '../../generated/openapi.json' with { type: 'json' };
import { describeControlState } from '../../src/portal/control-words.ts';

const { mode, reason } = document.components.schemas.ControlState.properties;
const knownOf = (vocabulary: typeof mode | typeof reason): string[] =>
  vocabulary.anyOf.flatMap((choice) => ('enum' in choice ? choice.enum : []));

test('a plan is told in words', () => {
  expect(describeControlState({ mode: 'schedule', reason: 'cheapest_quarters' })).toBe(
    'A plan made from prices: it takes the cheapest quarter hours that do.',
  );
});

test.each(knownOf(mode))('the mode %s of the document has words', (known) => {
  expect(describeControlState({ mode: known, reason: 'preference' })).toMatch(
    /^[A-Z][^_]+: people want it so\.$/,
  );
});

test.each(knownOf(reason))('the reason %s of the document has words', (known) => {
  const [, words = ''] = describeControlState({ mode: 'schedule', reason: known }).split(': ');
  expect([words.replace(/\.$/, ''), words.length > 12]).toEqual([
    expect.not.stringMatching(known.replaceAll('_', ' ')),
    true,
  ]);
});

test('a value that nobody knows yet is shown as it is', () => {
  expect(describeControlState({ mode: 'new_mode', reason: 'new_reason' })).toBe('new mode: new reason.');
});
