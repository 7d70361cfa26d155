import { describe, expect, test } from 'vitest';
import { accountVerifier } from '../support/verifier.ts';
import { sha256Digest } from '../../src/domain/security/credentials.ts';
import { findPresentedCredentials } from '../../src/oauth/client-credentials.ts';
import { createTokenEndpoint } from '../../src/oauth/token-endpoint.ts';
import { testDatabase } from '../support/database.ts';
import { expectRefusal, expectToken } from './expectations.ts';
import { deleteApplication } from '../../src/queries/accounts/applications.ts';
import { addClient, basic, softDelete, START } from './fixture.ts';
import { grant, tokenFixture } from './token-fixture.ts';

const fixture = tokenFixture();
const { authorization, secretPost } = fixture;

describe('client authentication', () => {
  test('Basic gets a token, of which only the digest is stored', async () => {
    const token = expectToken(await fixture.endpoint.issue({ authorization: authorization(), body: grant }));
    const rows = await fixture.database.db
      .selectFrom('access_tokens')
      .select(['org_id', 'user_id', 'application_id', 'scope', 'created_at', 'expires_at'])
      .where('token_hash', '=', sha256Digest(token))
      .execute();
    expect(rows).toEqual([
      {
        org_id: fixture.client.orgId,
        user_id: fixture.client.ownerId,
        application_id: fixture.client.applicationId,
        scope: 'read write',
        created_at: START,
        expires_at: new Date(START.getTime() + 36_000_000),
      },
    ]);
  });

  test('id and secret in the body get a token', async () => {
    expectToken(
      await fixture.endpoint.issue({ authorization: undefined, body: { ...grant, ...secretPost() } }),
    );
  });

  test.each(['basic', 'BASIC', 'bAsIc', 'Basic '])('the scheme may be written %p', async (scheme) => {
    expectToken(
      await fixture.endpoint.issue({
        authorization: basic(fixture.client.clientId, fixture.client.clientSecret, scheme),
        body: grant,
      }),
    );
  });

  test('both ways at once are invalid_request', async () => {
    const body = { ...grant, ...secretPost() };
    expectRefusal(await fixture.endpoint.issue({ authorization: authorization(), body }), 'invalid_request');
  });

  test('the same client_id beside Basic is no second way, another one is invalid_request', async () => {
    const body = { ...grant, client_id: fixture.client.clientId };
    expectToken(await fixture.endpoint.issue({ authorization: authorization(), body }));
    expectRefusal(
      await fixture.endpoint.issue({
        authorization: authorization(),
        body: { ...grant, client_id: 'other' },
      }),
      'invalid_request',
    );
  });

  test('Basic is form-decoded: percent signs, colons, plus signs and spaces arrive', async () => {
    const odd = { clientId: 'a:b c', clientSecret: 'p+q%r&s/t="~' };
    await addClient(fixture.database.db, odd);
    const encode = (text: string): string => new URLSearchParams({ x: text }).toString().slice(2);
    const header = basic(encode(odd.clientId), encode(odd.clientSecret));
    expect(header).not.toBe(basic(odd.clientId, odd.clientSecret));
    expectToken(await fixture.endpoint.issue({ authorization: header, body: grant }));
    expectRefusal(
      await fixture.endpoint.issue({ authorization: basic(odd.clientId, odd.clientSecret), body: grant }),
      'invalid_client',
    );
  });

  test.each([
    ['nothing at all', undefined],
    ['an empty header', ''],
    ['the scheme alone', 'Basic'],
    ['no base64', 'Basic ???'],
    ['no colon', `Basic ${Buffer.from('abc').toString('base64')}`],
    ['a broken percent escape', basic('abc', '%zz')],
    ['a NUL', basic('a%00b', 'c')],
    ['an empty secret', basic('abc', '')],
    ['another scheme', 'Bearer abc'],
    ['an unknown client', basic('unknown', 'secret')],
  ])('%s is invalid_client', async (_, header) => {
    expectRefusal(await fixture.endpoint.issue({ authorization: header, body: grant }), 'invalid_client');
    expectRefusal(
      await fixture.endpoint.revoke({ authorization: header, body: { token: 'x' } }),
      'invalid_client',
    );
  });

  test('a wrong secret and an unknown client get the same answer', async () => {
    const wrong = await fixture.endpoint.issue({
      authorization: basic(fixture.client.clientId, 'wrong'),
      body: grant,
    });
    const unknown = await fixture.endpoint.issue({ authorization: basic('unknown', 'wrong'), body: grant });
    expectRefusal(wrong, 'invalid_client');
    expect(unknown).toEqual(wrong);
  });

  test('the stored digest is not accepted as the secret, in any spelling', async () => {
    const hash = sha256Digest(fixture.client.clientSecret);
    for (const text of [hash.toString('hex'), hash.toString('base64'), `\\x${hash.toString('hex')}`]) {
      const body = { ...grant, client_id: fixture.client.clientId, client_secret: text };
      expectRefusal(await fixture.endpoint.issue({ authorization: undefined, body }), 'invalid_client');
    }
  });

  test('a deleted owner or application is an unknown client', async () => {
    const [orphan, gone] = [await addClient(fixture.database.db), await addClient(fixture.database.db)];
    await softDelete(fixture.database.db, orphan.ownerId);
    expect(await deleteApplication(fixture.database.db, gone.orgId, gone.applicationId)).toBe(true);
    for (const { clientId, clientSecret } of [orphan, gone]) {
      const header = basic(clientId, clientSecret);
      expectRefusal(await fixture.endpoint.issue({ authorization: header, body: grant }), 'invalid_client');
    }
  });

  test('the client id that a request names is told for its rate limit', () => {
    expect(findPresentedCredentials({ authorization: authorization(), body: grant })?.clientId).toBe(
      fixture.client.clientId,
    );
    expect(findPresentedCredentials({ authorization: undefined, body: secretPost() })?.clientId).toBe(
      fixture.client.clientId,
    );
    expect(findPresentedCredentials({ authorization: 'Basic ?', body: grant })).toBeUndefined();
    expect(findPresentedCredentials({ authorization: authorization(), body: [] })).toBeUndefined();
  });
});

describe('the request', () => {
  test.each([
    ['an array', ['grant_type']],
    ['text', 'grant_type=client_credentials'],
    ['null', null],
    ['a number in it', { ...grant, scope: 1 }],
    ['a repeated parameter', { grant_type: ['client_credentials', 'password'] }],
    ['null in it', { ...grant, scope: null }],
    ['no grant_type', {}],
    ['an empty grant_type', { grant_type: '' }],
    ['no body', undefined],
  ])('%s is invalid_request', async (_, body) => {
    expectRefusal(await fixture.endpoint.issue({ authorization: authorization(), body }), 'invalid_request');
  });

  test('unknown and empty parameters are ignored', async () => {
    const body = { ...grant, scope: '', audience: 'x', __proto__: { scope: 'write' } };
    expectToken(await fixture.endpoint.issue({ authorization: authorization(), body }));
  });

  test.each([
    'refresh_token',
    'authorization_code',
    'implicit',
    'constructor',
    'urn:ietf:params:oauth:grant-type:device_code',
  ])('the grant %s is unsupported_grant_type', async (grant_type) => {
    const body = { grant_type, refresh_token: 'x', code: 'x', code_verifier: 'x' };
    expectRefusal(
      await fixture.endpoint.issue({ authorization: authorization(), body }),
      'unsupported_grant_type',
    );
  });

  test('a code verifier does not stand in for the secret', async () => {
    const body = { grant_type: 'authorization_code', client_id: fixture.client.clientId, code_verifier: 'x' };
    expectRefusal(await fixture.endpoint.issue({ authorization: undefined, body }), 'invalid_client');
  });

  test.each([
    ['read', 'read'],
    ['read write', 'read write'],
    ['write read', 'read write'],
  ])('the scope %p is granted as %p', async (scope, granted) => {
    expectToken(
      await fixture.endpoint.issue({ authorization: authorization(), body: { ...grant, scope } }),
      granted,
    );
  });

  test.each(['write', 'admin', 'read write admin', 'READ', '"', ' '])(
    'the scope %p is invalid_scope',
    async (scope) => {
      const answer = await fixture.endpoint.issue({
        authorization: authorization(),
        body: { ...grant, scope },
      });
      expectRefusal(answer, 'invalid_scope');
    },
  );
});

test('a database that is away is no fault of the client: the error is thrown as it came', async () => {
  const closed = await testDatabase();
  const away = createTokenEndpoint({
    db: closed.db,
    settings: { accessTokenSeconds: 36_000 },
    clock: () => START,
    verifyAccount: accountVerifier(closed.db),
  });
  await closed.close();
  await expect(away.issue({ authorization: authorization(), body: grant })).rejects.toThrow(
    'Cannot use a pool after calling end',
  );
});
