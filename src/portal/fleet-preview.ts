import type { components } from '../../generated/openapi.ts';
import { QUARTER_HOUR_MS } from '../domain/api/durations.ts';
import type { DayChart } from './day-chart.ts';
import { tabulateChart } from './day-chart.ts';
import { mapPreview } from './fleet-map.ts';
import { describeDevices } from './device-marks.ts';
import { formatEnergy, formatPower } from './quantities.ts';
import { countOf, formatCount } from './times.ts';
import { toWords } from './words.ts';

/** What the operation previewFleet answers, with every home. */
export type Preview = components['schemas']['FleetPreview'];

const QUARTER_HOUR_SECONDS = QUARTER_HOUR_MS / 1_000;
/** Homes in the table; the map has all of them. */
const LISTED_HOMES = 20;
/** Where homes stand of which no place is asked for; the fields of the form say so too. */
const FRANKFURT = '50.11, 8.68';

/** A preview as the form shows it. */
export function describePreview(preview: Preview) {
  const chart = chartAverageDay(preview);
  const { totals, device_counts: devices, warnings } = preview;
  return {
    sentence: `${countOf(totals.households, 'home')} that use ${formatEnergy(totals.annual_load_kwh)} a year; their panels give ${formatEnergy(totals.annual_pv_kwh)}.${tellPlace(preview)}`,
    figures: [
      { label: 'Homes', value: formatCount(totals.households) },
      { label: 'Panels', icon: 'pv', value: `${formatCount(Math.round(totals.pv_rating_kw))} kW` },
      {
        label: 'Batteries',
        icon: 'battery',
        value: `${formatCount(Math.round(totals.battery_capacity_kwh))} kWh`,
      },
    ],
    devices: describeDevices(devices),
    warnings,
    map: mapPreview(preview),
    chart,
    table: tabulateChart(chart),
    groups: tabulateGroups(preview),
    households: tabulateHouseholds(preview),
  };
}

/** Where the homes stand when all stand at one place; by its name where nothing else was asked for. */
function tellPlace({ households }: Preview): string {
  const places = new Set(households.map(({ latitude, longitude }) => `${latitude}, ${longitude}`));
  const [place] = places;
  if (place === undefined || places.size > 1) return '';
  return place === FRANKFURT ? ' All stand in Frankfurt am Main.' : ` All stand at ${place}.`;
}

function chartAverageDay({ average_day: day }: Preview): DayChart {
  const line = (label: string, token: string, values: readonly number[]) => ({
    label,
    token,
    values,
    texts: values.map(formatPower),
  });
  return {
    times: Array.from({ length: day.length + 1 }, (_, index) => index * QUARTER_HOUR_SECONDS),
    clocks: [...day.map(({ time }) => time), '24:00'],
    zone: 'local time',
    known: day.length,
    panels: [
      {
        name: 'Average day of a home',
        unit: 'kW',
        above: [],
        below: [],
        lines: [
          line(
            'Load',
            'text',
            day.map(({ load_w: watts }) => watts),
          ),
          line(
            'Panels',
            'pv',
            day.map(({ pv_w: watts }) => watts),
          ),
        ],
      },
    ],
  };
}

function tabulateGroups({ groups }: Preview) {
  const columns = [
    { label: 'Group', kind: 'wide' },
    { label: 'Kind' },
    { label: 'Homes', kind: 'number' },
    { label: 'With a vehicle', kind: 'number' },
  ];
  const rows = groups.map(({ name, profile, count, electric_vehicle_count: vehicles }) => [
    { text: name },
    { text: toWords(profile) },
    { text: formatCount(count) },
    { text: formatCount(vehicles) },
  ]);
  return { columns, rows };
}

function tabulateHouseholds({ households }: Preview) {
  const columns = [
    { label: 'Home', kind: 'wide' },
    { label: 'Latitude, longitude' },
    { label: 'Panels, kW', kind: 'number' },
    { label: 'Battery, kWh', kind: 'number' },
    { label: 'kWh a year', kind: 'number' },
  ];
  const rows = households
    .slice(0, LISTED_HOMES)
    .map((home) => [
      { text: `${home.index + 1}, ${home.group}, ${toWords(home.profile)}` },
      { text: `${home.latitude.toFixed(4)}, ${home.longitude.toFixed(4)}` },
      { text: String(home.pv_rating_kw) },
      { text: String(home.battery_capacity_kwh) },
      { text: formatCount(Math.round(home.annual_consumption_kwh)) },
    ]);
  return { columns, rows };
}
