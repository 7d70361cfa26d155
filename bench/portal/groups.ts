// What people wait for: the page of a large fleet in a browser, and the first page of a long list.
import { once } from 'node:events';
import { request } from 'undici';
import { listPortalUsers } from '../../src/queries/accounts/portal-users.ts';
import type { Group } from '../group.ts';
import type { Samples } from '../row.ts';
import { median } from '../statistics.ts';
import { createPortalWorld } from './world.ts';
import type { PortalWorld } from './world.ts';

const HOMES = 1_000;
const USERS = 100_000;
/** Requests of the list in a round, and its query between them. */
const ASKED = 30;

const NEVER_SEEN = 'page of a fleet of 1,000 homes, interactive, never looked at';
const SEEN = 'page of a fleet of 1,000 homes, interactive, looked at before';
const LIST = 'page of 100,000 users, first byte';
const BEYOND = 'page of 100,000 users, first byte beyond its query';
const inMs = { unit: 'ms', better: 'less' } as const;

/** Until a key has moved the crosshair, its pictures are drawn and all that the page needs is there. */
async function openFleet({ browser }: PortalWorld, id: string): Promise<number> {
  const page = await browser.newPage();
  try {
    const startedAt = performance.now();
    await page.goto(`/portal/fleets/${id}/`, { waitUntil: 'commit' });
    await page.locator('.plot canvas').last().waitFor();
    const time = page.locator('.readout output');
    await page.locator('#instant').press('Home');
    await time.getByText('00:00').waitFor();
    return performance.now() - startedAt;
  } finally {
    await page.close();
  }
}

async function askList({ baseUrl, cookie }: PortalWorld): Promise<number> {
  const startedAt = performance.now();
  const { statusCode, body } = await request(`${baseUrl}/portal/users/`, { headers: { cookie } });
  await once(body, 'readable');
  const firstByteAfter = performance.now() - startedAt;
  await body.dump();
  if (statusCode !== 200) throw new Error(`The list was answered ${statusCode}.`);
  return firstByteAfter;
}

async function askQuery({ database, orgId }: PortalWorld): Promise<number> {
  const startedAt = performance.now();
  const scope = { orgId, visibleTo: { kind: 'all' } } as const;
  const users = await listPortalUsers(database.db, scope, { prefix: '', after: '', limit: 51 });
  if (users.length !== 51) throw new Error(`The query found ${users.length} users.`);
  return performance.now() - startedAt;
}

async function askBoth(world: PortalWorld): Promise<Samples> {
  const [pages, queries]: [number[], number[]] = [[], []];
  for (let count = 0; count < ASKED; count += 1) {
    pages.push(await askList(world));
    queries.push(await askQuery(world));
  }
  const [measured, limit] = [median(pages), median(queries)];
  return { [LIST]: { measured, limit }, [BEYOND]: { measured: measured - limit } };
}

export const PORTAL_GROUPS: readonly Group[] = [
  {
    name: 'portal',
    file: 'portal/groups.ts',
    rows: [
      { name: NEVER_SEEN, ...inMs, goals: {} },
      { name: SEEN, ...inMs, goals: { measured: 1_500 } },
      { name: LIST, ...inMs, goals: {} },
      { name: BEYOND, ...inMs, goals: { measured: 200 } },
    ],
    rounds: 3,
    about: 'pages of the portal in Chromium and by HTTP; the limit is the query of the list by itself',
    measure: async function* () {
      const world = await createPortalWorld(USERS);
      try {
        await askBoth(world);
        yield {};
        for (;;) {
          const id = await world.runFleet(HOMES);
          const first = await openFleet(world, id);
          const again = await openFleet(world, id);
          yield { [NEVER_SEEN]: { measured: first }, [SEEN]: { measured: again }, ...(await askBoth(world)) };
        }
      } finally {
        await world.remove();
      }
    },
  },
];
