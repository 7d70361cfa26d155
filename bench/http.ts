import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';

export interface Rate {
  readonly perSecond: number;
  readonly bytes: number;
}

export async function serve(listener: RequestListener): Promise<{ server: Server; origin: string }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Requests per second with `inFlight` at once; every answer must be 200. */
export async function rate(
  origin: string,
  path: string,
  headers: Record<string, string>,
  count: number,
  inFlight: number,
): Promise<Rate> {
  const pool = new Pool(origin, { connections: inFlight });
  let left = count;
  let bytes = 0;
  const startedAt = performance.now();
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const { statusCode, body } = await pool.request({ method: 'GET', path, headers });
      const text = await body.text();
      if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}: ${text}`);
      bytes = text.length;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  const seconds = (performance.now() - startedAt) / 1000;
  await pool.close();
  return { perSecond: count / seconds, bytes };
}
