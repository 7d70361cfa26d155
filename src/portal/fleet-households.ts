import type { components } from '../../generated/openapi.ts';
import { getHouseholdData } from '../operations/household-data.ts';
import { readAnswer } from './answers.ts';
import type { PortalContext, PortalResponse } from './context.ts';
import { toRange } from './device-day.ts';
import type { FleetEntry } from './fleet-day.ts';
import { sumEnergy } from './fleet-story.ts';
import type { LocalDay } from './local-days.ts';
import { toOperationContext } from './operations.ts';
import { formatEnergy } from './quantities.ts';
import { drawDay } from './sparkline.ts';
import { countOf } from './times.ts';
import { nameOf, readUser } from './users.ts';

/** What a household did. */
export type HouseholdData = components['schemas']['HouseholdData'];

/** Homes that are shown: each is computed for itself. */
const MOST_SHOWN = 6;

/** A home that differs from the others, with the reason. */
interface OddHousehold {
  readonly userId: string;
  readonly reason: string;
}

/** The homes that drew most or least of all in the most periods, the oddest first. */
export function findOddHouseholds(entries: readonly FleetEntry[]): readonly OddHousehold[] {
  const counts = new Map<string, { most: number; least: number }>();
  const count = (id: string | null, name: 'most' | 'least'): void => {
    if (id === null) return;
    const before = counts.get(id) ?? { most: 0, least: 0 };
    counts.set(id, { ...before, [name]: before[name] + 1 });
  };
  for (const { largest_user_id: largest, smallest_user_id: smallest } of entries) {
    if (largest === smallest) continue;
    count(largest, 'most');
    count(smallest, 'least');
  }
  return [...counts]
    .toSorted(([, a], [, b]) => b.most + b.least - (a.most + a.least))
    .slice(0, MOST_SHOWN)
    .map(([userId, times]) => ({ userId, reason: explain(times) }));
}

function explain({ most, least }: { readonly most: number; readonly least: number }): string {
  const parts = [
    ...(most > 0 ? [`drew most in ${countOf(most, 'quarter hour')}`] : []),
    ...(least > 0 ? [`drew least in ${countOf(least, 'quarter hour')}`] : []),
  ];
  return parts.join(', ');
}

/** What a household did in the hours of a day. */
export async function readHouseholdDay(
  context: PortalContext,
  response: PortalResponse,
  userId: string,
  { day, resolution }: { readonly day: LocalDay; readonly resolution: '15MIN' | '1HOUR' },
): Promise<HouseholdData> {
  const operation = toOperationContext(context, response, 'getHouseholdData');
  const answer = await getHouseholdData(operation, {
    path: { org_id: operation.orgId, user_id: userId },
    query: { ...toRange(day), resolution },
    headers: {},
    body: undefined,
    answerType: 'application/json',
  });
  return (await readAnswer(answer.body)) as HouseholdData;
}

/** Those homes as rows, each with the curve of its day. */
export async function tabulateOddHouseholds(
  context: PortalContext,
  response: PortalResponse,
  {
    entries,
    day,
    pathOf,
  }: {
    readonly entries: readonly FleetEntry[];
    readonly day: LocalDay;
    readonly pathOf: (userId: string) => string;
  },
) {
  const rows = [];
  for (const { userId, reason } of findOddHouseholds(entries)) {
    const { data } = await readHouseholdDay(context, response, userId, { day, resolution: '1HOUR' });
    const sparkline = drawDay(data, day, 'Power from the grid over the day');
    rows.push([
      { text: nameOf(await readUser(context, response, userId)), href: pathOf(userId) },
      { text: reason },
      { sparkline },
      { text: formatEnergy(sumEnergy(data, 'grid_import_kwh')) },
      { text: formatEnergy(sumEnergy(data, 'grid_export_kwh')) },
    ]);
  }
  return { columns: COLUMNS, rows };
}

const COLUMNS = [
  { label: 'Home' },
  { label: 'Why it stands out', kind: 'wide', speaksForItself: true },
  { label: 'Grid', speaksForItself: true },
  { label: 'Imported', kind: 'number' },
  { label: 'Fed in', kind: 'number' },
];
