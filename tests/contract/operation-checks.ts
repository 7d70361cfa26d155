import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { ROUTES } from '../../generated/routes.ts';
import type { OperationId, Route, SecuredOperationId } from '../../generated/routes.ts';
import { ROLE_TABLE } from '../../src/domain/users/roles.ts';
import type { Call } from '../support/api-client.ts';
import { boundChecks } from './bound-checks.ts';
import { apis, blankCall, objectNames, problem, unknownObjects, type Check } from './operation-calls.ts';

const oauthIds: readonly OperationId[] = ['issueToken', 'issueTokenAtRoot', 'revokeToken'];
const oauth = ROUTES.filter((route) => oauthIds.includes(route.operationId));
const plain = ROUTES.filter((route) => !oauth.includes(route));
const withDatabase = plain.filter((route) => route.operationId !== 'getAuthorizationServerMetadata');
const secured = ROUTES.filter((route) => route.access === 'token');
const orgScoped = secured.filter((route) => route.orgScoped);
const inRoleTable = ROUTES.filter((route) => route.operationId in ROLE_TABLE);
const withBody = plain.filter((route) => route.body !== null);
const withObject = plain.filter((route) => objectNames(route).length > 0);

const tokenChecks: readonly Check[] = [
  {
    name: 'asks for a token, without an error code when none was sent',
    appliesTo: secured,
    run: async (id, route) => {
      const answer = await apis.api.call(id, blankCall(route, { token: null }));
      expect(answer).toMatchObject(problem(401, 'unauthenticated'));
      expect(answer.headers['www-authenticate']).toBe('Bearer realm="partners"');
    },
  },
  {
    name: 'refuses an unknown token',
    appliesTo: secured,
    run: async (id, route) => {
      const answer = await apis.api.call(id, blankCall(route, { token: 'pat_unknown' }));
      expect(answer).toMatchObject(problem(401, 'invalid_token'));
      expect(answer.headers['www-authenticate']).toMatch(/^Bearer realm="partners", error="invalid_token"/);
    },
  },
  {
    name: 'follows its row in the role table',
    appliesTo: inRoleTable,
    run: async (id, route) => {
      const row: Readonly<Record<string, string>> = ROLE_TABLE[id as SecuredOperationId];
      for (const role of ['admin', 'staff', 'user'] as const) {
        const answer = await apis.api.call(id, blankCall(route, { token: apis.api.own[role].token }));
        expect([role, answer.body?.code === 'role_forbidden']).toEqual([role, row[role] === 'none']);
      }
    },
  },
  {
    name: 'lets a token with the scope "read" only read',
    appliesTo: inRoleTable,
    run: async (id, route) => {
      const answer = await apis.api.call(id, blankCall(route, { token: apis.api.own.admin.readToken }));
      const isRead = route.method === 'get';
      expect(answer.body?.code === 'insufficient_scope').toBe(!isRead);
      if (!isRead) expect(answer.headers['www-authenticate']).toMatch(/error="insufficient_scope"/);
      else expect(answer.headers).not.toHaveProperty('www-authenticate');
    },
  },
];

const organizationChecks: readonly Check[] = [
  ...['foreign', 'unknown'].map((kind) => ({
    name: `does not tell a ${kind} organization from one that does not exist`,
    appliesTo: orgScoped,
    run: async (id: OperationId, route: Route) => {
      const orgId = kind === 'foreign' ? apis.api.foreign.orgId : randomUUID();
      const answer = await apis.api.call(
        id,
        blankCall(route, { path: { ...unknownObjects(route), org_id: orgId } }),
      );
      expect(answer).toMatchObject(problem(403, 'organization_forbidden'));
      expect(answer.body.detail).not.toContain(orgId);
    },
  })),
  {
    name: 'names a malformed organization id',
    appliesTo: orgScoped,
    run: async (id, route) => {
      const answer = await apis.api.call(
        id,
        blankCall(route, { path: { ...unknownObjects(route), org_id: 'acme' } }),
      );
      expect(answer).toMatchObject(problem(422, 'validation_failed'));
      expect(answer.body.errors).toContainEqual({
        parameter: 'org_id',
        in: 'path',
        code: 'format',
        detail: 'Must be a UUID.',
      });
    },
  },
];

const requestChecks: readonly Check[] = [
  {
    name: 'refuses to answer in anything but JSON',
    appliesTo: plain,
    run: async (id, route) => {
      const answer = await apis.api.call(id, blankCall(route, { headers: { accept: 'text/html' } }));
      expect(answer).toMatchObject(problem(406, 'not_acceptable'));
    },
  },
  {
    name: 'names an unknown query parameter',
    appliesTo: plain.filter((route) => !withObject.includes(route)),
    run: async (id, route) => {
      const answer = await apis.api.call(id, blankCall(route, { query: { nonsense: 'x' } }));
      expect(answer).toMatchObject(problem(422, 'validation_failed'));
      expect(answer.body.errors).toContainEqual(
        expect.objectContaining({ parameter: 'nonsense', in: 'query', code: 'unknown_property' }),
      );
    },
  },
  {
    name: 'answers 404 for an object that does not exist, before it validates query and body',
    appliesTo: withObject,
    run: async (id, route) => {
      const answer = await apis.api.call(id, blankCall(route, { query: { nonsense: 'x' } }));
      expect(answer).toMatchObject(problem(404, 'not_found'));
    },
  },
  {
    name: 'names a malformed id in the path',
    // The partner's own identifier of a user may be any text.
    appliesTo: withObject.filter((route) => objectNames(route)[0] !== 'external_user_id'),
    run: async (id, route) => {
      const [name = ''] = objectNames(route);
      const answer = await apis.api.call(
        id,
        blankCall(route, { path: { ...unknownObjects(route), [name]: '12' } }),
      );
      expect(answer).toMatchObject(problem(422, 'validation_failed'));
      expect(answer.body.errors).toContainEqual(
        expect.objectContaining({ parameter: name, in: 'path', code: 'format' }),
      );
    },
  },
];

const bodyChecks: readonly Check[] = [
  {
    name: 'refuses malformed JSON',
    appliesTo: withBody,
    run: async (id, route) => {
      const answer = await apis.api.call(id, blankCall(route, { raw: '{"a": ' }));
      expect(answer).toMatchObject(problem(400, 'malformed_json'));
    },
  },
  {
    name: 'refuses bytes that are not UTF-8',
    appliesTo: withBody,
    run: async (id, route) => {
      const answer = await apis.api.call(id, blankCall(route, { raw: Buffer.from([0x22, 0xff, 0x22]) }));
      expect(answer).toMatchObject(problem(400, 'malformed_json'));
    },
  },
  {
    name: 'refuses a body that is compressed',
    appliesTo: withBody,
    run: async (id, route) => {
      const answer = await apis.api.call(
        id,
        blankCall(route, { body: {}, headers: { 'content-encoding': 'gzip' } }),
      );
      expect(answer).toMatchObject(problem(415, 'unsupported_media_type'));
    },
  },
  {
    name: 'refuses a body above its limit',
    appliesTo: withBody,
    run: async (id, route) => {
      const raw = Buffer.alloc((route.body?.maxBytes ?? 0) + 1, ' ');
      const answer = await apis.api.call(id, blankCall(route, { raw }));
      expect(answer).toMatchObject(problem(413, 'payload_too_large'));
    },
  },
  ...['text/plain', 'application/json; charset=latin1', 'application/x-www-form-urlencoded'].map((type) => ({
    name: `refuses a body of type ${type}`,
    appliesTo: withBody.filter((route) => route.body?.isBare === false),
    run: async (id: OperationId, route: Route) => {
      const answer = await apis.api.call(
        id,
        blankCall(route, { body: {}, headers: { 'content-type': type } }),
      );
      expect(answer).toMatchObject(problem(415, 'unsupported_media_type'));
    },
  })),
];

/** A body with which requestSignup gets as far as the database. */
const signup = { email: 'a@example.com', url: 'https://example.com', invite_token: randomUUID() };
const callToDatabase = (id: OperationId, route: Route): Call =>
  blankCall(route, id === 'requestSignup' ? { body: signup } : {});

const failureChecks: readonly Check[] = [
  {
    name: 'answers 429 when the quota is used up',
    appliesTo: plain,
    run: async (id, route) => {
      const answer = await apis.withoutQuota.call(id, blankCall(route));
      expect(answer).toMatchObject(problem(429, 'quota_exceeded'));
      expect(answer.body.type).toBe('https://iana.org/assignments/http-problem-types#quota-exceeded');
      expect(answer.headers).toMatchObject({
        'retry-after': expect.stringMatching(/^\d+$/),
        'ratelimit-policy': expect.stringContaining('"default";q=1;w=60'),
        ratelimit: expect.stringContaining('"default";r=0;t='),
      });
    },
  },
  {
    name: 'answers 500 and tells nothing when a table is missing',
    appliesTo: withDatabase,
    run: async (id, route) => {
      const answer = await apis.withoutTables.call(id, callToDatabase(id, route));
      expect(answer).toMatchObject(problem(500, 'internal_error'));
      expect(answer.text).not.toMatch(/access_tokens|signup_requests|relation/);
    },
  },
  {
    name: 'answers 503 and when to come again while the database is away',
    appliesTo: withDatabase,
    run: async (id, route) => {
      const answer = await apis.withoutDatabase.call(id, callToDatabase(id, route));
      expect(answer).toMatchObject(problem(503, 'database_unavailable'));
      expect(answer.headers['retry-after']).toMatch(/^\d+$/);
    },
  },
];

const unknownClient = { grant_type: 'client_credentials', client_id: 'x', client_secret: 'y', token: 'z' };

const oauthChecks: readonly Check[] = [
  {
    name: 'counts the quota by client',
    appliesTo: oauth,
    run: async (id) => {
      const body = { grant_type: 'client_credentials', client_id: id, client_secret: 'x' };
      expect((await apis.withoutQuota.call(id, { body })).status).not.toBe(429);
      const answer = await apis.withoutQuota.call(id, { body });
      expect(answer).toMatchObject({ status: 429, body: { error: 'temporarily_unavailable' } });
    },
  },
  {
    name: 'answers in the form of RFC 6749 when a table is missing',
    appliesTo: oauth,
    run: async (id) => {
      const answer = await apis.withoutTables.call(id, { body: unknownClient });
      expect(answer).toMatchObject({ status: 500, body: { error: 'server_error' } });
    },
  },
  {
    name: 'answers in the form of RFC 6749 while the database is away',
    appliesTo: oauth,
    run: async (id) => {
      const answer = await apis.withoutDatabase.call(id, { body: unknownClient });
      expect(answer).toMatchObject({ status: 503, body: { error: 'temporarily_unavailable' } });
    },
  },
  {
    name: 'refuses a body that it cannot read',
    appliesTo: oauth,
    run: async (id) => {
      const malformed = await apis.api.call(id, { raw: '{' });
      expect(malformed).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
      const plainText = await apis.api.call(id, { raw: '{}', headers: { 'content-type': 'text/plain' } });
      expect(plainText).toMatchObject({ status: 415 });
      expect(await apis.api.call(id, { raw: Buffer.alloc(2_000_000, ' ') })).toMatchObject({ status: 413 });
    },
  },
];

export const checks: readonly Check[] = [
  ...tokenChecks,
  ...organizationChecks,
  ...boundChecks,
  ...requestChecks,
  ...bodyChecks,
  ...failureChecks,
  ...oauthChecks,
];
