import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { HostLookup } from '../../src/webhooks/destination.ts';
import { createHostLookup } from '../../src/webhooks/name-lookup.ts';
import { startNameServer, type NameServer } from '../support/name-server.ts';

let server: NameServer;
let folder: string;
let lookup: HostLookup;
beforeAll(async () => {
  server = await startNameServer();
  folder = mkdtempSync(join(tmpdir(), 'partner-names-'));
  const hostsFile = join(folder, 'hosts');
  writeFileSync(
    hostsFile,
    '# ours\n10.1.2.3 Inside.Example also # and so on\nfd00::1 inside.example\nnonsense\n',
  );
  lookup = createHostLookup({ servers: [server.address], hostsFile });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

test('a name has the addresses of both families', async () => {
  server.answer = () => ['192.0.2.1', '192.0.2.2', '2001:db8::7'];
  const found = [...(await lookup('Partner.Example.'))].map(({ address, family }) => `${family} ${address}`);
  expect(found.sort()).toEqual(['4 192.0.2.1', '4 192.0.2.2', '6 2001:db8::7']);
  expect(server.asked.splice(0).sort()).toEqual(['partner.example 4', 'partner.example 6']);
});

test('one family alone is enough, and a silent other one costs a quarter of a second', async () => {
  server.answer = (_name, family) => (family === 4 ? ['192.0.2.1'] : 'silence');
  server.asked.splice(0);
  expect(await lookup('partner.example')).toEqual([{ address: '192.0.2.1', family: 4 }]);
  // The silent one is asked again after 1.5 s, for which nobody has waited.
  expect(server.asked.filter((question) => question === 'partner.example 6')).toHaveLength(1);
  server.answer = (_name, family) => (family === 6 ? ['2001:db8::7'] : 'unknown');
  expect(await lookup('partner.example')).toEqual([{ address: '2001:db8::7', family: 6 }]);
});

test('answers are asked for each time: nothing is remembered', async () => {
  server.answer = () => ['192.0.2.1'];
  await lookup('changing.example');
  server.answer = () => ['192.0.2.9'];
  expect(await lookup('changing.example')).toEqual([{ address: '192.0.2.9', family: 4 }]);
});

test('any number of names that never answer hold up no other', async () => {
  server.answer = (name) => (name.startsWith('slow') ? 'silence' : ['192.0.2.1']);
  let slowEnded = 0;
  const lookUpSlowly = (each: number) => lookup(`slow-${each}.example`).finally(() => (slowEnded += 1));
  const slow = Promise.allSettled(Array.from({ length: 60 }, (_, each) => lookUpSlowly(each)));
  await lookup('quick.example');
  expect(slowEnded).toBe(0);
  const ended = await slow;
  expect(ended.every((each) => each.status === 'rejected' && each.reason.code === 'ETIMEOUT')).toBe(true);
});

test('an unknown name says so', async () => {
  server.answer = () => 'unknown';
  await expect(lookup('nobody.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  server.answer = () => [];
  await expect(lookup('empty.example')).rejects.toMatchObject({ code: 'ENODATA' });
});

test('the hosts file comes first, and localhost is never asked about', async () => {
  server.asked.splice(0);
  expect(await lookup('INSIDE.example')).toEqual([
    { address: '10.1.2.3', family: 4 },
    { address: 'fd00::1', family: 6 },
  ]);
  expect(await lookup('also')).toEqual([{ address: '10.1.2.3', family: 4 }]);
  const loopback = [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ];
  expect([await lookup('localhost.'), await lookup('a.localhost')]).toEqual([loopback, loopback]);
  expect(server.asked).toEqual([]);
});
