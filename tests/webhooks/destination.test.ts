import { expect, test } from 'vitest';
import type { ResolvedAddress } from '../../src/webhooks/destination.ts';
import { createHostLookup } from '../../src/webhooks/name-lookup.ts';
import type { RefusedDestination } from '../../src/webhooks/refused-destinations.ts';
import { exchangeFixture, loopback, outcomeOf } from '../support/exchange-fixture.ts';
import { startNameServer } from '../support/name-server.ts';

const fixture = exchangeFixture();
const { client, post } = fixture;

test('a name without an address is unreachable', async () => {
  const lookup = async (): Promise<never> => {
    throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
  };
  expect(await outcomeOf(post(client({ lookup })))).toEqual({
    kind: 'unreachable',
    class: 'dns',
    reason: 'The name partner.example could not be resolved (ENOTFOUND).',
  });
  expect(await outcomeOf(post(client({ lookup: async () => [] })))).toMatchObject({ class: 'dns' });
});

test('a name with more than 32 addresses is not called, and none of them is looked at', async () => {
  const server = await startNameServer();
  try {
    const before = fixture.receiver.connections;
    const refused: RefusedDestination[] = [];
    const onRefusedAddress = (about: RefusedDestination) => refused.push(about);
    const lookup = createHostLookup({ servers: [server.address], hostsFile: '/dev/null' });
    const caller = client({ lookup, onRefusedAddress });
    const others = Array.from({ length: 16 }, (_, index) => `2001:db8::${index + 1}`);
    server.answer = () => [...Array<string>(17).fill('127.0.0.1'), ...others];
    expect(await outcomeOf(post(caller))).toEqual({
      kind: 'unreachable',
      class: 'dns',
      reason: 'The name partner.example has more than 32 addresses.',
    });
    expect([refused, fixture.receiver.connections - before]).toEqual([[], 0]);
    server.answer = (_name, family) => (family === 4 ? Array<string>(32).fill('127.0.0.1') : []);
    expect(await outcomeOf(post(caller))).toMatchObject({ kind: 'delivered' });
  } finally {
    await server.close();
  }
});

test('one forbidden address in an answer refuses the host; only the operator is told which', async () => {
  const before = fixture.receiver.connections;
  const lookup = async (): Promise<ResolvedAddress[]> => [loopback, { address: '10.0.0.1', family: 4 }];
  const refused: RefusedDestination[] = [];
  const onRefusedAddress = (about: RefusedDestination) => refused.push(about);
  expect(await outcomeOf(post(client({ lookup, onRefusedAddress })))).toEqual({
    kind: 'refused',
    reason: 'The address is not called: partner.example has an address that is not public.',
  });
  // Of the address that was to be called, /hook?a=b, only the host.
  expect(refused).toEqual([
    { webhookId: 'webhook', host: 'partner.example', reason: '10.0.0.1 is a private network.' },
  ]);
  expect(fixture.receiver.connections).toBe(before);
});

test.each(['127.0.0.1', 'localhost', '127.1', '[::ffff:127.0.0.1]'])(
  '%s is refused without an entry',
  async (host) => {
    const before = fixture.receiver.connections;
    const outcome = await outcomeOf(post(client({ allowedNetworks: [] }), fixture.receiver.url('/', host)));
    expect(outcome).toMatchObject({ kind: 'refused' });
    expect(fixture.receiver.connections).toBe(before);
  },
);

test('a name is checked anew for each exchange: one that moved inside is refused, though a connection is open', async () => {
  const answers: ResolvedAddress[][] = [[loopback], [{ address: '169.254.169.254', family: 4 }], [loopback]];
  const rebound = client({ lookup: async () => answers.shift() ?? [] });
  const before = fixture.receiver.connections;
  const kinds = [];
  for (let count = 0; count < 3; count += 1) kinds.push((await post(rebound)).outcome.kind);
  expect(kinds).toEqual(['delivered', 'refused', 'delivered']);
  expect(fixture.receiver.connections - before).toBe(1);
});

test('a connection is not reused for another answer of the name', async () => {
  const answers = [[loopback], [{ address: '127.0.0.2', family: 4 }]];
  const moved = client({ lookup: async () => answers.shift() ?? [] });
  expect((await post(moved)).address).toBe('127.0.0.1');
  expect(await outcomeOf(post(moved))).toMatchObject({ kind: 'unreachable', class: 'connect' });
});

test('an address that does not answer is passed over for the next', async () => {
  const lookup = async (): Promise<ResolvedAddress[]> => [{ address: '127.0.0.2', family: 4 }, loopback];
  expect(await post(client({ lookup }))).toMatchObject({
    outcome: { kind: 'delivered' },
    address: '127.0.0.1',
  });
});
