// A random request of an operation: mostly one that could be meant, often with something wrong.
import type { OperationId } from '../../generated/routes.ts';
import { basic, CALLERS, drawAuthorization } from './callers.ts';
import type { Clients, Tokens } from './callers.ts';
import type { Dice } from './dice.ts';
import type { AskedOperation, Parameter } from './document.ts';
import type { Known, Place } from './known.ts';
import { spoilBytes, spoilValue } from './mutations.ts';
import { drawInstant, drawValue } from './values.ts';

export interface RandomRequest {
  readonly operationId: OperationId;
  readonly place: Place;
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

/** What requests are drawn from, beside the document. */
export interface Sources {
  readonly dice: Dice;
  readonly known: Known;
  readonly clients: Clients;
  readonly tokens: Tokens;
  readonly orgId: string;
  /** Ids of what is not to be removed: else the devices would be gone after the first hundred requests. */
  readonly kept: ReadonlySet<string>;
}

const REMOVING: readonly OperationId[] = ['stopFleet', 'cleanupFleet', 'purgeFleet', 'deleteUser'];

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

export function drawRequest(operation: AskedOperation, sources: Sources, nowMs: number): RandomRequest {
  const { dice } = sources;
  const place = drawPlace(operation, sources);
  const target = drawTarget(operation, place, sources, nowMs);
  const body = drawBody(operation, sources, nowMs);
  const headers = {
    ...drawAccess(operation, sources),
    ...drawHeaders(operation, sources),
    ...(body === undefined ? {} : { 'content-length': String(body.bytes.length) }),
    ...(body?.type === undefined ? {} : { 'content-type': body.type }),
  };
  const method = dice.chance(0.02)
    ? dice.pick(['HEAD', 'OPTIONS', 'GET', 'POST', 'PUT', 'DELETE', 'PATCH'])
    : operation.route.method.toUpperCase();
  return { operationId: operation.id, place, method, target, headers, body: body?.bytes };
}

/** Values for the path: mostly of an object that is there. */
function drawPlace({ id, places }: AskedOperation, { dice, known, orgId, kept }: Sources): Place {
  const found = REMOVING.includes(id) ? known.find(places, dice, kept) : known.find(places, dice);
  const place: Record<string, string> = { org_id: orgId, ...found };
  for (const name of places) {
    const isUnknown = place[name] === undefined;
    const other = known.find(['org_id', name], dice)?.[name] ?? known.find([name], dice)?.[name];
    if (isUnknown || dice.chance(0.05))
      place[name] = dice.weigh([
        [4, other ?? dice.uuid()],
        [2, dice.uuid()],
        [1, (place[name] ?? dice.uuid()).toUpperCase()],
        [1, dice.pick(['7', 'x', ' ', '%', 'é', 'a/b', '..', 'nil', '0'.repeat(300), '\u0000'])],
      ]);
  }
  return Object.fromEntries(places.map((name) => [name, place[name] ?? '']));
}

function drawTarget(operation: AskedOperation, place: Place, sources: Sources, nowMs: number): string {
  const { dice, known } = sources;
  const links = known.links.filter(({ operationId }) => operationId === operation.id);
  if (links.length > 0 && dice.chance(0.3)) return dice.pick(links).target;
  if (operation.id === 'resolveNotificationItem' && known.resolutions.length > 0 && dice.chance(0.8))
    return dice.pick(known.resolutions);
  const path = operation.route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(place[name] ?? ''),
  );
  return (dice.chance(0.02) ? spoilPath(path, dice) : path) + drawQuery(operation, sources, nowMs);
}

function spoilPath(path: string, dice: Dice): string {
  return dice.pick([
    `${path}/`,
    path.replace(/\/$/, ''),
    path.replace('/org', '//org'),
    path.toUpperCase(),
    `${path}/more`,
    path.replace('/org', '/%6frg'),
    `${path}%`,
    `${path};a=b`,
    path.replace(/[^/]*$/, ''),
    path.replace('v2.0', 'v3.0'),
  ]);
}

function drawQuery({ parameters }: AskedOperation, sources: Sources, nowMs: number): string {
  const { dice } = sources;
  const share = dice.pick([0, 0.3, 0.3, 0.7]);
  const pairs = parameters
    .filter((parameter) => parameter.in === 'query' && (parameter.required === true || dice.chance(share)))
    .flatMap((parameter) => drawParameter(parameter, sources, nowMs));
  if (dice.chance(0.02)) pairs.push(['unknown', '1']);
  if (dice.chance(0.01) && pairs[0] !== undefined) pairs.push(pairs[0]);
  if (pairs.length === 0) return dice.chance(0.01) ? dice.pick(['?', '?&', '?=', '?%ff', '?a[b]=c']) : '';
  return `?${pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`;
}

function drawParameter({ name, schema }: Parameter, sources: Sources, nowMs: number): [string, string][] {
  const { dice, known, orgId } = sources;
  if (dice.chance(0.06))
    return [
      [name, dice.pick(['', ' ', 'x', '-1', '0', '1.5', '1e3', '999999999', 'null', 'TRUE', 'é', '\u0000'])],
    ];
  if (name === 'owner_id' || name === 'device_id') {
    const object = name === 'owner_id' ? 'user_id' : 'device_id';
    const found = known.find(name === 'owner_id' ? ['org_id', object] : ['org_id', 'job_id', object], dice);
    return [[name, found?.[object] ?? orgId]];
  }
  if (/^(?:from|to|from_dt|to_dt|created_after|created_before)$/.test(name))
    return [[name, drawInstant(dice, nowMs)]];
  if (name === 'limit' || name === 'page' || name === 'offset')
    return [
      [
        name,
        String(
          dice.weigh([
            [3, 1],
            [3, dice.integer(1, 5)],
            [2, 50],
            [1, dice.integer(1, 1_200)],
          ]),
        ),
      ],
    ];
  const value = drawValue(schema, dice, nowMs, name);
  return (Array.isArray(value) ? value : [value]).map((each) => [name, String(each)]);
}

interface DrawnBody {
  readonly bytes: Buffer;
  readonly type: string | undefined;
}

function drawBody(operation: AskedOperation, sources: Sources, nowMs: number): DrawnBody | undefined {
  const { dice } = sources;
  if (operation.body === undefined)
    return dice.chance(0.01) ? { bytes: Buffer.from('{}'), type: JSON_TYPE } : undefined;
  const isRequired = operation.route.body?.required === true;
  if (dice.chance(isRequired ? 0.02 : 0.3)) return undefined;
  const drawn = dice.chance(0.6)
    ? dice.pick(operation.body.examples)
    : drawValue(operation.body.schema, dice, nowMs);
  const meant = fillIn(drawn, operation, sources);
  const value = dice.chance(0.25) ? spoilValue(meant, dice) : meant;
  if (operation.route.access !== 'token' && dice.chance(0.4)) {
    const entries = Object.entries(value ?? {}).map(([name, each]): [string, string] => [name, String(each)]);
    return { bytes: Buffer.from(new URLSearchParams(entries).toString()), type: FORM_TYPE };
  }
  const text = JSON.stringify(value);
  return {
    bytes: dice.chance(0.05) ? spoilBytes(text, dice) : Buffer.from(text),
    type: dice.weigh<string | undefined>([
      [94, JSON_TYPE],
      [3, `${JSON_TYPE}; charset=utf-8`],
      [1, undefined],
      [
        1,
        dice.pick([
          'text/plain',
          FORM_TYPE,
          `${JSON_TYPE}; charset=latin1`,
          'application/merge-patch+json',
          'x',
        ]),
      ],
    ]),
  };
}

/** What would collide with an earlier request, or names something that is not there, becomes something of its own or that is. */
function fillIn(drawn: unknown, { id }: AskedOperation, { dice, known, clients }: Sources): unknown {
  if (typeof drawn !== 'object' || drawn === null || Array.isArray(drawn)) return drawn;
  const body: Record<string, unknown> = { ...drawn };
  const fresh = dice.chance(0.8);
  if (fresh && 'email' in body && id !== 'requestSignup') body['email'] = `${dice.hex(10)}@example.com`;
  if (fresh && typeof body['external_user_id'] === 'string')
    body['external_user_id'] = `customer-${dice.hex(6)}`;
  if ('request_id' in body)
    body['request_id'] = fresh || known.requestIds.length === 0 ? dice.uuid() : dice.pick(known.requestIds);
  if (typeof body['count'] === 'number' && body['count'] > 20) body['count'] = dice.integer(1, 20);
  if ('owner_id' in body)
    body['owner_id'] = known.find(['org_id', 'user_id'], dice)?.['user_id'] ?? dice.uuid();
  if ('token' in body && known.tokens.length > 0) body['token'] = dice.pick(known.tokens.slice(-20));
  if ('client_id' in body && dice.chance(0.8)) {
    const { clientId, clientSecret } = clients[dice.pick(CALLERS)];
    Object.assign(body, { client_id: clientId, client_secret: dice.chance(0.9) ? clientSecret : 'wrong' });
  }
  return body;
}

function drawAccess(
  { id, route }: AskedOperation,
  { dice, tokens, clients, known }: Sources,
): Record<string, string> {
  if (route.access === 'token') {
    const authorization = drawAuthorization(tokens, known.tokens, dice);
    return authorization === undefined ? {} : { authorization };
  }
  if (!/token/i.test(id) || dice.chance(0.3)) return {};
  const client = clients[dice.pick(CALLERS)];
  return { authorization: basic(dice.chance(0.93) ? client : { ...client, clientSecret: 'wrong' }) };
}

function drawHeaders({ id }: AskedOperation, { dice, known }: Sources): Record<string, string> {
  const headers: Record<string, string> = {};
  const accept = dice.weigh<string | undefined>([
    [60, undefined],
    [15, '*/*'],
    [15, JSON_TYPE],
    [
      8,
      dice.pick([
        `${JSON_TYPE}; charset=utf-8`,
        'application/*',
        'text/event-stream',
        'text/html,*/*;q=0.8',
        `${JSON_TYPE};q=0.1, text/html`,
      ]),
    ],
    [
      3,
      dice.pick([
        'text/html',
        `${JSON_TYPE};q=0`,
        'x',
        '',
        'application/xml, text/plain',
        'application/problem+json',
      ]),
    ],
  ]);
  if (accept !== undefined) headers['accept'] = accept;
  if (dice.chance(0.05))
    headers['x-request-id'] = dice.pick([dice.hex(16), 'short', 'not/allowed/here', 'y'.repeat(200)]);
  if (dice.chance(0.03)) headers['origin'] = 'https://app.partner.example.com';
  if (dice.chance(0.02)) headers['if-none-match'] = '*';
  if (dice.chance(0.02)) headers['accept-encoding'] = 'gzip, br';
  if (dice.chance(0.01)) headers['content-encoding'] = 'gzip';
  if (id === 'streamEvents' && dice.chance(0.7)) {
    const message = known.find(['org_id', 'webhook_id', 'message_id'], dice)?.['message_id'];
    headers['last-event-id'] =
      message !== undefined && dice.chance(0.8) ? message : dice.pick(['x', dice.uuid(), '']);
  }
  return headers;
}
