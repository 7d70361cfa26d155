// Sends the same request again and again over kept connections, from a process of its own. Answers each job with a rate.
import { randomUUID } from 'node:crypto';
import { Pool } from 'undici';
import type { Ask } from './questions.ts';

export interface LoadJob {
  readonly port: number;
  readonly ask: Ask;
  readonly status: number;
  readonly count: number;
  /** Requests under way at any time, each on a connection of its own. */
  readonly inFlight: number;
  /** Whether 503 is counted where it would otherwise be an error. */
  readonly toleratesRefusals?: boolean;
}

export type LoadReport =
  | {
      readonly perSecond: number;
      /** The share of the time in which this process had something to do: near 1 it measures itself. */
      readonly busy: number;
      readonly refused: number;
    }
  | { readonly error: string };

const pools = new Map<string, Pool>();

process.on('message', (job: LoadJob) => {
  void send(job)
    .catch((error: unknown): LoadReport => ({ error: String(error) }))
    .then((report) => process.send?.(report));
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined);
process.once('disconnect', () => process.exit(0));

async function send(job: LoadJob): Promise<LoadReport> {
  const { port, ask, status, count, inFlight, toleratesRefusals = false } = job;
  const origin = `http://127.0.0.1:${port}`;
  const pool = pools.get(origin) ?? new Pool(origin, { connections: inFlight });
  pools.set(origin, pool);
  const { method, headers, body, ids = [] } = ask;
  let left = count;
  let refused = 0;
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const answer = await pool.request({
        method,
        headers,
        path: ask.path.replace('{id}', ids[left % ids.length] ?? ''),
        body: body?.replaceAll('{unique}', randomUUID()) ?? null,
      });
      if (toleratesRefusals && answer.statusCode === 503) refused += 1;
      else if (answer.statusCode !== status)
        throw new Error(`${ask.method} ${ask.path}: ${answer.statusCode} ${await answer.body.text()}`);
      await answer.body.dump({ limit: Infinity });
    }
  };
  const [startedAt, before] = [performance.now(), performance.eventLoopUtilization()];
  await Promise.all(Array.from({ length: inFlight }, worker));
  const seconds = (performance.now() - startedAt) / 1000;
  return { perSecond: count / seconds, busy: performance.eventLoopUtilization(before).utilization, refused };
}
