// What an endpoint may send over a connection.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { expect, test } from 'vitest';
import { pourInto } from '../../bench/abuse/pour.ts';
import { createServerCertificate } from '../../tools/demo/certificates.ts';
import { startHelloRequestServer } from '../support/hello-requests.ts';
import { startKeyUpdateServer, type KeyUpdateServer } from '../support/key-updates.ts';
import { until } from '../process/partner.ts';
import { exchangeFixture, outcomeOf } from '../support/exchange-fixture.ts';

const fixture = exchangeFixture();
const { client, post } = fixture;

/** The next answers begin so and go on with a piece without end; resolves when the connection closes, to the bytes that were taken. */
function pourAnswers(first: string, piece: string): Promise<number> {
  const taken = Promise.withResolvers<number>();
  fixture.receiver.answer = (_request, { socket }) => {
    if (socket === null) return;
    socket.once('close', () => taken.resolve(socket.bytesWritten));
    pourInto(socket, first, piece);
  };
  return taken.promise;
}

/** More than 64 KiB, and what connections hold in their buffers. */
const MUCH_BYTES = 33_554_432;

test('empty lines without end before an answer cost the exchange', async () => {
  const taken = pourAnswers('', '\r\n');
  expect(await outcomeOf(post(client()))).toEqual({
    kind: 'unreachable',
    class: 'connect',
    reason: 'The endpoint sent more than 64 KiB for one answer.',
  });
  expect(await taken).toBeLessThan(MUCH_BYTES);
});

test('a size of a chunk without end costs the connection', async () => {
  const taken = pourAnswers('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '0');
  expect(await outcomeOf(post(client()))).toEqual({ kind: 'delivered', status: 200 });
  expect(await taken).toBeLessThan(MUCH_BYTES);
});

test('single bytes without end, each in a record of its own, cost the exchange', async () => {
  let sent = 0;
  const closed = Promise.withResolvers<undefined>();
  fixture.receiver.answer = (_request, { socket }) => {
    socket?.setNoDelay(true).once('close', () => closed.resolve(undefined));
    const write = (): void => {
      if (socket?.writable !== true) return;
      sent += 1;
      socket.write('\n', () => setImmediate(write));
    };
    write();
  };
  const { outcome } = await post(client());
  expect(outcome).toMatchObject({ reason: 'The endpoint sent more than 256 parts of one answer.' });
  await closed.promise;
  expect(sent).toBeLessThan(10_000);
});

test('a second handshake costs the exchange', async () => {
  const { cert, key } = await createServerCertificate(fixture.receiver.authority, ['partner.example']);
  const server = createServer({ cert, key, maxVersion: 'TLSv1.2' }, (socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.renegotiate({}, () => undefined));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  fixture.opened.push({ close: () => server.close() });
  const { port } = server.address() as AddressInfo;
  expect(await outcomeOf(post(client(), `https://partner.example:${port}/hook`))).toEqual({
    kind: 'unreachable',
    class: 'connect',
    reason: 'The endpoint sent more than one TLS handshake.',
  });
});

test('thousands of requests for a second handshake, all in a few records, cost next to nothing', async () => {
  const certificate = await createServerCertificate(fixture.receiver.authority, ['partner.example']);
  const server = await startHelloRequestServer(certificate, 8);
  fixture.opened.push(server);
  const before = process.cpuUsage();
  const { outcome } = await post(client({ deadlineMs: 300 }), `https://partner.example:${server.port}/hook`);
  const { user, system } = process.cpuUsage(before);
  expect(outcome).toEqual({ kind: 'timed_out', afterMs: 300 });
  // A second and more, in which the event loop was held, where OpenSSL refuses each.
  expect((user + system) / 1_000).toBeLessThan(300);
});

test('TLS sessions without end cost the exchange', async () => {
  const { cert, key } = await createServerCertificate(fixture.receiver.authority, ['partner.example']);
  const folder = mkdtempSync(join(tmpdir(), 'partner-sessions-'));
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  writeFileSync(certFile, cert);
  writeFileSync(keyFile, key);
  // Node.js sends two.
  const files = ['-cert', certFile, '-key', keyFile];
  const server = spawn('openssl', [
    's_server',
    '-tls1_3',
    '-accept',
    '127.0.0.1:0',
    ...files,
    '-num_tickets',
    '100000',
  ]);
  fixture.opened.push({ close: () => server.kill() }, { close: () => rmSync(folder, { recursive: true }) });
  let said = '';
  server.stdout.on('data', (part: Buffer) => (said += String(part)));
  const port = await until(
    () => /ACCEPT \S+:(\d+)/.exec(said)?.[1],
    (found) => found !== undefined,
  );
  expect(await outcomeOf(post(client(), `https://partner.example:${port}/hook`))).toEqual({
    kind: 'unreachable',
    class: 'connect',
    reason: 'The endpoint sent more than 16 TLS sessions.',
  });
});

/** An endpoint whose answer is this, and then so many changes of the keys. */
async function changeKeys(answer: string, updates: number): Promise<KeyUpdateServer & { url: string }> {
  const certificate = await createServerCertificate(fixture.receiver.authority, ['partner.example']);
  const server = await startKeyUpdateServer(certificate, { answer, updates });
  fixture.opened.push(server);
  return { ...server, url: `https://partner.example:${server.port}/hook` };
}

test('other keys cost the exchange', async () => {
  const { url } = await changeKeys('', 100);
  expect(await outcomeOf(post(client(), url))).toEqual({
    kind: 'unreachable',
    class: 'connect',
    reason: 'The endpoint sent more than one set of TLS keys.',
  });
});

test('other keys cost an idle connection', async () => {
  const { url, closed } = await changeKeys('HTTP/1.1 204 No Content\r\nKeep-Alive: timeout=600\r\n\r\n', 100);
  expect(await outcomeOf(post(client({ idleMs: 600_000 }), url))).toEqual({ kind: 'delivered', status: 204 });
  await closed;
});

test('what a kept connection has brought is no part of the next answer', async () => {
  const from = client();
  fixture.receiver.answer = { status: 200, headers: { 'X-Long': 'a'.repeat(15 * 1024) } };
  const before = fixture.receiver.connections;
  for (let sent = 0; sent < 20; sent += 1) await post(from);
  expect(fixture.receiver.connections).toBe(before + 1);
});
