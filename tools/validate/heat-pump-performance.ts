/** A picture of how much heat pumps make of their electricity at which outdoor temperature. */
import { QUARTER_HOURS_PER_DAY } from '../../src/domain/api/durations.ts';
import { UNCONTROLLED } from '../../src/simulation/control/household-control.ts';
import { siteWeather } from '../../src/simulation/environment/weather.ts';
import { HEAT_MODES, createHeatPumpRows } from '../../src/simulation/house/heat-pump-rows.ts';
import type { HeatMode } from '../../src/simulation/house/heat-pump-rows.ts';
import { UnsteeredHouse } from '../../src/simulation/house/unsteered-house.ts';
import { splitSeed } from '../../src/simulation/kernel/noise.ts';
import type { LineSeries } from './charts.ts';
import { FIRST_DAY, heatedHouseholds } from './heat-pump-years.ts';
import type { Heated, Place } from './heat-pump-years.ts';
import type { Picture } from './picture.ts';

const DAYS = 365;
const [COLDEST_C, WARMEST_C] = [-20, 25];
const PLACES: readonly Place[] = ['Oslo', 'Berlin'];
const HOMES = 40;
/** Fewer quarter hours tell more of chance than of the pump. */
const LEAST_QUARTERS = 200;

/** Heat and electricity by degree of outdoor temperature, mWh. */
class DegreeSums {
  readonly #heat = new Float64Array(WARMEST_C - COLDEST_C + 1);
  readonly #electricity = new Float64Array(this.#heat.length);
  readonly #quarters = new Float64Array(this.#heat.length);

  add(outdoorC: number, heat: number, electricity: number): void {
    const degree = Math.round(outdoorC) - COLDEST_C;
    if (degree < 0 || degree >= this.#heat.length) return;
    this.#heat[degree] = (this.#heat[degree] ?? 0) + heat;
    this.#electricity[degree] = (this.#electricity[degree] ?? 0) + electricity;
    this.#quarters[degree] = (this.#quarters[degree] ?? 0) + 1;
  }

  points(): [number, number][] {
    return Array.from(this.#heat, (heat, degree): [number, number] => [
      degree + COLDEST_C,
      heat / (this.#electricity[degree] ?? NaN),
    ]).filter((_, degree) => (this.#quarters[degree] ?? 0) >= LEAST_QUARTERS);
  }
}

const KINDS = [
  { name: 'air, heating', source: 'air', mode: 'heating' },
  { name: 'air, hot water', source: 'air', mode: 'hot_water' },
  { name: 'ground, heating', source: 'ground', mode: 'heating' },
  { name: 'ground, hot water', source: 'ground', mode: 'hot_water' },
] as const;

function addYear(household: Heated, sums: Readonly<Record<HeatMode, DegreeSums>>): void {
  const simulation = new UnsteeredHouse(household, household.heat_pump, UNCONTROLLED);
  const weather = siteWeather(splitSeed(household.seed), household.latitude, household.longitude);
  const rows = createHeatPumpRows(QUARTER_HOURS_PER_DAY);
  for (let day = FIRST_DAY; day < FIRST_DAY + DAYS; day++) {
    simulation.fillDay(day, rows);
    const air = weather.airTemperaturesOn(day);
    for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
      sums[HEAT_MODES[rows.mode[i] ?? 0] ?? 'off'].add(air[i] ?? 0, rows.heat[i] ?? 0, rows.hp[i] ?? 0);
    }
  }
}

/** Coefficients of performance by outdoor temperature, source and use. */
export function drawPerformance(): Picture {
  const create = (): Record<HeatMode, DegreeSums> => ({
    off: new DegreeSums(),
    heating: new DegreeSums(),
    hot_water: new DegreeSums(),
  });
  const sums = { air: create(), ground: create() };
  for (const place of PLACES) {
    for (const household of heatedHouseholds(place).slice(0, HOMES)) {
      addYear(household, sums[household.heat_pump.source]);
    }
  }
  const series = KINDS.map(({ name, source, mode }): LineSeries => ({
    name,
    points: sums[source][mode].points(),
    isDashed: mode === 'hot_water',
    colour: source === 'air' ? 0 : 2,
  }));
  return {
    name: 'heat-pump-cop',
    words:
      'Lines: the coefficient of performance of heat pumps with air and with ground source by outdoor temperature, for heating and for hot water; it rises with the outdoor temperature, more for air, and is lower for hot water.',
    charts: [
      {
        kind: 'lines',
        title: `Coefficient of performance of ${PLACES.length * HOMES} heat pumps in Oslo and Berlin, with backup heaters`,
        x: { label: 'Outdoor temperature of the quarter hour, °C', from: COLDEST_C, to: WARMEST_C, step: 5 },
        y: { label: 'Coefficient of performance (heat out over electricity in)', from: 0, to: 6, step: 1 },
        series,
      },
    ],
  };
}
