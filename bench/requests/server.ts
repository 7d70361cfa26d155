// What the servers beside the service share: how they are started, and how they read numbers.
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import type { Listening, ServerJob } from './statements.ts';

/** Makes the server that the parent's message asks for, and tells the parent its port. Ends with the parent. */
export function announce(make: (job: ServerJob) => Server | Promise<Server>): void {
  process.once('message', (job: ServerJob) => void listen(make, job));
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined);
  process.once('disconnect', () => process.exit(0));
}

async function listen(make: (job: ServerJob) => Server | Promise<Server>, job: ServerJob): Promise<void> {
  const server = await make(job);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  process.send?.({ port } satisfies Listening);
}

/** Counts are int8, which pg reads as text unless told otherwise. */
export function countAsNumber(): void {
  pg.types.setTypeParser(pg.types.builtins.INT8, Number);
}
