// A service whose output and log nobody reads goes on, and ends when it is told to.
import { afterEach, expect, test } from 'vitest';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { testDatabase } from '../support/database.ts';
import { encryptionKey, spawnServe, until } from './partner.ts';
import type { SpawnedServe } from './partner.ts';

/** Half of what a stop may take until it is cut off: STOP_MS of src/cli/serve.ts. */
const SOON_MS = 4_750;

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const each of undo.splice(0).toReversed()) await each();
});

type Child = SpawnedServe['child'];

async function serve(env: Readonly<Record<string, string>> = {}): Promise<Child> {
  const database = await testDatabase();
  undo.push(() => database.close());
  const { child, remove } = spawnServe({
    DATABASE_URL: database.url,
    ENCRYPTION_KEY: encryptionKey(),
    STOP_DELAY_SECONDS: '0',
    ...env,
  });
  undo.push(remove);
  return child;
}

/** What the pattern finds in the text of a stream, which is read until then. */
function find(stream: Readable, pattern: RegExp): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const look = (more: string): void => {
      text += more;
      const found = pattern.exec(text)?.[1];
      if (found === undefined) return;
      stream.off('data', look).pause();
      resolve(found);
    };
    stream.setEncoding('utf8').on('data', look).resume();
  });
}

/** The statuses of requests, fifty at once, each of which has a line in the log. */
async function ask(baseUrl: string, fifties: number): Promise<readonly number[]> {
  const statuses = new Set<number>();
  const one = async (): Promise<void> => {
    const answer = await fetch(`${baseUrl}/accounts/login/`);
    await answer.text();
    statuses.add(answer.status);
  };
  for (let n = 0; n < fifties; n += 1) await Promise.all(Array.from({ length: 50 }, one));
  return [...statuses];
}

async function stop(child: Child): Promise<readonly unknown[]> {
  const startedMs = performance.now();
  child.kill();
  const [code] = (await once(child, 'exit')) as [number | null];
  return [code, performance.now() - startedMs < SOON_MS];
}

test('readers of output and log that go away do not end it', async () => {
  const child = await serve();
  const baseUrl = await find(child.stdout, /listening on (\S+)\n/);
  child.stdout.destroy();
  child.stderr.destroy();
  expect(await ask(baseUrl, 1)).toEqual([200]);
  expect(await stop(child)).toEqual([0, true]);
});

test('an output that nobody reads from the start does not keep it from starting, and the log says so', async () => {
  const child = await serve({ METRICS_PORT: '0' });
  child.stdout.destroy();
  const baseUrl = await find(child.stderr, /"url":"(http:[^"]*)\/metrics"/);
  const ready = async (): Promise<number> => (await fetch(`${baseUrl}/readyz`)).status;
  await until(ready, (status) => status === 200);
  expect(await find(child.stderr, /("message":"Standard output takes nothing[^"]*")/)).toBeDefined();
  expect(await stop(child)).toEqual([0, true]);
});

test('a log that is open and not read does not hold up the end', async () => {
  const child = await serve();
  const baseUrl = await find(child.stdout, /listening on (\S+)\n/);
  expect(await ask(baseUrl, 60)).toEqual([200]);
  expect(await stop(child)).toEqual([0, true]);
});
