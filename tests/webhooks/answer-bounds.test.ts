// What an endpoint may send over a connection.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createServerCertificate } from '../../tools/demo/certificates.ts';
import { until } from '../process/partner.ts';
import { exchangeFixture, outcomeOf } from '../support/exchange-fixture.ts';

const fixture = exchangeFixture();
const { client, post } = fixture;

/** The next answers begin so and go on with a piece without end; resolves when the connection closes, to the bytes that were taken. */
function pourAnswers(first: string, piece: string): Promise<number> {
  const taken = Promise.withResolvers<number>();
  const pieces = Buffer.from(piece.repeat(65_536 / piece.length));
  fixture.receiver.answer = (_request, { socket }) => {
    if (socket === null) return;
    const write = (): void => {
      while (socket.writable && socket.write(pieces));
    };
    socket.on('drain', write).once('close', () => taken.resolve(socket.bytesWritten));
    socket.write(first);
    write();
  };
  return taken.promise;
}

/** More than 256 KiB, and what connections hold in their buffers. */
const MUCH_BYTES = 33_554_432;

test('empty lines without end before an answer cost the exchange', async () => {
  const taken = pourAnswers('', '\r\n');
  expect(await outcomeOf(post(client()))).toEqual({
    kind: 'unreachable',
    class: 'connect',
    reason: 'The endpoint sent more than 256 KiB for one answer.',
  });
  expect(await taken).toBeLessThan(MUCH_BYTES);
});

test('a size of a chunk without end costs the connection', async () => {
  const taken = pourAnswers('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '0');
  expect(await outcomeOf(post(client()))).toEqual({ kind: 'delivered', status: 200 });
  expect(await taken).toBeLessThan(MUCH_BYTES);
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

test('what a kept connection has brought is no part of the next answer', async () => {
  const from = client();
  fixture.receiver.answer = { status: 200, headers: { 'X-Long': 'a'.repeat(15 * 1024) } };
  const before = fixture.receiver.connections;
  for (let sent = 0; sent < 20; sent += 1) await post(from);
  expect(fixture.receiver.connections).toBe(before + 1);
});
