import type { Request } from 'express';
import type { components } from '../../generated/openapi.ts';
import { isUuid } from '../domain/api/formats.ts';
import { tryParseInstant } from '../domain/api/instants.ts';
import { MAX_OFFSET } from '../domain/api/page-links.ts';
import { DEVICE_TYPES } from '../domain/fleets/devices.ts';
import { NOTICE_CODES } from '../domain/notifications/conditions.ts';
import { FILTER_MESSAGES, filterFieldOf, readFilterParameters } from './forms.ts';
import type { FieldMessages } from './forms.ts';
import { describeCode } from './notification-texts.ts';
import { toWords } from './words.ts';

const CODES: readonly string[] = NOTICE_CODES;
const PARAMETERS = [
  'code',
  'device_type',
  'device_id',
  'owner_id',
  'created_after',
  'created_before',
] as const;
type Parameter = (typeof PARAMETERS)[number];

/** A filter as an address has it, by the names that the API gives its parameters. */
export type ItemQuery = Readonly<Partial<Record<Parameter, string>>>;

/** The same as the operations take it. */
interface ListQuery {
  readonly code?: string[];
  readonly device_type?: components['schemas']['DeviceType'];
  readonly device_id?: string;
  readonly owner_id?: string;
  readonly created_after?: string;
  readonly created_before?: string;
  readonly offset: number;
}

/** What was asked for, as it was written. */
export function readItemQuery(request: Request): ItemQuery {
  return readFilterParameters(request, PARAMETERS);
}

/** The query of the operation, or what is wrong with the address. */
export function parseItemQuery(
  query: ItemQuery,
  offset: string | undefined,
): { readonly list: ListQuery; readonly errors: FieldMessages } {
  const errors: Record<string, string> = {};
  const { code, device_type: type, device_id: device, owner_id: owner } = query;
  const deviceType = DEVICE_TYPES.find((each) => each === type);
  if (code !== undefined && !CODES.includes(code)) errors['code'] = FILTER_MESSAGES.choice;
  if (type !== undefined && deviceType === undefined) errors['device_type'] = FILTER_MESSAGES.choice;
  for (const [name, id] of [
    ['device_id', device],
    ['owner_id', owner],
  ] as const)
    if (id !== undefined && !isUuid(id.toLowerCase())) errors[name] = 'Write the whole id, a UUID.';
  for (const name of ['created_after', 'created_before'] as const)
    if (query[name] !== undefined && tryParseInstant(query[name]) === undefined)
      errors[name] = FILTER_MESSAGES.instant;
  const start = Number(offset ?? '0');
  const list = {
    ...(code === undefined ? {} : { code: [code] }),
    ...(deviceType === undefined ? {} : { device_type: deviceType }),
    ...(device === undefined ? {} : { device_id: device.toLowerCase() }),
    ...(owner === undefined ? {} : { owner_id: owner.toLowerCase() }),
    ...(query.created_after === undefined ? {} : { created_after: query.created_after }),
    ...(query.created_before === undefined ? {} : { created_before: query.created_before }),
    offset: Number.isInteger(start) && start >= 0 && start <= MAX_OFFSET ? start : 0,
  };
  return { list, errors };
}

/** The fields of the filter. */
export function describeItemFields(query: ItemQuery, errors: FieldMessages) {
  const field = filterFieldOf<Parameter>(query, errors);
  const words = (texts: readonly (readonly [string, string])[]) => ({
    choices: { '': 'Any', ...Object.fromEntries(texts) },
  });
  return [
    field('code', 'What', words(CODES.map((code) => [code, describeCode(code).word]))),
    field('device_type', 'Device type', words(DEVICE_TYPES.map((type) => [type, toWords(type)]))),
    field('created_after', 'From, UTC', { type: 'datetime-local' }),
    field('created_before', 'To, UTC', { type: 'datetime-local' }),
    field('device_id', 'Device id', { maxlength: 36 }),
    field('owner_id', 'User id', { maxlength: 36 }),
  ];
}
