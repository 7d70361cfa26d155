import type { Request } from 'express';
import { ROUTES } from '../../generated/routes.ts';
import { tryParseInstant } from '../domain/api/instants.ts';
import type { RequestFilter } from '../domain/requests/logged-request.ts';
import { FILTER_MESSAGES, filterFieldOf, readFilterParameters } from './forms.ts';
import type { FieldMessages } from './forms.ts';

const PARAMETERS = ['answer', 'operation', 'request_id', 'since', 'until'] as const;
type Parameter = (typeof PARAMETERS)[number];

/** A filter as an address has it; what is not given is left out. */
export type RequestQuery = Readonly<Partial<Record<Parameter, string>>>;

const OPERATION_IDS = ROUTES.map(({ operationId }) => operationId).toSorted();
const ANSWERS = { '': 'All', refused: 'Refused' };

/** What was asked for, as it was written. */
export function readRequestQuery(request: Request): RequestQuery {
  return readFilterParameters(request, PARAMETERS);
}

/** The filter of an address, or what is wrong with it. */
export function parseRequestQuery(query: RequestQuery): {
  readonly filter: RequestFilter;
  readonly errors: FieldMessages;
} {
  const { answer, operation, since, until } = query;
  const filter = {
    isRefused: answer === 'refused',
    operation: OPERATION_IDS.find((each) => each === operation),
    requestId: query.request_id?.slice(0, 128),
    since: since === undefined ? undefined : tryParseInstant(since),
    until: until === undefined ? undefined : tryParseInstant(until),
  };
  const rules = [
    ['answer', filter.isRefused || undefined, FILTER_MESSAGES.choice],
    ['operation', filter.operation, FILTER_MESSAGES.choice],
    ['since', filter.since, FILTER_MESSAGES.instant],
    ['until', filter.until, FILTER_MESSAGES.instant],
  ] as const;
  const broken = rules.filter(([name, value]) => query[name] !== undefined && value === undefined);
  return { filter, errors: Object.fromEntries(broken.map(([name, , text]) => [name, text])) };
}

/** The fields of the filter. */
export function describeRequestFields(query: RequestQuery, errors: FieldMessages) {
  const field = filterFieldOf<Parameter>(query, errors);
  return [
    field('answer', 'Answer', { choices: ANSWERS }),
    field('operation', 'Operation', {
      choices: { '': 'All', ...Object.fromEntries(OPERATION_IDS.map((id) => [id, id])) },
    }),
    field('since', 'Since, UTC', { type: 'datetime-local' }),
    field('until', 'Before, UTC', { type: 'datetime-local' }),
    field('request_id', 'X-Request-Id', { maxlength: 128 }),
  ];
}
