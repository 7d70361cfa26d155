import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routes } from '../../generated/routes.ts';
import type { OperationId, Route, SecuredOperationId } from '../../generated/routes.ts';
import { defaultRateLimits } from '../../src/config/rate-limits.ts';
import { roleTable } from '../../src/domain/users/roles.ts';
import { startApi } from '../support/api.ts';
import type { Api } from '../support/api.ts';
import type { Call } from '../support/api-client.ts';

// What every operation answers alike, once for each operation that the document has.

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const names = (list: readonly Route[]): OperationId[] => list.map((route) => route.operationId);
const oauthIds: readonly OperationId[] = ['issueToken', 'issueTokenAtRoot', 'revokeToken'];
const plain = routes.filter((route) => !oauthIds.includes(route.operationId));
const secured = routes.filter((route) => route.secured);
const withBody = plain.filter((route) => route.body !== null);
const objectPath = (route: Route): string[] =>
  [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '').filter((name) => name !== 'org_id');

/** Path values that name nothing; the organization is ours. */
function nowhere(id: OperationId): Record<string, string> {
  const route = routes.find((each) => each.operationId === id);
  return Object.fromEntries(route === undefined ? [] : objectPath(route).map((name) => [name, randomUUID()]));
}

/** A call that gets as far as it can without naming a real object. */
function blank(id: OperationId, call: Call = {}): Call {
  const hasBody = routes.find((route) => route.operationId === id)?.body?.required === true;
  return { path: nowhere(id), ...(hasBody ? { body: {} } : {}), ...call };
}

function problem(status: number, code: string): object {
  return {
    status,
    body: {
      status,
      code,
      title: expect.any(String),
      detail: expect.any(String),
      request_id: expect.any(String),
    },
  };
}

describe.each(names(secured))('%s', (id) => {
  test('asks for a token, without an error code when none was sent', async () => {
    const answer = await api.call(id, blank(id, { token: null }));
    expect(answer).toMatchObject(problem(401, 'unauthenticated'));
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="partners"');
  });

  test('refuses an unknown token', async () => {
    const answer = await api.call(id, blank(id, { token: 'pat_unknown' }));
    expect(answer).toMatchObject(problem(401, 'invalid_token'));
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer realm="partners", error="invalid_token"/);
  });
});

describe.each(names(secured.filter((route) => route.orgScoped)))('%s', (id) => {
  test.each(['foreign', 'unknown'])(
    'does not tell a %s organization from one that does not exist',
    async (kind) => {
      const orgId = kind === 'foreign' ? api.foreign.orgId : randomUUID();
      const answer = await api.call(id, blank(id, { path: { ...nowhere(id), org_id: orgId } }));
      expect(answer).toMatchObject(problem(403, 'organization_forbidden'));
      expect(answer.body.detail).not.toContain(orgId);
    },
  );

  test('names a malformed organization id', async () => {
    const answer = await api.call(id, blank(id, { path: { ...nowhere(id), org_id: 'acme' } }));
    expect(answer).toMatchObject(problem(422, 'validation_failed'));
    expect(answer.body.errors).toContainEqual({
      parameter: 'org_id',
      in: 'path',
      code: 'format',
      detail: 'Must be a UUID.',
    });
  });
});

describe.each(Object.entries(roleTable) as [SecuredOperationId, Record<string, string>][])(
  '%s',
  (id, row) => {
    const refused = (['admin', 'staff', 'user'] as const).filter((role) => row[role] === 'none');
    test('follows its row in the role table', async () => {
      for (const role of ['admin', 'staff', 'user'] as const) {
        const answer = await api.call(id, blank(id, { token: api.own[role].token }));
        expect([role, answer.body?.code === 'role_forbidden']).toEqual([role, refused.includes(role)]);
      }
    });

    test('lets a token with the scope "read" only read', async () => {
      const answer = await api.call(id, blank(id, { token: api.own.admin.readToken }));
      const isRead = routes.some((route) => route.operationId === id && route.method === 'get');
      expect(answer.body?.code === 'insufficient_scope').toBe(!isRead);
      if (!isRead) expect(answer.headers['www-authenticate']).toMatch(/error="insufficient_scope"/);
    });
  },
);

describe.each(names(plain))('%s', (id) => {
  test('refuses to answer in anything but JSON', async () => {
    const answer = await api.call(id, blank(id, { headers: { accept: 'text/html' } }));
    expect(answer).toMatchObject(problem(406, 'not_acceptable'));
  });
});

describe.each(names(plain.filter((route) => objectPath(route).length === 0)))('%s', (id) => {
  test('names an unknown query parameter', async () => {
    const answer = await api.call(id, blank(id, { query: { nonsense: 'x' } }));
    expect(answer).toMatchObject(problem(422, 'validation_failed'));
    expect(answer.body.errors).toContainEqual(
      expect.objectContaining({ parameter: 'nonsense', in: 'query', code: 'unknown_property' }),
    );
  });
});

describe.each(names(plain.filter((route) => objectPath(route).length > 0)))('%s', (id) => {
  test('answers 404 for an object that is not there, before it judges query and body', async () => {
    const answer = await api.call(id, blank(id, { query: { nonsense: 'x' } }));
    expect(answer).toMatchObject(problem(404, 'not_found'));
  });
});

// The partner's own identifier of a user may be any text.
describe.each(
  names(plain.filter((route) => ![undefined, 'external_user_id'].includes(objectPath(route)[0]))),
)('%s', (id) => {
  test('names a malformed id in the path', async () => {
    const [name = ''] = objectPath(routes.find((route) => route.operationId === id) as Route);
    const answer = await api.call(id, blank(id, { path: { ...nowhere(id), [name]: '12' } }));
    expect(answer).toMatchObject(problem(422, 'validation_failed'));
    expect(answer.body.errors).toContainEqual(
      expect.objectContaining({ parameter: name, in: 'path', code: 'format' }),
    );
  });
});

describe.each(names(withBody))('%s', (id) => {
  const limit = routes.find((route) => route.operationId === id)?.body?.maxBytes ?? 0;

  test('refuses malformed JSON', async () => {
    const answer = await api.call(id, blank(id, { raw: '{"a": ' }));
    expect(answer).toMatchObject(problem(400, 'malformed_json'));
  });

  test('refuses bytes that are not UTF-8', async () => {
    const answer = await api.call(id, blank(id, { raw: Buffer.from([0x22, 0xff, 0x22]) }));
    expect(answer).toMatchObject(problem(400, 'malformed_json'));
  });

  test('refuses a body above its limit', async () => {
    const answer = await api.call(id, blank(id, { raw: Buffer.alloc(limit + 1, ' ') }));
    expect(answer).toMatchObject(problem(413, 'payload_too_large'));
  });
});

describe.each(names(withBody.filter((route) => route.body?.isBare === false)))('%s', (id) => {
  test.each(['text/plain', 'application/json; charset=latin1', 'application/x-www-form-urlencoded'])(
    'refuses a body of type %s',
    async (type) => {
      const answer = await api.call(id, blank(id, { body: {}, headers: { 'content-type': type } }));
      expect(answer).toMatchObject(problem(415, 'unsupported_media_type'));
    },
  );
});

describe('with a quota of one request', () => {
  let narrow: Api;
  beforeAll(async () => {
    const one = { quota: 1, windowSeconds: 60 };
    narrow = await startApi({ rateLimits: { ...defaultRateLimits, default: one, token: one } });
    await narrow.call('listUsers');
    await narrow.call('requestSignup', { body: {} });
  });
  afterAll(() => narrow.close());

  test.each(names(plain))('%s answers the second one with 429', async (id) => {
    const answer = await narrow.call(id, blank(id));
    expect(answer).toMatchObject(problem(429, 'quota_exceeded'));
    expect(answer.body.type).toBe('https://iana.org/assignments/http-problem-types#quota-exceeded');
    expect(answer.headers).toMatchObject({
      'retry-after': expect.stringMatching(/^\d+$/),
      'ratelimit-policy': expect.stringContaining('"default";q=1;w=60'),
      ratelimit: expect.stringContaining('"default";r=0;t='),
    });
  });

  test.each(oauthIds)('%s counts by client', async (id) => {
    const body = { grant_type: 'client_credentials', client_id: id, client_secret: 'x' };
    expect((await narrow.call(id, { body })).status).not.toBe(429);
    const answer = await narrow.call(id, { body });
    expect(answer).toMatchObject({ status: 429, body: { error: 'temporarily_unavailable' } });
  });
});

describe('with a table missing', () => {
  let broken: Api;
  beforeAll(async () => {
    broken = await startApi();
    for (const table of ['access_tokens', 'signup_requests', 'applications']) {
      await broken.db.schema.dropTable(table).cascade().execute();
    }
  });
  afterAll(() => broken.close());

  const answering = plain.filter((route) => route.operationId !== 'getAuthorizationServerMetadata');
  test.each(names(answering))('%s answers 500 and tells nothing', async (id) => {
    const body = { email: 'a@example.com', url: 'https://example.com', invite_token: randomUUID() };
    const answer = await broken.call(id, blank(id, id === 'requestSignup' ? { body } : {}));
    expect(answer).toMatchObject(problem(500, 'internal_error'));
    expect(answer.text).not.toMatch(/access_tokens|signup_requests|relation/);
  });

  test.each(oauthIds)('%s answers in the form of RFC 6749', async (id) => {
    const body = { grant_type: 'client_credentials', client_id: 'x', client_secret: 'y', token: 'z' };
    expect(await broken.call(id, { body })).toMatchObject({ status: 500, body: { error: 'server_error' } });
  });
});

describe('with the database away', () => {
  let cut: Api;
  beforeAll(async () => {
    cut = await startApi({ isDatabaseAway: true });
  });
  afterAll(() => cut.close());

  const answering = plain.filter((route) => route.operationId !== 'getAuthorizationServerMetadata');
  test.each(names(answering))('%s answers 503 and when to come again', async (id) => {
    const body = { email: 'a@example.com', url: 'https://example.com', invite_token: randomUUID() };
    const answer = await cut.call(id, blank(id, id === 'requestSignup' ? { body } : {}));
    expect(answer).toMatchObject(problem(503, 'service_unavailable'));
    expect(answer.headers['retry-after']).toMatch(/^\d+$/);
  });

  test.each(oauthIds)('%s answers in the form of RFC 6749', async (id) => {
    const body = { grant_type: 'client_credentials', client_id: 'x', client_secret: 'y', token: 'z' };
    expect(await cut.call(id, { body })).toMatchObject({
      status: 503,
      body: { error: 'temporarily_unavailable' },
    });
  });
});

describe.each(oauthIds)('%s', (id) => {
  test('refuses what it cannot read', async () => {
    expect(await api.call(id, { raw: '{' })).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    });
    expect(await api.call(id, { raw: '{}', headers: { 'content-type': 'text/plain' } })).toMatchObject({
      status: 415,
    });
    expect(await api.call(id, { raw: Buffer.alloc(2_000_000, ' ') })).toMatchObject({ status: 413 });
  });
});
