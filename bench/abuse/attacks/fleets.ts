// Attacks of a partner by way of the device simulator.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { apiPath, bearer, bearerJson } from '../attack.ts';
import type { Aim, Attack } from '../attack.ts';
import { flood, pipeline, requestText } from '../wire.ts';

const FLEETS = '/device-simulator/fleets';

const definition = (count: number): string =>
  JSON.stringify({ request_id: randomUUID(), count, latitude: 48.2, longitude: 16.4 });

interface Answer {
  readonly status: number;
  readonly body: { readonly job_id?: string; readonly status?: string };
}

async function call(
  { target, signal, tally }: Aim,
  method: string,
  path: string,
  body?: string,
): Promise<Answer> {
  const answer = await fetch(`http://127.0.0.1:${target.port}${apiPath(target.orgId, path)}`, {
    method,
    headers: bearerJson(target.token),
    signal,
    ...(body === undefined ? {} : { body }),
  });
  const text = await answer.text();
  tally.count(answer.status);
  return { status: answer.status, body: (text === '' ? {} : JSON.parse(text)) as Answer['body'] };
}

/** Creates a fleet, expands it, stops and purges it, and begins anew. */
async function loop(aim: Aim): Promise<void> {
  const { signal } = aim;
  const isOver = (): boolean => signal.aborted;
  for (let n = 0; !isOver() && n < (aim.requests ?? Infinity); n++) {
    const { status, body } = await call(aim, 'POST', FLEETS, definition(500));
    const fleet = `${FLEETS}/${body.job_id ?? ''}`;
    if (status !== 200) {
      await sleep(20);
      continue;
    }
    const reach = async (state: string): Promise<void> => {
      while (!isOver() && (await call(aim, 'GET', fleet)).body.status !== state) await sleep(20);
    };
    await reach('running');
    await call(aim, 'POST', `${fleet}/expand`, JSON.stringify({ request_id: randomUUID(), count: 500 }));
    await reach('running');
    await call(aim, 'POST', `${fleet}/stop`);
    await call(aim, 'POST', `${fleet}/cleanup`);
    await call(aim, 'POST', `${fleet}/purge`);
  }
}

export const fleetAttacks: readonly Attack[] = [
  {
    name: 'locations',
    by: 'partner',
    what: 'the locations of a fleet, asked for 14 times on 8 connections that read 1 kB/s',
    run: (aim) => {
      const path = apiPath(aim.target.orgId, `${FLEETS}/${aim.target.fleet.jobId}/locations`);
      const request = requestText({ method: 'GET', path, headers: bearer(aim.target.token) });
      return pipeline(aim, 8, 14, request, 1_000);
    },
  },
  {
    name: 'fleet-flood',
    by: 'partner',
    what: 'fleets of 1,000 households created, 16 at once',
    run: (aim) =>
      flood(aim, 16, () => ({
        method: 'POST',
        path: apiPath(aim.target.orgId, FLEETS),
        headers: bearerJson(aim.target.token),
        body: definition(1_000),
      })),
  },
  {
    name: 'expand-purge',
    by: 'partner',
    what: 'fleets created, expanded, stopped and purged, 8 at once',
    run: async (aim) => {
      const loops = Array.from({ length: aim.atOnce ?? 8 }, () =>
        loop(aim).catch((error: unknown) => {
          if (!aim.signal.aborted) throw error;
        }),
      );
      await Promise.all(loops);
    },
  },
];
