import { SUBJECTS } from './schemas/gap.ts';
import type { Subject } from './schemas/gap.ts';

/** Which way a schema is sent: `request` by the client, `response` by the service (answers and webhooks' messages). */
export type Direction = 'request' | 'response';

type Kebab<Text extends string> = Text extends `${infer Head}${infer Tail}`
  ? Head extends Lowercase<Head>
    ? `${Head}${Kebab<Tail>}`
    : `-${Lowercase<Head>}${Kebab<Tail>}`
  : Text;

type SchemaRuleId = `${Direction}-${Kebab<Subject>}`;

/** What a rule calls breaking and what additive. */
export interface Rule {
  readonly breaking: string;
  readonly additive: string;
}

const NARROWER = 'fewer values are valid than before, so that a request that was right is refused';
const WIDER = 'more values are valid than before, so that an answer comes that no client expects';

/** Rules beside those of schemas. */
export const CONTRACT_RULES = {
  operation: {
    breaking: 'removed, or a method or path changed, while it is not deprecated or its sunset is to come',
    additive: 'added; removed after its sunset',
  },
  'operation-id': {
    breaking: 'changed or removed, of an operation or a message: generated clients call it so',
    additive: 'added',
  },
  'operation-deprecation': {
    breaking:
      'deprecated without `x-deprecated-at` and `x-sunset`, with less than the notice between them, or from a day on that is past',
    additive: 'deprecated with notice, later, or no longer',
  },
  'operation-sunset': {
    breaking: 'moved to an earlier day, taken away, or first said with less than the notice left',
    additive: 'moved to a later day, or first said with the whole notice left',
  },
  stability: {
    breaking: 'marked `x-beta` although the released one was not: beta keeps no promise',
    additive: 'no longer marked `x-beta`',
  },
  'path-parameter-name': {
    breaking: 'renamed: generated clients ask for it by name',
    additive: 'the same names in the same order',
  },
  server: {
    breaking: 'removed, or another one comes first, to which generated clients send',
    additive: 'added behind the first',
  },
  'server-variable': {
    breaking: 'a value is no longer taken, or another default',
    additive: 'more values are taken',
  },
  security: {
    breaking: 'credentials that were enough no longer are',
    additive: 'further credentials will do, or none are needed any more',
  },
  'security-scope': { breaking: 'a token needs a further scope', additive: 'a token needs a scope less' },
  'security-scheme': {
    breaking: 'another type, scheme, place or address',
    additive: 'a scheme more',
  },
  'oauth-flow': {
    breaking: 'a flow or scope removed, an address changed',
    additive: 'a flow or scope added',
  },
  role: {
    breaking: 'a role may do less; without `x-roles` each may do everything',
    additive: 'a role may do more',
  },
  parameter: {
    breaking: 'removed, or a required one added',
    additive: 'an optional one added',
  },
  'parameter-required': { breaking: 'became required', additive: 'became optional' },
  'parameter-style': {
    breaking: 'written in another way (`style`, `explode`, `allowReserved`)',
    additive: 'the same way, now said',
  },
  'parameter-content': {
    breaking: 'another media type, or from a schema to a media type or back',
    additive: 'its schema changed compatibly within its media type',
  },
  'request-body': {
    breaking: 'removed, or a required one added',
    additive: 'an optional one added',
  },
  'request-body-required': { breaking: 'became required', additive: 'became optional' },
  'request-media-type': { breaking: 'no longer taken', additive: 'taken, too' },
  'request-body-limit': { breaking: 'fewer bytes are taken', additive: 'more bytes are taken' },
  'response-status': {
    breaking: 'a status of success removed or added, or a redirection added',
    additive: 'a status of failure, or 304, added or removed',
  },
  'response-media-type': { breaking: 'no longer sent', additive: 'sent upon request, too' },
  'response-header': { breaking: 'removed', additive: 'added' },
  'response-header-required': { breaking: 'may now be missing', additive: 'is now always there' },
  'problem-code': {
    breaking:
      'no operation has it any more, another code comes in its place, or an answer names none any more',
    additive: 'a code more; or one less at this operation, which may fail less',
  },
  webhook: { breaking: 'a message removed', additive: 'a message added' },
  'webhook-header': { breaking: 'removed, or may now be missing', additive: 'added, or always there' },
  'webhook-body': {
    breaking: 'its media type is no longer sent, or it may now be missing',
    additive: 'it is now always there',
  },
  'webhook-answer': { breaking: 'a status is no longer taken as received', additive: 'one more is' },
  'request-default': {
    breaking: 'changed or removed: a request that leaves it out means something else',
    additive: 'added: it says what was so before',
  },
  'request-vocabulary': { breaking: 'a known value removed', additive: 'a known value added' },
  'response-vocabulary': {
    breaking: 'never: clients take every value',
    additive: 'a known value added or removed',
  },
  'request-discriminator': {
    breaking: 'another property, another schema for a value, or a value removed',
    additive: 'added, or a value added',
  },
  'response-discriminator': {
    breaking: 'another property, another schema for a value, or a value removed',
    additive: 'added, or a value added',
  },
  'request-read-only': { breaking: 'no longer taken from requests', additive: 'taken from requests' },
  'response-write-only': { breaking: 'no longer in answers', additive: 'in answers, too' },
  'request-rule': {
    breaking:
      'a rule across fields (`x-rules`) more, or in other words: a request that was right may be refused',
    additive: 'a rule less',
  },
  'request-immutable': {
    breaking: 'marked `x-immutable`: no value is taken any more',
    additive: 'no longer marked `x-immutable`',
  },
  'request-content-encoding': {
    breaking: 'text is to be encoded in another way',
    additive: 'said for the first time',
  },
  'response-content-encoding': {
    breaking: 'text is encoded in another way',
    additive: 'said for the first time',
  },
  'request-deprecation': {
    breaking: 'deprecated although it is required',
    additive: 'deprecated, or no longer',
  },
  'response-deprecation': {
    breaking: 'never: it is sent until the next major version',
    additive: 'deprecated, or no longer',
  },
  unsupported: {
    breaking:
      'a part of the document changed that is not compared (`callbacks`, `links`, `encoding`, `jsonSchemaDialect`)',
    additive: 'never',
  },
  since: { breaking: 'something new without `x-since`', additive: 'something new with `x-since`' },
} as const satisfies Readonly<Record<string, Rule>>;

export type RuleId = keyof typeof CONTRACT_RULES | SchemaRuleId;

/** The rule of a change of a schema: `request-max-length`. */
export function toRuleId(direction: Direction, subject: Subject): RuleId {
  const kebab = subject.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return `${direction}-${kebab}` as SchemaRuleId;
}

/** All rules by id. */
export const RULES: Readonly<Record<RuleId, Rule>> = {
  ...Object.fromEntries(
    SUBJECTS.flatMap((subject) => [
      [toRuleId('request', subject), { breaking: NARROWER, additive: 'more values are valid than before' }],
      [toRuleId('response', subject), { breaking: WIDER, additive: 'fewer values come than before' }],
    ]),
  ),
  ...CONTRACT_RULES,
} as Readonly<Record<RuleId, Rule>>;
