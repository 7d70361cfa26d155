import { describe, expect, test } from 'vitest';
import { listCases } from './fixtures.ts';
import type { Channel } from './mutations/channels.ts';
import { askSecondOpinion } from './mutations/second-opinion.ts';
import { findWitness, DocumentValidator } from './mutations/witness.ts';
import { tryChanges } from './mutations/trials.ts';

/** Rules whose instances are not drawn: keywords that the generator makes nothing special of. */
const NOT_DRAWN = new Set(['request-other', 'response-other']);

describe('an instance, found without the comparison,', () => {
  const ofSchemas = listCases().flatMap(({ schemas, ...rest }) =>
    schemas === undefined ? [] : [{ ...rest, schemas }],
  );
  const shows = ({ schemas: { direction, old, next } }: (typeof ofSchemas)[number]): boolean => {
    const channelOf = (schema: unknown): Channel => ({
      name: 'value',
      direction,
      schema: { type: 'object', properties: { value: schema } },
      pointers: [],
    });
    const validators = [new DocumentValidator({}), new DocumentValidator({})] as const;
    return findWitness(channelOf(old), channelOf(next), validators, 1) !== undefined;
  };

  test('shows of each fixture that is called breaking that it is', () => {
    const unproven = ofSchemas.filter((each) => each.isBreaking && !NOT_DRAWN.has(each.rule) && !shows(each));
    expect(unproven.map(({ title }) => title)).toEqual([]);
  });

  test('shows of none that is called additive that it breaks', () => {
    expect(ofSchemas.filter((each) => !each.isBreaking && shows(each)).map(({ title }) => title)).toEqual([]);
  });
});

test('random changes of the document that an instance proves to break are found', () => {
  const trials = [...tryChanges([3, 14, 15, 92, 65, 35])];
  expect(trials.filter(({ isProven }) => isProven).length).toBeGreaterThan(0);
  expect(trials.filter(({ isProven, isFound }) => isProven && !isFound)).toEqual([]);
});

test('the second opinion differs where it is known to, and nowhere else', () => {
  expect(askSecondOpinion().surprises).toEqual([]);
});
