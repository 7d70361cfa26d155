/** Vehicles, heat pumps and batteries (docs/simulation.md#targets). */
import type { Household } from '../../src/simulation/household/household.ts';
import { localQuarterAt } from '../../src/simulation/time/local-day.ts';
import { splitSeed } from '../../src/simulation/kernel/noise.ts';
import { createHeatPumpScheduler } from '../../src/simulation/house/schedule.ts';
import { siteWeather } from '../../src/simulation/environment/weather.ts';
import type { Chart } from './charts.ts';
import { FIRST_DAY, eachDay, households, sum, within } from './sample-fleets.ts';
import type { Check } from './sample-fleets.ts';
import { MARKETS, marketPrices } from './markets.ts';
import { QUARTER_HOURS_PER_DAY } from '../../src/domain/api/durations.ts';

const WEEKS = 365 / 7;

export function measureVehicles(): { checks: Check[]; chart: Chart } {
  const fleet = households({ count: 60, ev_ownership_fraction: 1, pv_rating_kw: 0 });
  const starts = new Array<number>(24).fill(0);
  let milliWh = 0;
  let largestDeviation = 0;
  let largestTotalDeviation = 0;
  for (const household of fleet) {
    let before = 0;
    let own = 0;
    let total = 0;
    eachDay({ ...household, heat_pump: null }, ({ ev, load }, day) => {
      total += sum(load) + sum(ev);
      for (const [i, energy] of ev.entries()) {
        if (energy > 0 && before === 0) {
          const { localQuarter } = localQuarterAt(household.time_zone, day * QUARTER_HOURS_PER_DAY + i);
          const hour = Math.floor(localQuarter / 4);
          starts[hour] = (starts[hour] ?? 0) + 1;
        }
        before = energy;
        own += energy;
      }
    });
    milliWh += own;
    largestDeviation = Math.max(largestDeviation, Math.abs(own / (household.ev_annual_kwh * 1e6) - 1));
    const annual = (household.load_annual_kwh + household.ev_annual_kwh) * 1e6;
    largestTotalDeviation = Math.max(largestTotalDeviation, Math.abs(total / annual - 1));
  }
  const sessions = sum(starts);
  const asked = sum(fleet.map((household) => household.ev_annual_kwh)) * 1e6;
  const peak = starts.indexOf(Math.max(...starts));
  return {
    checks: [
      within('EV charging sessions a week', sessions / WEEKS / fleet.length, 1.5, 3.5),
      within('EV energy of a session, kWh', milliWh / 1e6 / sessions, 12, 22, 1),
      within('EV starts peak in the hour from', peak, 16, 18, 0),
      within('EV energy of a year, of that asked', milliWh / asked, 0.95, 1.05, 4),
      within('EV energy of a year, largest deviation of a household, %', 100 * largestDeviation, 0, 5, 1),
      within(
        'Annual consumption with an EV, largest deviation of a household, %',
        100 * largestTotalDeviation,
        0,
        1,
        2,
      ),
    ],
    chart: {
      title: 'Starts of charging sessions by hour: 60 vehicles, one year',
      kind: 'bars',
      x: {
        label: 'Hour of the day in which the session starts (local time)',
        categories: starts.map((_, hour) => String(hour)),
        ticks: starts.flatMap((_, hour) => (hour % 3 === 0 ? [String(hour)] : [])),
      },
      y: { label: 'Share of the sessions, %', from: 0, to: 20, step: 5 },
      series: [{ name: 'simulated', values: starts.map((count) => (100 * count) / sessions) }],
    },
  };
}

interface PumpYear {
  readonly heat: number;
  readonly electric: number;
}

export function measureHeatPumps(): { checks: Check[]; chart: Chart } {
  const fleet = households({ count: 320, ev_ownership_fraction: 0, pv_rating_kw: 0 }).filter(
    (household) => household.heat_pump,
  );
  const bins = { air: new Map<number, PumpYear[]>(), ground: new Map<number, PumpYear[]>() };
  const years = fleet.map((household) => {
    const pump = household.heat_pump;
    if (!pump) throw new Error('Every household of this fleet has a heat pump.');
    const weather = siteWeather(splitSeed(household.seed), household.latitude, household.longitude);
    let [heat, electric] = [0, 0];
    eachDay(household, (rows, day) => {
      const daily = { heat: sum(rows.heat), electric: sum(rows.hp) };
      heat += daily.heat;
      electric += daily.electric;
      const degree = Math.round(weather.meanTemperatureOn(day));
      const bin = bins[pump.source].get(degree) ?? [];
      bins[pump.source].set(degree, [...bin, daily]);
    });
    return { source: pump.source, heat, electric };
  });
  const performanceFactor = (items: readonly PumpYear[]) =>
    sum(items.map(({ heat }) => heat)) / sum(items.map(({ electric }) => electric));
  const of = (source: 'air' | 'ground') => years.filter((year) => year.source === source);
  const curve = (source: 'air' | 'ground') =>
    [...bins[source]]
      .filter(([degree]) => degree >= -10 && degree <= 20)
      .sort(([a], [b]) => a - b)
      .map(([degree, days]): [number, number] => [degree, performanceFactor(days)]);
  return {
    checks: [
      within('Seasonal performance factor, air', performanceFactor(of('air')), 2.6, 3.6),
      within('Seasonal performance factor, ground (air + 0.7)', performanceFactor(of('ground')), 3.3, 4.3),
      ...Object.keys(MARKETS).map((market) => {
        const ratio = heatUnderPrices(fleet.slice(0, 12), market as keyof typeof MARKETS);
        return within(`Heat of a year, ${market}, over that without prices`, ratio, 0.9, 1.1);
      }),
    ],
    chart: performanceChart(curve('air'), curve('ground')),
  };
}

function performanceChart(air: [number, number][], ground: [number, number][]): Chart {
  return {
    title: 'Coefficient of performance of heat pumps by outdoor temperature',
    kind: 'lines',
    x: { label: 'Mean outdoor temperature of the day, °C', from: -10, to: 20, step: 5 },
    y: { label: 'Coefficient of performance (heat out over electricity in)', from: 1, to: 5, step: 1 },
    series: [
      { name: 'air source', points: air },
      { name: 'ground source', points: ground },
    ],
  };
}

/** Yearly heat when prices move it in time, over that of the same houses without prices. */
function heatUnderPrices(fleet: readonly Household[], market: keyof typeof MARKETS): number {
  const book = marketPrices(market);
  let [steered, plain] = [0, 0];
  for (const household of fleet) {
    const schedule = createHeatPumpScheduler(household, book, new Date(8.64e15));
    eachDay(household, (rows) => void (steered += sum(rows.heat)), schedule);
    eachDay(household, (rows) => void (plain += sum(rows.heat)));
  }
  return steered / plain;
}

const WEEKS_SHOWN = [
  { name: 'March', day: 75 },
  { name: 'June', day: 165 },
  { name: 'December', day: 335 },
] as const;

export function measureBatteries(): { checks: Check[]; chart: Chart } {
  const fleet = households({
    count: 60,
    ev_ownership_fraction: 0,
    annual_consumption_kwh: 5000,
    pv_rating_kw: 5,
    battery_capacity_kwh: 5,
    groups: [{ name: 'a', variation_fraction: 0 }],
  }).map((household): Household => ({ ...household, heat_pump: null }));
  const shown = WEEKS_SHOWN.map(({ name }) => ({ name, points: [] as [number, number][] }));
  let [load, imported, cycles] = [0, 0, 0];
  for (const [index, household] of fleet.entries()) {
    const capacity = household.battery.capacity_kwh * 1e6;
    eachDay(household, (rows, day) => {
      load += sum(rows.load);
      for (const grid of rows.grid) imported += Math.max(0, grid);
      cycles += sum(rows.discharge) / household.battery.efficiency / capacity / fleet.length;
      if (index > 0) return;
      for (const [week, { day: first }] of WEEKS_SHOWN.entries()) {
        const since = day - FIRST_DAY - first;
        if (since < 0 || since > 6) continue;
        for (let i = 0; i < QUARTER_HOURS_PER_DAY; i += 2) {
          shown[week]?.points.push([
            since + i / QUARTER_HOURS_PER_DAY,
            (100 * (rows.stored[i] ?? 0)) / capacity,
          ]);
        }
      }
    });
  }
  return {
    checks: [
      within('Self-sufficiency at 1 kWp and 1 kWh per MWh', 1 - imported / load, 0.5, 0.62),
      within('Full cycles of the battery a year', cycles, 200, 300, 0),
    ],
    chart: {
      title: 'State of charge of a battery of 5 kWh with panels of 5 kWp in three weeks',
      kind: 'lines',
      x: { label: 'Days since the start of the week shown', from: 0, to: 7, step: 1 },
      y: { label: 'State of charge, %', from: 0, to: 100, step: 20 },
      series: shown,
    },
  };
}
