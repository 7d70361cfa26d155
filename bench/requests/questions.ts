// What the service, its peer and the bare server are asked.
import type { Credentials } from '../../tests/process/partner.ts';

/** A partner with users, and with a token. */
export interface Caller extends Credentials {
  readonly token: string;
  /** Users with every field and a device of each type. */
  readonly userIds: readonly string[];
}

export interface Question {
  readonly name: string;
  /** Whom it is asked; the limit of what needs no statement of its own is a server that has the answer in memory. */
  readonly of: 'service, peer and bare server' | 'service and memory';
  /** The status of the answer. */
  readonly status: number;
  /** Requests in a round. */
  readonly count: number;
  readonly ask: (caller: Caller) => Ask;
}

export interface Ask {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** In place of `{id}` of the path, one after the other. */
  readonly ids?: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** `{unique}` becomes another text in each request. */
  readonly body: string | null;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const bearer = ({ token }: Caller) => ({ authorization: `Bearer ${token}` });
export const usersPath = (orgId: string): string => `/api/partners/v2.0/org/${orgId}/users`;
export const TOKEN_PATH = '/oauth2/token/';
export const PAGE_LIMIT = 50;
const ALL = 'service, peer and bare server';

export const QUESTIONS: readonly Question[] = [
  {
    name: 'GET user',
    of: ALL,
    status: 200,
    count: 3_000,
    ask: (caller) => ({
      method: 'GET',
      path: `${usersPath(caller.orgId)}/{id}`,
      ids: caller.userIds,
      headers: bearer(caller),
      body: null,
    }),
  },
  {
    name: 'GET 50 users',
    of: ALL,
    status: 200,
    count: 1_500,
    ask: (caller) => ({
      method: 'GET',
      path: `${usersPath(caller.orgId)}?limit=${PAGE_LIMIT}`,
      headers: bearer(caller),
      body: null,
    }),
  },
  {
    name: 'POST user',
    of: ALL,
    status: 201,
    count: 2_000,
    ask: (caller) => ({
      method: 'POST',
      path: usersPath(caller.orgId),
      headers: { ...bearer(caller), ...JSON_TYPE },
      body: JSON.stringify({
        email: '{unique}@example.com',
        role: 'user',
        external_user_id: '{unique}',
        first_name: 'Anna',
        last_name: 'Huber',
        street_and_number: 'Hauptstraße 12',
        zip_code: '4020',
        town: 'Linz',
        country: 'AT',
        latitude: 48.3064,
        longitude: 14.2858,
      }),
    }),
  },
  {
    name: 'token issue',
    of: ALL,
    status: 200,
    count: 2_000,
    ask: ({ clientId, clientSecret }) => ({
      method: 'POST',
      path: TOKEN_PATH,
      headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}`, ...JSON_TYPE },
      body: '{"grant_type":"client_credentials"}',
    }),
  },
  ...(
    [
      ['GET fleet config', 'device-simulator/fleets/config'],
      ['GET notification status', 'notifications/status'],
    ] as const
  ).map(([name, path]): Question => ({
    name,
    of: 'service and memory',
    status: 200,
    count: 3_000,
    ask: (caller) => ({
      method: 'GET',
      path: `/api/partners/v2.0/org/${caller.orgId}/${path}`,
      headers: bearer(caller),
      body: null,
    }),
  })),
];
