import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Response } from 'express';
import { afterEach, expect, test } from 'vitest';
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
  /** Opens an answer for the partner; nothing of it is read. */
  readonly ask: (partnerId: string, what: string) => Promise<IncomingMessage>;
  readonly share: FairShare;
}

/** A server that streams lists: `endless`, `broken`, or one of a megabyte. What fails before it begins is 503. */
async function serve(): Promise<Served> {
  const share = new FairShare({ capacity: 2, atMost: 1, maxWaiting: 1, waitMs: 20 });
  const answer = async (url: URL, response: ServerResponse): Promise<void> => {
    const partnerId = url.searchParams.get('partner') ?? '';
    const count = url.pathname === '/endless' ? Number.POSITIVE_INFINITY : COUNT;
    const body = rows(count, url.pathname === '/broken' ? 500 : -1);
    await sendReply(
      response as Response,
      { status: 200, body },
      { isStillAllowed: () => Promise.resolve(true), takeShare: () => share.acquire(partnerId) },
    );
  };
  const server = createServer((request, response) => {
    answer(new URL(request.url ?? '', 'http://a'), response).catch((error: unknown) => {
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
  const ask: Served['ask'] = async (partnerId, what) => {
    const url = `http://127.0.0.1:${port}/${what}?partner=${partnerId}`;
    const [response] = (await once(get(url, { agent: false }), 'response')) as [IncomingMessage];
    return response.on('error', () => undefined);
  };
  return { ask, share };
}

async function isFree(share: FairShare): Promise<void> {
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
  let text = '';
  for await (const chunk of other.setEncoding('utf8')) text += chunk as string;
  expect((JSON.parse(text) as unknown[]).length).toBe(COUNT);
  first.destroy();
  await isFree(share);
  expect((await ask('slow', 'list')).statusCode).toBe(200);
});

test('a list gives its turn back when it ends and when it breaks', async () => {
  const { ask, share } = await serve();
  for (const what of ['list', 'broken']) {
    (await ask('a', what)).resume();
    await isFree(share);
  }
});
