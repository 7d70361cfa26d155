import type { Request } from 'express';
import type { FieldError } from '../domain/api/problem.ts';
import { FIELD_SETS, GROUP_ROWS } from './fleet-fields.ts';
import type { FleetField } from './fleet-fields.ts';
import { readFormField, toNumber } from './forms.ts';
import type { FieldMessages } from './forms.ts';
import { placeErrors } from './placed-errors.ts';

/** A form has so many fields that more groups are left to the API. */
export const MOST_GROUPS = 12;

/** The form as it was filled in, by the paths of the body: `groups/0/name`. */
export type FleetValues = ReadonlyMap<string, string>;

const SINGLE_FIELDS = FIELD_SETS.flatMap(({ rows }) => rows.flat());
const GROUP_FIELDS = GROUP_ROWS.flat();

/** The fields of a group by the paths of the body. */
export function fieldsOfGroup(index: number): readonly FleetField[] {
  return GROUP_FIELDS.map((field) => ({ ...field, path: `groups/${index}/${field.path}` }));
}

function listFields(values: FleetValues): readonly FleetField[] {
  return [
    ...SINGLE_FIELDS,
    ...Array.from({ length: countGroups(values) }, (_, each) => fieldsOfGroup(each)).flat(),
  ];
}

/** What was filled in; groups in which nothing stands are left out. */
export function readFleetForm(request: Request): FleetValues {
  const values = new Map<string, string>();
  const read = (name: string): string => readFormField(request, name).trim();
  for (const { path } of SINGLE_FIELDS) if (read(path) !== '') values.set(path, read(path));
  let count = 0;
  for (let index = 0; index < MOST_GROUPS; index += 1) {
    const given = fieldsOfGroup(index).map(
      (field, at) => [fieldsOfGroup(count)[at]?.path, read(field.path)] as const,
    );
    for (const [path, value] of given) if (path !== undefined && value !== '') values.set(path, value);
    if (given.some(([, value]) => value !== '')) count += 1;
  }
  return values;
}

/** How many groups have something in them. */
export function countGroups(values: FleetValues): number {
  const indexes = [...values.keys()].flatMap((path) => /^groups\/(\d+)\//.exec(path)?.[1] ?? []);
  return Math.max(-1, ...indexes.map(Number)) + 1;
}

/** The body of the call: what is empty is left out, numbers are numbers; what is none stays text and is refused as such. */
export function toDefinition(requestId: string, values: FleetValues): Record<string, unknown> {
  const body: Record<string, unknown> = { request_id: requestId };
  for (const field of listFields(values)) {
    const text = values.get(field.path);
    if (text !== undefined) insert(body, field.path.split('/'), toValue(field, text));
  }
  return body;
}

function toValue({ kind }: FleetField, text: string): unknown {
  if (kind === 'text') return text;
  if (kind === 'numbers') return text.split(',').map((part) => toNumber(part.trim()));
  return toNumber(text);
}

/** Numbers in a path are places in a list. */
function insert(
  target: Record<string, unknown>,
  [name = '', ...rest]: readonly string[],
  value: unknown,
): void {
  if (rest.length === 0) {
    target[name] = value;
    return;
  }
  target[name] ??= /^\d+$/.test(rest[0] ?? '') ? [] : {};
  insert(target[name] as Record<string, unknown>, rest, value);
}

/** What is wrong, by field. */
export function placeFleetErrors(errors: readonly FieldError[], values: FleetValues): FieldMessages {
  return placeErrors(
    errors,
    listFields(values).map(({ path }) => path),
  );
}
