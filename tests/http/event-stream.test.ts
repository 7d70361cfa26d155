import { afterEach, expect, test } from 'vitest';
import type { Response } from 'express';
import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { EventStream } from '../../src/contract/event-stream.ts';
import type { StreamedEvent } from '../../src/contract/event-stream.ts';
import { sendEventStream } from '../../src/http/event-stream.ts';
import type { CallerRules } from '../../src/http/caller-rules.ts';
import type { EndReason } from '../../src/streams/token-checks.ts';
import { EventListener } from '../support/event-stream.ts';

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const each of undo.splice(0)) await each();
});

interface ServedStream {
  readonly url: string;
  readonly response: Promise<ServerResponse>;
  readonly ended: Promise<void>;
}

/** A server that answers everything with this stream. */
async function serve(
  stream: EventStream,
  isStillAllowed = () => Promise.resolve(true),
  heartbeatMs = 60_000,
  watchCaller: CallerRules['watchCaller'] = () => () => undefined,
  before: (response: ServerResponse) => Promise<unknown> = () => Promise.resolve(),
): Promise<ServedStream> {
  const begun = Promise.withResolvers<ServerResponse>();
  const ended = Promise.withResolvers<undefined>();
  const server = createServer((_request, response) => {
    begun.resolve(response);
    before(response)
      .then(() => sendEventStream(response as Response, stream, { isStillAllowed, watchCaller }, heartbeatMs))
      .then(() => ended.resolve(undefined), ended.reject);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  undo.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, response: begun.promise, ended: ended.promise };
}

const EVENT_CHARACTERS = 16_384;

/** Events without end, and how many were asked for. */
function endless(): { taken: () => number; events: EventStream['events'] } {
  let count = 0;
  return {
    taken: () => count,
    events: async function* () {
      for (;;) {
        count += 1;
        yield { id: String(count), data: 'x'.repeat(EVENT_CHARACTERS) };
        await turn();
      }
    },
  };
}

/** Nothing ever comes; returns when the listener has gone. */
async function* silence(gone: AbortSignal): AsyncGenerator<StreamedEvent> {
  if (!gone.aborted) await once(gone, 'abort');
  yield* [];
}

/** Watches one caller; `end` says that it may not listen any more. */
function watching(): {
  watch: CallerRules['watchCaller'];
  end: (reason?: EndReason) => void;
  unwatched: () => number;
} {
  let unwatched = 0;
  let endStream: (reason: EndReason) => void = () => undefined;
  return {
    watch: (end) => {
      endStream = end;
      return () => (unwatched += 1);
    },
    end: (reason = 'refused') => endStream(reason),
    unwatched: () => unwatched,
  };
}

/** A client that reads nothing until it is told to, and a server whose buffers are full. */
async function blocked(served: ServedStream): Promise<IncomingMessage> {
  const client = await new Promise<IncomingMessage>((resolve, reject) => {
    get(served.url, { agent: false }, resolve).once('error', reject);
  });
  client.pause().on('error', () => undefined);
  const response = await served.response;
  while (!response.writableNeedDrain) await turn();
  return client;
}

test('a client that does not read holds back its own events, and gets all of them when it reads on', async () => {
  const { taken, events } = endless();
  const served = await serve(new EventStream(events, new AbortController().signal));
  const client = await blocked(served);
  const before = await settled(taken, await served.response);
  for (let i = 0; i < 1_000; i += 1) await turn();
  expect(taken()).toBe(before);
  let text = '';
  client.setEncoding('utf8').on('data', (more: string) => (text += more));
  client.resume();
  while (taken() < before + 50) await turn();
  client.destroy();
  await served.ended;
  const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
  expect(ids.length).toBeGreaterThan(before);
  expect(ids).toEqual(ids.map((_, index) => index + 1));
});

test('a stop waits for no client that does not read', async () => {
  const stop = new AbortController();
  const served = await serve(new EventStream(endless().events, stop.signal));
  await blocked(served);
  stop.abort();
  await served.ended;
  expect((await served.response).destroyed).toBe(true);
});

test('comments come while nothing happens and ask nothing, until the caller may not listen any more', async () => {
  let asked = 0;
  const watched = watching();
  const stream = new EventStream(silence, new AbortController().signal);
  const served = await serve(stream, () => Promise.resolve((asked += 1) < 0), 10, watched.watch);
  const listener = await EventListener.open(served.url, {});
  while (listener.comments.length < 3) await turn();
  watched.end();
  expect(await listener.ended).toBe('whole');
  expect(listener.text).toMatch(/^retry: 1000\n\n(:\n\n){3,}$/);
  await served.ended;
  expect([asked, watched.unwatched()]).toEqual([0, 1]);
});

test('a stream whose token cannot be checked says so at its end', async () => {
  const watched = watching();
  const stream = new EventStream(silence, new AbortController().signal);
  const served = await serve(stream, undefined, undefined, watched.watch);
  const listener = await EventListener.open(served.url, {});
  await served.response;
  watched.end('unanswered');
  expect(await listener.ended).toBe('whole');
  expect(listener.text).toBe(
    'retry: 1000\n\n: The database does not answer, so the token cannot be checked. Connect again with Last-Event-ID.\n\n',
  );
});

test('whether the caller may listen is asked before each event, and not knowing it ends the stream', async () => {
  let asked = 0;
  const isStillAllowed = (): Promise<boolean> => {
    asked += 1;
    return asked > 2 ? Promise.reject(new Error('The database is away.')) : Promise.resolve(true);
  };
  const served = await serve(new EventStream(endless().events, new AbortController().signal), isStillAllowed);
  const listener = await EventListener.open(served.url, {});
  expect(await listener.ended).toBe('whole');
  expect([(await listener.next()).id, (await listener.next()).id]).toEqual(['1', '2']);
  expect(listener.text.match(/^id:/gm)).toHaveLength(2);
});

test.each([
  ['nothing comes', silence],
  ['much comes', endless().events],
])('a client that left before the stream began is not waited for, though %s', async (_, events) => {
  let released = 0;
  const stream = new EventStream(events, new AbortController().signal, () => (released += 1));
  const served = await serve(stream, undefined, undefined, undefined, (response) => once(response, 'close'));
  const request = get(served.url, { agent: false }).on('error', () => undefined);
  await served.response;
  request.destroy();
  await served.ended;
  expect(released).toBe(1);
});

test('a client that reads nothing is cut off when it may not listen any more', async () => {
  const watched = watching();
  const stream = new EventStream(endless().events, new AbortController().signal);
  const served = await serve(stream, undefined, undefined, watched.watch);
  await blocked(served);
  watched.end();
  await served.ended;
  expect((await served.response).destroyed).toBe(true);
});

test('an answer gives its place back once, however it ends', async () => {
  const ends: [string, (served: ServedStream, stop: AbortController) => Promise<unknown>][] = [
    ['the client', async ({ url }) => (await EventListener.open(url, {})).close()],
    ['the service', ({ url }, stop) => EventListener.open(url, {}).then(() => stop.abort())],
    ['a question for the head', ({ url }) => fetch(url, { method: 'HEAD' })],
  ];
  for (const [who, end] of ends) {
    let released = 0;
    const stop = new AbortController();
    const quiet = (gone: AbortSignal): AsyncGenerator<StreamedEvent> =>
      silence(AbortSignal.any([gone, stop.signal]));
    const served = await serve(new EventStream(quiet, stop.signal, () => (released += 1)));
    await end(served, stop);
    await served.ended;
    expect([who, released]).toEqual([who, 1]);
  }
  let released = 0;
  const broken = new EventStream(
    () => {
      throw new Error('The database is away.');
    },
    new AbortController().signal,
    () => (released += 1),
  );
  const served = await serve(broken);
  const failed = expect(served.ended).rejects.toThrow('The database is away.');
  await EventListener.open(served.url, {});
  await failed;
  expect(released).toBe(1);
});

test('lines within an event stay lines', async () => {
  const events = async function* (): AsyncGenerator<StreamedEvent> {
    yield* await Promise.resolve([{ id: 'a', data: 'one\ntwo\n' }]);
  };
  const served = await serve(new EventStream(events, new AbortController().signal));
  const listener = await EventListener.open(served.url, {});
  expect(await listener.next()).toEqual({ id: 'a', data: 'one\ntwo\n' });
});

/** The number once it stands still: the kernel takes some more after the buffers of the process are full, which do not grow. */
async function settled(number: () => number, response: ServerResponse): Promise<number> {
  for (let [before, same] = [number(), 0]; ;) {
    await turn();
    expect(response.writableLength).toBeLessThan(10 * EVENT_CHARACTERS);
    same = number() === before ? same + 1 : 0;
    before = number();
    if (same === 200) return before;
  }
}
