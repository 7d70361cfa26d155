import { describe, expect, test } from 'vitest';
import { compareContracts } from '../../../tools/compat/compare-contracts.ts';
import type { Contract } from '../../../tools/compat/contract.ts';
import { RULES } from '../../../tools/compat/rules.ts';
import type { RuleId } from '../../../tools/compat/rules.ts';
import { contractOf, listCases, listSame } from './fixtures.ts';

const cases = listCases();

/** Rules with one side only: clients of an open vocabulary take every value, and what is not compared cannot be additive. */
const ONE_SIDED: readonly RuleId[] = ['response-vocabulary', 'response-deprecation', 'since'];

describe('a change that breaks a client', () => {
  test.each(cases.filter(({ isBreaking }) => isBreaking))(
    '$title',
    ({ old, next, rules, besides, today }) => {
      const found = compareContracts(old, next, today);
      expect(found.filter(({ verdict }) => verdict === 'breaking').map(({ rule }) => rule)).toEqual(rules);
      expect(found.filter(({ verdict }) => verdict !== 'breaking').map(({ rule }) => rule)).toEqual(besides);
    },
  );
});

describe('a change that breaks nobody', () => {
  test.each(cases.filter(({ isBreaking }) => !isBreaking))('$title', ({ old, next, rules, today }) => {
    const found = compareContracts(old, next, today);
    expect(found.map(({ rule, verdict }) => [rule, verdict])).toEqual(
      rules.map((rule) => [rule, 'additive']),
    );
  });
});

describe('what says the same in other words', () => {
  test.each(listSame())('is no change: $name', ({ one, other }) => {
    for (const direction of ['request', 'response'] as const)
      for (const [old, next] of [
        [one, other],
        [other, one],
      ]) {
        const contracts = [contractOf(direction, old), contractOf(direction, next)] as const;
        expect(compareContracts(...contracts, new Date(0))).toEqual([]);
      }
  });
});

describe('a schema that contains itself', () => {
  /** A tree whose nodes have names of so many characters and, in a branch, another kind of node. */
  const treeOf = (maxLength: number, leaf: unknown): Contract => {
    const tree = { $ref: '#/components/schemas/Tree' };
    const name = { type: 'string', maxLength };
    const node = { type: 'object', properties: { name, children: { type: 'array', items: tree } } };
    const content = { 'application/json': { schema: tree } };
    return {
      info: { version: '1.0' },
      paths: { '/tree': { put: { requestBody: { content }, responses: {} } } },
      components: { schemas: { Tree: { anyOf: [node, { type: 'array', items: tree }, leaf] } } },
    };
  };
  const found = (old: Contract, next: Contract): string[] =>
    compareContracts(old, next, new Date(0)).map(({ rule, verdict, place }) => `${verdict} ${rule} ${place}`);

  test('is the same as one that is built alike', () => {
    expect(found(treeOf(9, { type: 'null' }), treeOf(9, { enum: [null] }))).toEqual([]);
  });

  test('is compared all through', () => {
    expect(found(treeOf(9, { type: 'null' }), treeOf(8, { type: 'null' }))).toEqual([
      'breaking request-max-length /components/schemas/Tree/anyOf/0/properties/name',
    ]);
    expect(found(treeOf(8, { type: 'null' }), treeOf(9, { type: 'null' }))).toEqual([
      'additive request-max-length /components/schemas/Tree/anyOf/0/properties/name',
    ]);
    expect(found(treeOf(9, { type: 'null' }), treeOf(9, { type: 'boolean' }))).toContain(
      'breaking request-any-of /components/schemas/Tree',
    );
  });
});

test('every rule has a fixture that breaks and one that does not, and there are more than sixty', () => {
  const rules = (Object.keys(RULES) as RuleId[]).filter((rule) => !ONE_SIDED.includes(rule));
  const missing = rules.filter((rule) =>
    [true, false].some(
      (isBreaking) => !cases.some((each) => each.rule === rule && each.isBreaking === isBreaking),
    ),
  );
  expect(missing).toEqual([]);
  expect(rules.length).toBeGreaterThanOrEqual(60);
});
