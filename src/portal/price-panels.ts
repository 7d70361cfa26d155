import { listQuarters, panelOfLines, toLine } from './day-chart.ts';
import type { Line, Panel } from './day-chart.ts';
import type { PortalContext, PortalResponse } from './context.ts';
import { readSchedule } from './device-day.ts';
import type { ScheduleEntry } from './device-day.ts';
import type { QuarterPrices } from './energy-cost.ts';
import type { ShownDay } from './fleet-day.ts';
import { tellLatePrices } from './known-prices.ts';
import type { LocalDay } from './local-days.ts';
import { findInForce, listPricesInForce } from './price-list.ts';
import { formatPrice } from './quantities.ts';
import type { NamedHeatPump } from './reads.ts';
import { getScope } from './shell.ts';

/** What a schedule may ask of a heat pump, from the least on, with the word for it. */
export const SCHEDULE_STATES = [
  ['min', 'Blocked'],
  ['low', 'Set back'],
  ['mid', 'Normal'],
  ['max', 'Boosted'],
] as const;

/** The prices of a day, by quarter hours and as pictures; both are empty where none is known. */
interface PricedDay {
  readonly byQuarter: QuarterPrices;
  readonly panels: readonly Panel[];
  /** What is not seen in the pictures. */
  readonly remarks: readonly string[];
}

/** A day of which no price is known. */
export const NO_PRICES: PricedDay = { byQuarter: new Map(), panels: [], remarks: [] };

/**
 * The prices of a day as the devices of the page's scope see them, and what heat pumps are asked for by them. Without prices there is
 * neither: every pump is asked for the same all day.
 */
export async function readPricedDay(
  context: PortalContext,
  response: PortalResponse,
  { day, clock }: Pick<ShownDay, 'day' | 'clock'>,
  listPumps: () => Promise<readonly NamedHeatPump[]>,
): Promise<PricedDay> {
  const starts = listQuarters(day);
  const listed = await listPricesInForce(context, response, getScope(response).orgId, day);
  const inForce = findInForce(listed, starts);
  const byQuarter = new Map(
    starts.flatMap((start, index): [number, number][] => {
      const price = inForce[index]?.price;
      return price === undefined ? [] : [[start.getTime(), price]];
    }),
  );
  if (byQuarter.size === 0) return NO_PRICES;
  const schedules = [];
  for (const pump of await listPumps()) schedules.push(await readSchedule(context, response, pump, day));
  const strips = chartSchedules(day, schedules);
  const late = strips.length === 0 ? undefined : tellLatePrices(starts, inForce, context.clock(), clock);
  return {
    byQuarter,
    panels: [chartPrices(starts.map((start) => byQuarter.get(start.getTime()) ?? null)), ...strips],
    remarks: late === undefined ? [] : [late],
  };
}

function chartPrices(values: readonly (number | null)[]): Panel {
  const line = toLine({ label: 'Price', token: 'text', values, format: formatPrice });
  return panelOfLines('Price', 'EUR/MWh', [line]);
}

/**
 * What is asked of a heat pump, as a strip that is the higher the more it may draw; of several, how many of them each state is asked
 * of. No picture without a schedule.
 */
export function chartSchedules(
  day: Pick<LocalDay, 'from' | 'to'>,
  schedules: readonly (readonly ScheduleEntry[])[],
): readonly Panel[] {
  const known = schedules.filter((entries) => entries.length > 0);
  if (known.length === 0) return [];
  const states = known.map(
    (entries) => new Map(entries.map(({ time, state }) => [Date.parse(time), state] as const)),
  );
  const isOne = states.length === 1;
  const lines = SCHEDULE_STATES.map(([state, word], level): Line => {
    const values = listQuarters(day).map((start) => {
      const asked = states.flatMap((each) => each.get(start.getTime()) ?? []);
      if (asked.length === 0) return null;
      const share = asked.filter((each) => each === state).length / asked.length;
      return isOne ? (share * (level + 1)) / SCHEDULE_STATES.length : share;
    });
    const format = (share: number): string =>
      isOne ? (share > 0 ? 'asked for' : 'no') : `${Math.round(100 * share)} %`;
    return toLine({ label: `${word} (${state})`, token: `schedule-${state}`, values, format });
  });
  const name = isOne ? 'Schedule of the heat pump' : `Schedules of ${states.length} heat pumps`;
  return [{ name, unit: '', height: 'strip', above: lines, below: [], lines: [] }];
}
