// Bodies that come in chunks: what clients send is read, and those of chunks without end are given up.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { QuotaSubject } from '../../src/domain/security/quota-subjects.ts';
import { CHUNK_LIMITS } from '../../src/http/chunk-bounds.ts';
import { until } from '../process/partner.ts';
import { ask, chunks, END, head, measureBody, open, send, serve, SPENT, WHOLE } from './chunked-server.ts';

/** One-byte chunks that have no more than their part of further ones. */
const MOST = Math.floor(CHUNK_LIMITS.maxOfBody / (1 - 1 / CHUNK_LIMITS.bytesOfFurther));

describe('what clients send in chunks is read', () => {
  test('a stream of some hundred small parts, by fetch', async () => {
    const port = await serve(measureBody);
    const body = ReadableStream.from(Array.from({ length: 300 }, () => Buffer.from('abc')));
    const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, duplex: 'half' });
    expect(await answer.text()).toBe('900');
  });

  test('an upload from a pipe, by curl', async () => {
    const port = await serve(measureBody);
    const curl = spawn('curl', ['-sS', '--max-time', '10', '-T', '-', `http://127.0.0.1:${port}/`]);
    for (let n = 0; n < 300; n++) curl.stdin.write('abc');
    curl.stdin.end(Buffer.alloc(1_000_000));
    expect(await text(curl.stdout)).toBe('1000900');
  });

  test('a body of megabytes row by row, and the next one on the same connection', async () => {
    const socket = open(await serve(measureBody));
    const rows = head() + chunks(10_000, 80) + END;
    expect(await ask(socket, rows)).toBe('800000');
    expect(await ask(socket, rows)).toBe('800000');
  });
});

describe('the chunks of a body', () => {
  test(`may be ${MOST} of one byte; with more the body is refused with what to do`, async () => {
    const port = await serve(measureBody);
    expect(await ask(open(port), head() + chunks(MOST) + END)).toBe(String(MOST));
    const answer = await send(port, head('partner b') + chunks(MOST + 1) + END);
    expect(answer).toMatch(/\r\nConnection: close\r\n/);
    expect(answer).toMatch(
      /payload_too_large: .*send larger ones, or the body as a whole with Content-Length/,
    );
  });

  test('are counted where nobody reads the body, and no more is kept, parsed or read', async () => {
    const requests: IncomingMessage[] = [];
    let calls = 0;
    const port = await serve((request) => {
      requests.push(request);
      const push = request.push.bind(request);
      request.push = (chunk) => {
        calls += 1;
        return push(chunk);
      };
    });
    // Another request comes in the same read, and then 20 MB.
    const socket = open(port);
    socket.write(head() + chunks(9_000) + END + head() + END);
    socket.write(chunks(3_000_000));
    await until(
      () => calls,
      (count) => count > MOST,
    );
    for (let n = 0; n < 10; n++) await turn();
    // The chunk that is one too many, and the end.
    expect(calls).toBeLessThanOrEqual(MOST + 2);
    expect(requests.map(({ readableLength }) => readableLength)).toEqual([MOST]);
    expect(requests[0]?.socket.bytesRead).toBeLessThanOrEqual(2 * 65_536);
  });

  test('end their connection after a while where nobody answers', async () => {
    const port = await serve(() => undefined, { answerMs: 100 });
    expect(await send(port, head() + chunks(MOST + 1) + END)).toBe('');
  });

  test('are dropped for the rest of a read only, on a parser that serves other connections later', async () => {
    const port = await serve(measureBody);
    expect(await send(port, head() + chunks(10_000))).toContain('payload_too_large');
    expect(await ask(open(port), `${head()}${chunks(3)}${END}`)).toBe('3');
  });

  test('are counted while a refused body is read on', async () => {
    const requests: [IncomingMessage, ServerResponse][] = [];
    const port = await serve(
      (request, response) => {
        requests.push([request, response.end('refused')]);
      },
      { maxAtOnce: 1_000_000 },
    );
    const socket = open(port);
    socket.write(head() + chunks(200_000));
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(String(answer)).toContain('refused');
    await once(socket.resume(), 'close');
    expect(requests[0]?.[0].socket.bytesRead).toBeLessThanOrEqual(65_536);
  });
});

describe('the chunks of a party', () => {
  test('may be so many; a body that brings more than a few beyond may be sent again', async () => {
    const port = await serve(measureBody, SPENT);
    expect(await ask(open(port), head() + chunks(WHOLE) + END)).toBe(String(WHOLE));
    const answer = await send(port, head('partner b') + chunks(WHOLE + 11) + END);
    expect(answer).toMatch(/\r\nRetry-After: 2\r\n[^]*overloaded: .*send larger ones/);
  });

  test.each([
    ['bodies alone of few chunks', head() + chunks(10) + END, '10'],
    ['bodies alone of a partner', head('partner b') + chunks(WHOLE) + END, String(WHOLE)],
  ])('leave %s', async (_name, further, length) => {
    const port = await serve(measureBody, SPENT);
    const socket = open(port);
    const heard = text(socket);
    socket.end(head() + chunks(WHOLE) + END + further);
    expect((await heard).match(/^\d+(?=HTTP|$)/gm)).toEqual([String(WHOLE), length]);
  });

  /** What three further bodies are answered that come in the same turn, the last two of them from `others`. */
  async function bringFurther(others: QuotaSubject): Promise<readonly string[] | null> {
    const port = await serve(measureBody, SPENT);
    const few = chunks(6) + END;
    const further = head() + few + (head(others) + few).repeat(2);
    const answers = await send(port, head() + chunks(WHOLE) + END + further);
    return answers.match(/^(?:\d+(?=HTTP|$)|\w+(?=: More))/gm);
  }

  test('and the few beyond are those of all bodies of a turn, however many are pipelined', async () => {
    expect(await bringFurther('address a')).toEqual([String(WHOLE), '6', '6', 'overloaded']);
  });

  test('and the few beyond are those of all addresses', async () => {
    expect(await bringFurther('address b')).toEqual([String(WHOLE), '6', '6', 'overloaded']);
  });

  test('are read on while half of them is left, and later for what comes with time', async () => {
    let [nowMs, taken] = [0, 0];
    const listener: RequestListener = (request, response) => {
      request.on('data', () => (taken += 1)).once('end', () => response.end('whole'));
    };
    const port = await serve(listener, { maxAtOnce: 2_000, perMs: 1 }, () => nowMs);
    const socket = open(port);
    socket.write(head() + chunks(1_900, 200) + END);
    const answer = once(socket, 'data') as Promise<[Buffer]>;
    await until(
      () => taken,
      (count) => count > 1_000,
    );
    for (let n = 0; n < 50; n++) await turn();
    // A read of 64 KiB has 317 of them, and a chunk comes in two parts where a read ends within it. One more waits for nothing.
    expect(taken).toBeLessThanOrEqual(1_000 + 2 * 318);
    nowMs = 1_500;
    expect(String((await answer)[0])).toContain('whole');
    expect(taken).toBeGreaterThanOrEqual(1_900);
  });

  test('come from one read of each body', async () => {
    const read: number[] = [];
    const port = await serve((request) => {
      const countNextTurn = (): void => {
        read.push(0);
        if (!request.complete) setImmediate(countNextTurn);
      };
      countNextTurn();
      request.on('data', (chunk: Buffer) => {
        read[read.length - 1] = (read.at(-1) ?? 0) + chunk.length;
      });
      request.on('end', () => request.socket.end());
    });
    const socket = open(port);
    socket.write(head() + chunks(200, 20_000) + END);
    await once(socket.resume(), 'close');
    expect(read.reduce((sum, bytes) => sum + bytes)).toBe(4_000_000);
    expect(Math.max(...read)).toBeLessThanOrEqual(65_536);
  });
});

test('a connection is watched once, however many bodies it brings', async () => {
  const sockets = new Set<Socket>();
  const port = await serve((request, response) => {
    sockets.add(request.socket);
    measureBody(request, response);
  });
  const socket = open(port);
  const heard = text(socket);
  socket.end((head() + chunks(1) + END).repeat(30) + head() + chunks(2) + END);
  expect((await heard).match(/^[12](?=HTTP|$)/gm)).toHaveLength(31);
  expect([...sockets].map((each) => each.listenerCount('resume') < 10)).toEqual([true]);
});
