// A fresh service for the document's examples: the partner, the clients and the admin are those that the examples name, and it is
// the instant at which they are sent.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { newClientId, newClientSecret, sha256Digest } from '../../src/domain/security/credentials.ts';
import { insertApplication } from '../../src/queries/accounts/applications.ts';
import { insertOrganization } from '../../src/queries/accounts/organizations.ts';
import { Dispatcher } from '../../src/webhooks/dispatcher.ts';
import { WebhookClient } from '../../src/webhooks/webhook-client.ts';
import type { SendResult } from '../../src/webhooks/webhook-client.ts';
import type { OpenApiDocument, Parameter } from '../../tools/generate/document.ts';
import { listExampleRequests } from '../../tools/generate/example-requests.ts';
import { fleetApi } from '../fleets/fleet-api.ts';
import type { FleetApi } from '../fleets/fleet-api.ts';
import { hashCheaply } from '../support/password-hashes.ts';
import { givePassword, insertNamedUser } from '../support/usernames.ts';
import { recordReports } from '../support/webhook-fixture.ts';

export interface Client {
  readonly id: string;
  readonly secret: string;
}

export interface ExampleWorld {
  readonly fleets: FleetApi;
  readonly orgId: string;
  /** By the grant that it is registered for. */
  readonly clients: Readonly<Record<'client_credentials' | 'password', Client>>;
  /** Lets the fleet runner and the dispatcher do all that is due. */
  settle(): Promise<void>;
}

export const EXAMPLE_DOCUMENT = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../generated/openapi.json'), 'utf8'),
) as OpenApiDocument & { readonly 'x-example-at': string };

export const EXAMPLE_REQUESTS = listExampleRequests(EXAMPLE_DOCUMENT);

/** For a test file: the service, with a fleet runner and a dispatcher that work when they are told to. */
export function exampleWorld(): ExampleWorld {
  const fleets = fleetApi({ now: new Date(EXAMPLE_DOCUMENT['x-example-at']) });
  const { client_id: id, client_secret: secret } = bodyOf('issueToken.clientCredentialsInBody');
  const orgId = String((EXAMPLE_DOCUMENT.components['parameters']?.['OrgId'] as Parameter).example);
  const clients = {
    client_credentials: { id: String(id), secret: String(secret) },
    password: { id: newClientId(), secret: newClientSecret() },
  };
  const { errors, metrics } = recordReports();
  let dispatcher: Dispatcher;
  beforeAll(async () => {
    await foundPartner(fleets, orgId, clients);
    const { db, clock, services } = fleets.api;
    dispatcher = new Dispatcher({
      db,
      client: new AcceptingEndpoints(),
      keyring: services.keyring,
      now: clock.now,
      random: () => 0.5,
      metrics,
      onError: (error) => errors.push(error),
    });
  });
  afterAll(() => expect(errors).toEqual([]));
  return {
    fleets,
    orgId,
    clients,
    settle: async () => {
      await fleets.runner.processAll();
      await dispatcher.processAll();
    },
  };
}

/** Endpoints that take every message. */
class AcceptingEndpoints extends WebhookClient {
  constructor() {
    super({ lookup: () => Promise.resolve([]) });
  }

  override send(): Promise<SendResult> {
    const outcome = { kind: 'delivered', status: 204 } as const;
    return Promise.resolve({ outcome, durationMs: 38, address: '203.0.113.17', phases: {} });
  }
}

async function foundPartner(
  { api: { db, clock } }: FleetApi,
  orgId: string,
  clients: ExampleWorld['clients'],
): Promise<void> {
  const now = clock.now();
  const adminId = randomUUID();
  const { username, password } = bodyOf('issueToken.password');
  const email = String(username);
  await insertOrganization(db, {
    id: orgId,
    name: 'Example',
    kind: 'partner',
    parentOrgId: null,
    createdAt: now,
  });
  await insertNamedUser(db, {
    org_id: orgId,
    id: adminId,
    email,
    username: email,
    role: 'admin',
    created_at: now,
    updated_at: now,
  });
  await givePassword(db, { orgId, userId: adminId }, hashCheaply(String(password)));
  for (const [grantType, { id, secret }] of [
    ['client-credentials', clients.client_credentials],
    ['password', clients.password],
  ] as const) {
    const application = { orgId, ownerUserId: adminId, name: grantType, clientId: id, grantType };
    await insertApplication(db, { ...application, secretHash: sha256Digest(secret) }, now);
  }
}

function bodyOf(name: string): Readonly<Record<string, unknown>> {
  const request = EXAMPLE_REQUESTS.find((each) => each.name === name);
  if (request?.body === undefined) throw new Error(`The document has no example ${name}.`);
  return request.body.value as Readonly<Record<string, unknown>>;
}
