// Tokens that are issued at once: they are stored in batches, and each caller has its own answer.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { sha256Digest } from '../../src/domain/security/credentials.ts';
import type { OAuthReply } from '../../src/oauth/exchange.ts';
import { replaceSecrets } from '../../src/queries/accounts/application-secrets.ts';
import { deleteApplication } from '../../src/queries/accounts/applications.ts';
import { runInRequestScope } from '../../src/queries/connection/request-scope.ts';
import { countStatements } from '../support/statement-count.ts';
import { expectRefusal, expectToken } from './expectations.ts';
import { addClient, basic, START } from './fixture.ts';
import type { TestClient } from './fixture.ts';
import { grant, tokenFixture } from './token-fixture.ts';
import { lockWaits } from '../support/lock-waits.ts';

const fixture = tokenFixture();

/** A request of its own. */
const issue = (
  { clientId, clientSecret }: Pick<TestClient, 'clientId' | 'clientSecret'>,
  parameters: Readonly<Record<string, string>> = {},
): Promise<OAuthReply> =>
  runInRequestScope(
    () => false,
    () =>
      fixture.endpoint.issue({
        authorization: basic(clientId, clientSecret),
        body: { ...grant, ...parameters },
      }),
  );

const many = <Value>(length: number, make: (index: number) => Value): Value[] =>
  Array.from({ length }, (_, index) => make(index));

const countTokens = async ({ applicationId }: TestClient): Promise<number> => {
  const { db } = fixture.database;
  const rows = await db
    .selectFrom('access_tokens')
    .select('token_hash')
    .where('application_id', '=', applicationId)
    .execute();
  return rows.length;
};

const countWaiting = async (): Promise<number> => {
  const { rows } = await sql`select from ${sql.raw(lockWaits())}`.execute(fixture.database.db);
  return rows.length;
};

test('fifty read their client once, and their tokens are stored by one statement, each as it was asked for', async () => {
  const client = await addClient(fixture.database.db);
  const scopes = ['read', 'read write'];
  const { started } = countStatements(fixture.database.pool);
  const answers = await Promise.all(many(50, (i) => issue(client, { scope: scopes[i % 2] ?? '' })));
  expect(started()).toBe(2);
  const tokens = answers.map((answer, i) => expectToken(answer, scopes[i % 2]));
  const rows = await fixture.database.db
    .selectFrom('access_tokens')
    .select(['token_hash', 'org_id', 'user_id', 'grant_type', 'scope', 'created_at', 'expires_at'])
    .where('application_id', '=', client.applicationId)
    .execute();
  const stored = new Map(rows.map(({ token_hash: digest, ...row }) => [digest.toString('hex'), row]));
  expect(rows).toHaveLength(50);
  for (const [i, token] of tokens.entries()) {
    expect(stored.get(sha256Digest(token).toString('hex'))).toEqual({
      org_id: client.orgId,
      user_id: client.ownerId,
      grant_type: 'client-credentials',
      scope: scopes[i % 2],
      created_at: START,
      expires_at: new Date(START.getTime() + 36_000_000),
    });
  }
});

test('those who are refused among fifty are told why, and the others get their tokens', async () => {
  const client = await addClient(fixture.database.db);
  const wrong = { ...client, clientSecret: 'wrong' };
  const answers = await Promise.all(
    many(50, (i) => (i % 5 === 1 ? issue(wrong) : issue(client, i % 5 === 2 ? { scope: 'admin' } : {}))),
  );
  for (const [i, answer] of answers.entries()) {
    if (i % 5 === 1) expectRefusal(answer, 'invalid_client');
    else if (i % 5 === 2) expectRefusal(answer, 'invalid_scope');
    else expectToken(answer);
  }
  expect(await countTokens(client)).toBe(30);
});

test("nobody waits for the lock of another application, and the deletion of their own is each caller's error", async () => {
  const { db } = fixture.database;
  const locked = await addClient(db);
  const neighbour = await addClient(db, { orgId: locked.orgId });
  const stranger = await addClient(db);
  const { waiting } = await db.transaction().execute(async (tx) => {
    await sql`select from applications where org_id = ${locked.orgId} and id = ${locked.applicationId} for update`.execute(
      tx,
    );
    const refused: Promise<OAuthReply>[] = [];
    // As many batches as may be under way.
    for (const waiting of [1, 2]) {
      refused.push(...many(12, () => issue(locked)));
      await expect.poll(countWaiting, { interval: 5 }).toBe(waiting);
    }
    const others = await Promise.all([neighbour, stranger].flatMap((client) => many(6, () => issue(client))));
    for (const answer of others) expectToken(answer);
    await deleteApplication(tx, locked.orgId, locked.applicationId);
    return { waiting: refused };
  });
  for (const answer of await Promise.all(waiting)) {
    expectRefusal(answer, 'invalid_client');
    expect(answer.body?.['error_description']).toBe('The application has just been deleted.');
  }
});

test('a new secret is right, and the old one wrong, for all who come after it', async () => {
  const { db } = fixture.database;
  const client = await addClient(db);
  const changed = { ...client, clientSecret: 'a new secret' };
  const { orgId, applicationId } = client;
  const early = many(3, () => issue(client));
  await replaceSecrets(db, { orgId, id: applicationId }, sha256Digest(changed.clientSecret), START);
  const answers = await Promise.all(many(20, (i) => issue(i % 2 === 0 ? changed : client)));
  for (const [i, answer] of answers.entries()) {
    if (i % 2 === 0) expectToken(answer);
    else expectRefusal(answer, 'invalid_client');
  }
  await Promise.all(early);
});
