import { afterAll, beforeAll } from 'vitest';
import { accountVerifier } from '../support/verifier.ts';
import { createTokenEndpoint } from '../../src/oauth/token-endpoint.ts';
import type { TokenEndpoint } from '../../src/oauth/token-endpoint.ts';
import { testDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { addClient, basic, START } from './fixture.ts';
import type { TestClient } from './fixture.ts';

export const grant = { grant_type: 'client_credentials' };

/** The test file's token endpoint, at `start`, with a database and one client. */
export interface TokenFixture {
  database: TestDatabase;
  client: TestClient;
  endpoint: TokenEndpoint;
  /** The client's credentials as a header. */
  readonly authorization: () => string;
  /** The same as members of a body. */
  readonly secretPost: () => Record<string, string>;
}

export function tokenFixture(): TokenFixture {
  const set = {
    authorization: (): string => basic(set.client.clientId, set.client.clientSecret),
    secretPost: (): Record<string, string> => ({
      client_id: set.client.clientId,
      client_secret: set.client.clientSecret,
    }),
  } as TokenFixture;
  beforeAll(async () => {
    set.database = await testDatabase();
    set.client = await addClient(set.database.db);
    set.endpoint = createTokenEndpoint({
      db: set.database.db,
      settings: { accessTokenSeconds: 36_000 },
      clock: () => START,
      verifyAccount: accountVerifier(set.database.db),
    });
  });
  afterAll(() => set.database.close());
  return set;
}
