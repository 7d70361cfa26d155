/** Pictures of five households of different kinds in a winter and a summer week. */
import { QUARTER_HOURS_PER_DAY, QUARTER_HOUR_MS } from '../../src/domain/api/durations.ts';
import { UNSTEERED } from '../../src/simulation/control/steering.ts';
import { siteWeather } from '../../src/simulation/environment/weather.ts';
import type { Household } from '../../src/simulation/household/household.ts';
import { splitSeed } from '../../src/simulation/kernel/noise.ts';
import { ARCHETYPES } from '../../src/simulation/household/profiles.ts';
import { createHouseholdModel } from '../../src/simulation/model/model.ts';
import type { Quarter } from '../../src/simulation/model/day-rows.ts';
import { localQuarterAt } from '../../src/simulation/time/local-day.ts';
import type { LineChart, LineSeries } from './charts.ts';
import type { Picture } from './picture.ts';
import type { Row } from './row.ts';
import { households } from './sample-fleets.ts';
import { SEASONS, WEEKS, WEEK_DAYS, weekAxis } from './weeks.ts';
import type { Season } from './weeks.ts';

/** A household to look for: who lives there, and which devices beside panels and a battery. */
interface Kind {
  readonly name: string;
  readonly heading: string;
  readonly words: string;
  readonly profile: string;
  readonly hasCar: boolean;
  readonly pump: 'air' | 'ground' | null;
  readonly place: keyof typeof PLACES;
}

const PLACES = {
  Berlin: { latitude: 52.52, longitude: 13.41 },
  Oslo: { latitude: 59.91, longitude: 10.75 },
} as const;
const COUNT = 600;

const KINDS: readonly Kind[] = [
  {
    name: 'retired',
    heading: 'Retired couple, Berlin',
    words: 'a retired couple in Berlin with panels and a battery',
    profile: 'couple_retired',
    hasCar: false,
    pump: null,
    place: 'Berlin',
  },
  {
    name: 'single',
    heading: 'Working single with a car, Berlin',
    words: 'a working single in Berlin with panels, a battery and a car',
    profile: 'single_working',
    hasCar: true,
    pump: null,
    place: 'Berlin',
  },
  {
    name: 'small-family',
    heading: 'Family with an air heat pump, Berlin',
    words: 'a family with a child in Berlin with panels, a battery and an air-source heat pump',
    profile: 'family_one_child',
    hasCar: false,
    pump: 'air',
    place: 'Berlin',
  },
  {
    name: 'family',
    heading: 'Family with a car and an air heat pump, Berlin',
    words: 'a family with two children in Berlin with panels, a battery, an air-source heat pump and a car',
    profile: 'family_two_children',
    hasCar: true,
    pump: 'air',
    place: 'Berlin',
  },
  {
    name: 'home-office',
    heading: 'Home office, car and ground heat pump, Oslo',
    words: 'people who work at home in Oslo with panels, a battery, a ground-source heat pump and a car',
    profile: 'home_office',
    hasCar: true,
    pump: 'ground',
    place: 'Oslo',
  },
];

function findHousehold({ profile, hasCar, pump, place }: Kind): Household {
  const found = households({ count: COUNT, ev_ownership_fraction: 0.5, ...PLACES[place] }).find(
    (household) =>
      household.profile === profile &&
      (household.electric_vehicle !== null) === hasCar &&
      (household.heat_pump?.source ?? null) === pump,
  );
  if (!found) throw new Error(`No household of ${COUNT} is a ${profile} with these devices.`);
  return found;
}

/** A quarter hour of a week; `day` is that since its local start, at the quarter hour's middle. */
interface Moment {
  readonly day: number;
  readonly quarter: Quarter;
  readonly outdoorC: number;
}

function weekOf(household: Household, season: Season): Moment[] {
  const model = createHouseholdModel(household, UNSTEERED);
  const weather = siteWeather(splitSeed(household.seed), household.latitude, household.longitude);
  const utc = WEEKS[season] * QUARTER_HOURS_PER_DAY;
  const { localDay, localQuarter } = localQuarterAt(household.time_zone, utc);
  const ahead = (localDay - WEEKS[season]) * QUARTER_HOURS_PER_DAY + localQuarter;
  return Array.from({ length: WEEK_DAYS * QUARTER_HOURS_PER_DAY }, (_, i) => {
    const index = utc - ahead + i;
    return {
      day: (i + 0.5) / QUARTER_HOURS_PER_DAY,
      quarter: model.quarter(index),
      outdoorC: weather.airTemperatureAt((index + 0.5) * QUARTER_HOUR_MS),
    };
  });
}

const lineOf = (
  name: string,
  colour: number,
  week: readonly Moment[],
  value: (moment: Moment) => number,
): LineSeries => ({ name, colour, points: week.map((moment) => [moment.day, value(moment)]) });

const POWER = 'Power, mean of a quarter hour, kW';
const PANEL_HEIGHT = 250;
/** mWh of a quarter hour as kW. */
const kw = (milliWh: number): number => milliWh / 250_000;

/** Largest range of an axis with ticks at each 2; those of wider ones are twice as far apart. */
const NARROW = 12;

/** An axis from and to multiples of its step around 0 and all values. */
function axisAround(label: string, charts: readonly (readonly LineSeries[])[]): LineChart['y'] {
  const values = charts.flat().flatMap(({ points }) => points.map(([, y]) => y));
  const [least, most] = [Math.min(0, ...values), Math.max(...values)];
  const step = most - least <= NARROW ? 2 : most - least <= 2 * NARROW ? 4 : 10;
  return { label, from: Math.floor(least / step) * step, to: Math.ceil(most / step) * step, step };
}

const usesOf = (household: Household, week: readonly Moment[]): LineSeries[] => [
  lineOf('household', 0, week, ({ quarter }) => kw(quarter.load)),
  ...(household.heat_pump ? [lineOf('heat pump', 1, week, ({ quarter }) => kw(quarter.hp))] : []),
];

const carOf = (week: readonly Moment[]): LineSeries[] => [
  lineOf('car', 3, week, ({ quarter }) => kw(quarter.ev)),
];

const suppliesOf = (week: readonly Moment[]): LineSeries[] => [
  lineOf('panels', 4, week, ({ quarter }) => kw(quarter.pv)),
  lineOf('battery (out of it above 0)', 2, week, ({ quarter }) => kw(quarter.discharge - quarter.charge)),
  lineOf('grid (from it above 0)', 5, week, ({ quarter }) => kw(quarter.grid)),
];

function chargesOf({ battery, electric_vehicle: vehicle }: Household, week: readonly Moment[]): LineSeries[] {
  const percent = (milliWh: number, capacityKwh: number): number => milliWh / capacityKwh / 1e4;
  return [
    lineOf('battery', 2, week, ({ quarter }) => percent(quarter.stored[0], battery.capacity_kwh)),
    ...(vehicle
      ? [lineOf('car', 3, week, ({ quarter }) => percent(quarter.vehicleStored[0], vehicle.battery_kwh))]
      : []),
  ];
}

const temperaturesOf = (week: readonly Moment[]): LineSeries[] => [
  lineOf('indoors', 1, week, ({ quarter }) => quarter.indoor[0] / 1000),
  lineOf('outdoors', 0, week, ({ outdoorC }) => outdoorC),
];

const tankOf = (week: readonly Moment[]): LineSeries[] => [
  lineOf('mean of the tank', 1, week, ({ quarter }) => quarter.hotWater[0] / 1000),
];

/** What a household is and has, in numbers. */
function factsOf({ profile, load_annual_kwh: load, ev_annual_kwh: ev, ...its }: Household) {
  const { pv, battery, heat_pump: pump } = its;
  const persons = ARCHETYPES.find(({ name }) => name === profile)?.persons ?? NaN;
  const round = (kwh: number): string => Math.round(kwh).toLocaleString('en');
  return {
    people: `${persons} ${persons === 1 ? 'person' : 'persons'}, ${round(load)} kWh a year`,
    panels: `${pv.rating_kw} kWp`,
    battery: `${battery.capacity_kwh} kWh`,
    car: `${round(ev)} kWh a year at home`,
    house: pump ? `${pump.building.floor_area_m2} m², ${pump.building.heat_loss_w_per_k} W/K` : '',
    tank: pump ? `${pump.tank.volume_l} l, ${pump.tank.target_c} °C` : '',
  };
}

function drawWeek(kind: Kind, season: Season, household: Household): Picture {
  const week = weekOf(household, season);
  // The same axes in both seasons, so that they can be compared.
  const both = SEASONS.map((each) => (each === season ? week : weekOf(household, each)));
  const panel = (title: string, y: LineChart['y'], series: readonly LineSeries[]): LineChart => ({
    kind: 'lines',
    height: PANEL_HEIGHT,
    title,
    x: weekAxis(season, 'local time'),
    y,
    series,
  });
  const uses = axisAround(
    POWER,
    both.map((each) => usesOf(household, each)),
  );
  const supplies = axisAround(POWER, both.map(suppliesOf));
  const temperature = axisAround('Temperature, °C', both.map(temperaturesOf));
  const charge = { label: 'State of charge, %', from: 0, to: 100, step: 25 };
  const water = { label: 'Temperature, °C', from: 20, to: 60, step: 10 };
  const facts = factsOf(household);
  const { heat_pump: pump, electric_vehicle: car } = household;
  return {
    name: `household-${kind.name}-${season}`,
    words: `Lines: a ${season} week of ${kind.words} (${facts.people}; ${facts.panels}, ${facts.battery}${car ? `; car ${facts.car}` : ''}${pump ? `; house ${facts.house}` : ''}), in local time. Below each other the power that is used, ${car ? 'that of the car, ' : ''}the power of panels, battery and grid, ${pump ? 'the state of charge, the temperatures indoors and outdoors, and that of the hot-water tank' : 'and the state of charge'}. The households of ${kind.place} share their weather; weather and houses in other pictures of it are other draws, with other days on the same dates.`,
    charts: [
      panel(`${kind.heading}: ${facts.people}`, uses, usesOf(household, week)),
      ...(car ? [panel(`Car: ${facts.car}`, axisAround(POWER, both.map(carOf)), carOf(week))] : []),
      panel(`Panels of ${facts.panels}, battery of ${facts.battery}, grid`, supplies, suppliesOf(week)),
      panel('Stored', charge, chargesOf(household, week)),
      ...(pump
        ? [
            panel(`House of ${facts.house}`, temperature, temperaturesOf(week)),
            panel(`Hot-water tank of ${facts.tank}`, water, tankOf(week)),
          ]
        : []),
    ],
  };
}

/** Nothing is measured of single households: the pictures are there to be looked at. */
export const measure = (): Promise<Row[]> => Promise.resolve([]);

/** A winter and a summer week of each kind. */
export const draw = (): Picture[] =>
  KINDS.flatMap((kind) => {
    const household = findHousehold(kind);
    return SEASONS.map((season) => drawWeek(kind, season, household));
  });
