import { DAY_MS, HOUR_MS } from '../../src/domain/api/durations.ts';
import { addPrices, addQueuedFleet, buildFleets } from './portal-fleets.ts';
import type { SiteFleet } from './portal-fleets.ts';
import { startPortal } from './portal-site.ts';
import type { Person, PortalSite } from './portal-site.ts';
import { formOf } from './visitor.ts';
import type { Visitor } from './visitor.ts';

export const PAGE = '/portal/prices/';
export const UPLOAD = `${PAGE}upload/`;
export const STORE = `${UPLOAD}store/`;

/** The pictures in a page. */
export interface Chart {
  readonly clocks: readonly string[];
  readonly times: readonly number[];
  readonly now?: number;
  readonly at: number;
  readonly panels: readonly {
    readonly name: string;
    readonly lines: readonly { readonly label: string; readonly values: readonly (number | null)[] }[];
  }[];
  readonly notes: readonly { readonly label: string; readonly texts: readonly string[] }[];
}

/** A portal with an organization that has a fleet, prices of the hours from now to the end of tomorrow, and an admin. */
export interface PriceSite {
  readonly site: PortalSite;
  readonly admin: Person;
  readonly browser: Visitor;
  readonly fleet: SiteFleet;
  /** Sends the form as it stands with this text; the page of the check. */
  readonly check: (text: string, zone?: string, visitor?: Visitor) => ReturnType<Visitor['post']>;
  /** Sends the form of that page, with other fields where some are given. */
  readonly store: (
    checked: string,
    fields?: Readonly<Record<string, string>>,
    visitor?: Visitor,
  ) => ReturnType<Visitor['post']>;
  /** All revisions of a day by UTC, by their start and arrival, EUR/MWh. */
  readonly listStored: (orgId: string, day: string) => Promise<number[]>;
}

export async function startPriceSite(): Promise<PriceSite> {
  const site = await startPortal();
  const admin = await site.addPerson(await site.addOrganization(), 'admin');
  const browser = await site.signedIn(admin);
  const fleet = await addQueuedFleet(site, admin, {
    count: 4,
    history_days: 1,
    latitude: 48.2,
    longitude: 16.4,
  });
  await buildFleets(site);
  const thisHour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const prices = Array.from({ length: 60 }, () => 50);
  await addPrices(site, admin, hourly(prices, thisHour));
  return {
    site,
    admin,
    browser,
    fleet,
    check: (text, zone = 'UTC', visitor = browser) => visitor.submit(UPLOAD, { text, zone }),
    store: (checked, fields = {}, visitor = browser) =>
      visitor.post(STORE, { ...formOf(checked, STORE), ...fields }),
    listStored: async (orgId, day) => {
      const start = Date.parse(`${day}T00:00:00Z`);
      const rows = await site.db
        .selectFrom('day_ahead_prices')
        .select('price')
        .where('org_id', '=', orgId)
        .where('starts_at', '>=', new Date(start))
        .where('starts_at', '<', new Date(start + DAY_MS))
        .orderBy('starts_at')
        .orderBy('received_at')
        .execute();
      return rows.map(({ price }) => price);
    },
  };
}

/** Prices of hours one behind the other, EUR/MWh. */
export function hourly(prices: readonly number[], startMs: number): Map<Date, number> {
  return new Map(prices.map((price, hour) => [new Date(startMs + hour * HOUR_MS), price]));
}

export function chartOf(text: string): Chart {
  return JSON.parse(/<script type="application\/json">([^<]*)<\/script>/.exec(text)?.[1] ?? 'null') as Chart;
}

/** The cells of a table by rows. */
export function rowsOf(text: string, label: string): string[][] {
  const table = text.split(`aria-label="${label}" role="table"`)[1]?.split('</table>')[0] ?? '';
  const cellsOf = (row: string): string[] =>
    row
      .split('</td>')
      .slice(0, -1)
      .map((cell) => cell.replaceAll(/<[^>]*>/g, '').trim());
  return table.split('<tr role="row">').slice(2).map(cellsOf);
}

/** The facts of a page by their names. */
export function factsOf(text: string): Readonly<Record<string, string>> {
  const facts = [...text.matchAll(/<dt>([^<]*)<\/dt><dd>([^<]*)<\/dd>/g)];
  return Object.fromEntries(facts.map(([, name = '', value = '']) => [name, value]));
}
