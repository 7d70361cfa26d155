import { once } from 'node:events';
import { createServer, OutgoingMessage, request, ServerResponse } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Response } from 'express';
import { afterEach, expect, test, vi } from 'vitest';
import { Problem } from '../../src/domain/api/problem.ts';
import { sendReply } from '../../src/http/reply.ts';
import { FairShare } from '../../src/shares/fair-share.ts';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of undo.splice(0)) await each();
});

const COUNT = 1_000;

async function* rows(count = COUNT, failsAt = -1): AsyncGenerator<{ index: number; text: string }> {
  for (let index = 0; index < count; index += 1) {
    if (index === failsAt) throw new Error('The database is away.');
    yield await Promise.resolve({ index, text: 'x'.repeat(1_000) });
  }
}

interface Served {
  readonly port: number;
  /** Opens an answer for the partner; nothing of it is read. */
  readonly ask: (partnerId: string, what: string, method?: string) => Promise<IncomingMessage>;
  readonly share: FairShare;
  /** One chunk at a time is made, of whichever list. */
  readonly chunks: FairShare;
}

/** Bodies with lists as members. */
const OBJECTS: Readonly<Record<string, () => object>> = {
  '/alone': () => ({ 'a "list"': rows(2) }),
  '/between': () => ({
    total: 2,
    absent: undefined,
    items: rows(2),
    at: new Date(0),
    none: rows(0),
    last: [1],
  }),
  '/broken-first': () => ({ total: 2, items: rows(1, 0) }),
  '/broken-member': () => ({ items: rows(COUNT, 500), total: 2 }),
};

/** A server that streams lists, of which one of a partner waits for `waitMs`: `endless`, `broken`, members of objects, or one of a megabyte. What fails before it begins is 503, or 500. */
async function serve(waitMs = 20): Promise<Served> {
  const share = new FairShare({ capacity: 3, asOfRight: 1, atMost: 1, maxWaiting: 1, waitMs });
  const chunks = new FairShare({ capacity: 1, maxWaiting: 10, waitMs: 60_000 });
  const answer = async (url: URL, response: ServerResponse): Promise<void> => {
    const partnerId = url.searchParams.get('partner') ?? '';
    const count = url.pathname === '/endless' ? Number.POSITIVE_INFINITY : COUNT;
    const body = OBJECTS[url.pathname]?.() ?? rows(count, url.pathname === '/broken' ? 500 : -1);
    await sendReply(
      response as Response,
      { status: 200, body },
      {
        lists: {
          acquireList: (signal) => share.acquire(partnerId, signal),
          acquireChunk: (signal) => chunks.acquire(partnerId, signal),
        },
      },
    );
  };
  const server = createServer((asked, response) => {
    answer(new URL(asked.url ?? '', 'http://a'), response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else response.writeHead(error instanceof Problem ? 503 : 500).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  undo.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const ask: Served['ask'] = async (partnerId, what, method = 'GET') => {
    const url = `http://127.0.0.1:${port}/${what}?partner=${partnerId}`;
    const sent = request(url, { agent: false, method }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return response.on('error', () => undefined);
  };
  return { port, ask, share, chunks };
}

async function isFree(share: Pick<FairShare, 'usage'>): Promise<void> {
  for (;;) {
    if (share.usage.held === 0) return;
    await new Promise(setImmediate);
  }
}

test('a partner whose lists are not read waits for its turn in vain; another partner is served', async () => {
  const { ask, share } = await serve();
  const first = await ask('slow', 'endless');
  expect([first.statusCode, (await ask('slow', 'list')).statusCode]).toEqual([200, 503]);
  const other = await ask('other', 'list');
  expect((JSON.parse(await readText(other)) as unknown[]).length).toBe(COUNT);
  first.destroy();
  await isFree(share);
  expect((await ask('slow', 'list')).statusCode).toBe(200);
});

test('a list gives its shares back when it ends and when it breaks', async () => {
  const { ask, share, chunks } = await serve();
  for (const what of ['list', 'broken']) {
    (await ask('a', what)).resume();
    await isFree(share);
    await isFree(chunks);
  }
});

test('readers that take nothing leave the making of chunks to others', async () => {
  const { ask, chunks } = await serve();
  for (const partnerId of ['slow', 'slow too']) {
    expect((await ask(partnerId, 'endless')).statusCode).toBe(200);
    // Until what the client does not take has filled its connection.
    await isFree(chunks);
  }
  expect((JSON.parse(await readText(await ask('other', 'list'))) as unknown[]).length).toBe(COUNT);
});

test('no turn of the event loop makes more than one chunk of each that may be made at once', async () => {
  const { ask } = await serve();
  let [turn, lastTurn, most, inTurn] = [0, -1, 0, 0];
  let isOver = false;
  const count = (): void => {
    turn += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const writeMessage = Reflect.get(OutgoingMessage.prototype, 'write') as (chunk: unknown) => boolean;
  const write = vi.spyOn(ServerResponse.prototype, 'write').mockImplementation(function (
    this: ServerResponse,
    chunk,
  ) {
    inTurn = turn === lastTurn ? inTurn + 1 : 1;
    lastTurn = turn;
    most = Math.max(most, inTurn);
    return Reflect.apply(writeMessage, this, [chunk]);
  });
  undo.push(() => write.mockRestore());
  const readers = ['a', 'b', 'c'].map(async (partnerId) => readText(await ask(partnerId, 'list')));
  await Promise.all(readers);
  isOver = true;
  expect(write.mock.calls.length).toBeGreaterThan(60);
  expect(most).toBe(1);
});

test('a client that has gone waits for no list and for no chunk', async () => {
  const { port, share, chunks } = await serve(60_000);
  for (const units of [share, chunks]) {
    const release = await units.acquire('a');
    const sent = request(`http://127.0.0.1:${port}/list?partner=a`, { agent: false }).end();
    sent.on('error', () => undefined);
    await expect.poll(() => units.usage.waiting).toBe(1);
    sent.destroy();
    await expect.poll(() => units.usage.waiting).toBe(0);
    release();
    await isFree(share);
  }
});

test('a client that goes between two chunks does not wait for the next one', async () => {
  const { ask, share, chunks } = await serve();
  const response = await ask('a', 'endless');
  const release = await chunks.acquire('other');
  response.resume();
  await expect.poll(() => chunks.usage.waiting).toBe(1);
  response.destroy();
  await isFree(share);
  expect(chunks.usage.waiting).toBe(0);
  release();
});

async function readText(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk as string;
  return text;
}

test('lists that are members of an object are streamed in their places, and take a turn', async () => {
  const { ask, share } = await serve();
  const release = await share.acquire('a');
  expect((await ask('a', 'alone')).statusCode).toBe(503);
  release();
  const texts: string[] = [];
  for (const what of ['alone', 'between']) {
    texts.push(await readText(await ask('a', what)));
    await isFree(share);
  }
  const list = [0, 1].map((index) => ({ index, text: 'x'.repeat(1_000) }));
  const between = { total: 2, items: list, at: new Date(0), none: [], last: [1] };
  expect(texts).toEqual([JSON.stringify({ 'a "list"': list }), JSON.stringify(between)]);
});

test('a member that breaks is an error before its object has begun, and ends the connection after that', async () => {
  const { ask, share } = await serve();
  const refused = await ask('a', 'broken-first');
  expect([refused.statusCode, await readText(refused)]).toEqual([500, '']);
  await isFree(share);
  const cut = await ask('a', 'broken-member');
  expect(cut.statusCode).toBe(200);
  await expect(readText(cut)).rejects.toMatchObject({ code: 'ECONNRESET' });
  await isFree(share);
});

test('a list whose head alone is asked for is not read to its end', async () => {
  const { ask, share } = await serve();
  const heads: unknown[] = [];
  for (const what of ['list', 'endless', 'broken-member']) {
    const response = await ask('a', what, 'HEAD');
    heads.push([response.statusCode, response.headers['content-type'], await readText(response)]);
    await isFree(share);
  }
  expect(heads).toEqual(Array(3).fill([200, 'application/json; charset=utf-8', '']));
});
