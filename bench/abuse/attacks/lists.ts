// Attacks of a partner who goes through lists from the first page to the last, as fast as pages are answered.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { apiPath, bearer, bearerJson } from '../attack.ts';
import type { Aim, Attack } from '../attack.ts';
import { turnPages } from '../wire.ts';
import { DAY_MS } from './bodies.ts';

const FLEETS = '/device-simulator/fleets';
/** What a fleet is born with: counters that its first pages have to sum up. */
const PAST_MS = 365 * DAY_MS;

interface Fleet {
  readonly job_id: string;
  readonly status: string;
}

async function ask(
  { target, tally, signal }: Aim,
  path: string,
  definition?: object,
): Promise<Fleet | undefined> {
  const answer = await fetch(`http://127.0.0.1:${target.port}${apiPath(target.orgId, path)}`, {
    headers: bearerJson(target.token),
    signal,
    ...(definition && { method: 'POST', body: JSON.stringify(definition) }),
  });
  tally.count(answer.status);
  const text = await answer.text();
  return answer.ok ? (JSON.parse(text) as Fleet) : undefined;
}

/** The path of a fleet that runs since just now, or undefined when it is refused or the attack is over. */
async function makeFleet(aim: Aim, count: number): Promise<string | undefined> {
  const history_cutoff = new Date(Date.now() - PAST_MS).toISOString();
  const definition = { request_id: randomUUID(), count, latitude: 48.2, longitude: 16.4, history_cutoff };
  try {
    const made = await ask(aim, FLEETS, definition);
    if (made === undefined) return undefined;
    const path = `${FLEETS}/${made.job_id}`;
    while ((await ask(aim, path))?.status !== 'running') await sleep(20);
    return path;
  } catch (error) {
    if (aim.signal.aborted) return undefined;
    throw error;
  }
}

const devicesOf = (aim: Aim, fleet: string): string => apiPath(aim.target.orgId, `${fleet}/devices`);

export const listAttacks: readonly Attack[] = [
  {
    name: 'long-lists',
    by: 'partner',
    what: 'largest pages of notices with their totals, of deliveries, of users, page by page, 32 at once',
    run: (aim) => {
      const { orgId, token, webhookId } = aim.target;
      const lists = [
        '/notifications/information?limit=100',
        `/notifications/webhooks/${webhookId}/deliveries?limit=100`,
        '/users?limit=1000&include_deleted=true',
      ];
      const paths = lists.map((list) => apiPath(orgId, list));
      return turnPages(aim, 32, bearer(token), paths);
    },
  },
  {
    name: 'device-pages',
    by: 'partner',
    hasNoStatistics: true,
    what: 'devices with their states, of a large fleet and of a new one of 1,000 households, page by page, 16 at once',
    run: async (aim) => {
      const { token, fleet, fleetWithHistory } = aim.target;
      const isTest = aim.requests !== undefined;
      const connections = Math.ceil((aim.atOnce ?? 16) / 2);
      const turn = (paths: readonly string[]): Promise<void> =>
        turnPages({ ...aim, atOnce: connections }, connections, bearer(token), paths);
      const ofNewFleet = async (): Promise<void> => {
        const made = await makeFleet(aim, isTest ? 20 : 1_000);
        if (made !== undefined) await turn([devicesOf(aim, made), `${devicesOf(aim, made)}?page=2`]);
      };
      const large = [`${FLEETS}/${fleet.jobId}`, `${FLEETS}/${fleetWithHistory.jobId}`];
      await Promise.all([turn(large.map((each) => devicesOf(aim, each))), ofNewFleet()]);
    },
  },
];
