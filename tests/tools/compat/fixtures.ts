// The documents that the rules of compatibility are tried with.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Contract } from '../../../tools/compat/contract.ts';
import type { Direction, RuleId } from '../../../tools/compat/rules.ts';
import { toRuleId } from '../../../tools/compat/rules.ts';
import type { Subject } from '../../../tools/compat/schemas/gap.ts';

/** A pair of documents and what is to be found between them. */
export interface Case {
  readonly title: string;
  readonly rule: RuleId;
  readonly old: Contract;
  readonly next: Contract;
  readonly isBreaking: boolean;
  /** The rules that find something, all with the verdict of the case. */
  readonly rules: readonly RuleId[];
  /** The rules that find something additive beside what breaks. */
  readonly besides: readonly RuleId[];
  readonly today: Date;
  /** The two schemas, for cases of schemas. */
  readonly schemas?: { readonly direction: Direction; readonly old: unknown; readonly next: unknown };
}

const TODAY = new Date('2026-11-23');

// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the caller says what the file holds
function readRows<Row>(file: string): readonly Row[] {
  return parse(readFileSync(join(import.meta.dirname, 'fixtures', file), 'utf8')) as Row[];
}

function toContract(fragment: object): Contract {
  return { openapi: '3.1.0', info: { title: 'Fixture', version: '1.0' }, paths: {}, ...fragment };
}

/** A document with one operation that takes or answers an object with the schema as its property `value`. */
export function contractOf(direction: Direction, schema: unknown): Contract {
  const content = { 'application/json': { schema: { type: 'object', properties: { value: schema } } } };
  const done = { '204': { description: 'Done.' } };
  const operation =
    direction === 'request'
      ? { post: { operationId: 'put', requestBody: { content }, responses: done } }
      : { get: { operationId: 'get', responses: { '200': { description: 'The value.', content } } } };
  return toContract({ paths: { '/value': operation } });
}

interface SchemaRow {
  readonly subject: Subject;
  readonly wide: unknown;
  readonly narrow: unknown;
}

function toSchemaCases(row: SchemaRow): readonly Case[] {
  return (['request', 'response'] as const).flatMap((direction) =>
    (['narrower', 'wider'] as const).map((way) => {
      const [old, next] = way === 'narrower' ? [row.wide, row.narrow] : [row.narrow, row.wide];
      const isBreaking = (direction === 'request') === (way === 'narrower');
      return {
        title: `${direction}, ${way}: ${JSON.stringify(old)} -> ${JSON.stringify(next)}`,
        rule: toRuleId(direction, row.subject),
        old: contractOf(direction, old),
        next: contractOf(direction, next),
        isBreaking,
        rules: [toRuleId(direction, row.subject)],
        besides: [],
        today: TODAY,
        schemas: { direction, old, next },
      };
    }),
  );
}

interface ContractRow {
  readonly rule: RuleId;
  readonly name?: string;
  readonly old: object;
  readonly breaking: object;
  readonly additive: object;
  readonly additiveRule?: RuleId;
  readonly additiveOn?: string;
  readonly silent?: boolean;
  readonly besides?: readonly RuleId[];
}

function toContractCases(row: ContractRow): readonly Case[] {
  const title = row.name === undefined ? row.rule : `${row.rule}, ${row.name}`;
  const shared = { rule: row.rule, old: toContract(row.old) };
  const additiveRules = row.silent === true ? [] : [row.additiveRule ?? row.rule];
  return [
    {
      ...shared,
      title,
      next: toContract(row.breaking),
      isBreaking: true,
      rules: [row.rule],
      besides: row.besides ?? [],
      today: TODAY,
    },
    {
      ...shared,
      title,
      next: toContract(row.additive),
      isBreaking: false,
      rules: additiveRules,
      besides: [],
      today: new Date(row.additiveOn ?? TODAY),
    },
  ];
}

/** Every fixture: for each rule one that breaks and one that does not. */
export function listCases(): readonly Case[] {
  return [
    ...readRows<SchemaRow>('schemas.yaml').flatMap(toSchemaCases),
    ...readRows<ContractRow>('contracts.yaml').flatMap(toContractCases),
  ];
}

/** Pairs of schemas that say the same. */
export function listSame(): readonly { name: string; one: unknown; other: unknown }[] {
  return readRows('same.yaml');
}
