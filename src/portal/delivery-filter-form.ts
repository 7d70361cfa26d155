import type { Request } from 'express';
import { isUuid } from '../domain/api/formats.ts';
import { tryParseInstant } from '../domain/api/instants.ts';
import { DELIVERY_STATES } from '../domain/notifications/delivery-filter.ts';
import type { DeliveryFilter } from '../domain/notifications/delivery-filter.ts';
import { TOPICS } from '../domain/notifications/topics.ts';
import { STATE_WORDS } from './delivery-states.ts';
import { FILTER_MESSAGES, filterFieldOf, readFilterParameters } from './forms.ts';
import type { FieldMessages } from './forms.ts';

const PARAMETERS = ['state', 'topic', 'since', 'until', 'message'] as const;
type Parameter = (typeof PARAMETERS)[number];

/** A filter as an address has it; what is not given is left out. */
export type FilterQuery = Readonly<Partial<Record<Parameter, string>>>;

/** What was asked for, as it was written. */
export function readFilterQuery(request: Request): FilterQuery {
  return readFilterParameters(request, PARAMETERS);
}

/** The filter of an address, or what is wrong with it. */
export function parseFilter(query: FilterQuery): {
  readonly filter: DeliveryFilter;
  readonly errors: FieldMessages;
} {
  const { state, topic, since, until, message } = query;
  const filter = {
    state: DELIVERY_STATES.find((each) => each === state),
    topic: TOPICS.find((each) => each === topic),
    since: since === undefined ? undefined : tryParseInstant(since),
    until: until === undefined ? undefined : tryParseInstant(until),
    messageId: message !== undefined && isUuid(message.toLowerCase()) ? message.toLowerCase() : undefined,
  };
  const rules = [
    ['state', filter.state, FILTER_MESSAGES.choice],
    ['topic', filter.topic, FILTER_MESSAGES.choice],
    ['since', filter.since, FILTER_MESSAGES.instant],
    ['until', filter.until, FILTER_MESSAGES.instant],
    ['message', filter.messageId, 'Write the whole message_id, a UUID.'],
  ] as const;
  const broken = rules.filter(([name, value]) => query[name] !== undefined && value === undefined);
  return { filter, errors: Object.fromEntries(broken.map(([name, , text]) => [name, text])) };
}

/** The fields of the filter. */
export function describeFilterFields(query: FilterQuery, errors: FieldMessages) {
  const field = filterFieldOf<Parameter>(query, errors);
  return [
    field('state', 'State', { choices: { '': 'Any', ...STATE_WORDS } }),
    field('topic', 'Topic', {
      choices: { '': 'Any', ...Object.fromEntries(TOPICS.map((topic) => [topic, topic])) },
    }),
    field('since', 'Since, UTC', { type: 'datetime-local' }),
    field('until', 'Before, UTC', { type: 'datetime-local' }),
    field('message', 'Message id', { maxlength: 36 }),
  ];
}
