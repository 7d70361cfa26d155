// The tables of docs/scale.md.
import { ASSUMPTIONS } from './assumptions.ts';
import { computeDemand } from './demand.ts';
import type { Demand } from './demand.ts';
import type { ScaleFigures } from './figures.ts';
import { findDevicesWithin, LIMITS } from './limits.ts';

/** The sizes of docs/scale.md, in devices. */
const SIZES = [10_000, 1_000_000, 10_000_000];
/** The machines of docs/scale.md, in cores. */
const MACHINES = [2, 4, 8, 16];

const integer = (value: number): string => Math.round(value).toLocaleString('en');
/** Two digits, so that nobody takes an estimate for a measurement. */
const rough = (value: number): string =>
  value < 0.01 ? 'below 0.01' : Number(value.toPrecision(2)).toLocaleString('en');
const storage = (bytes: number): string =>
  bytes < 1e12 ? `${rough(bytes / 1e9)} GB` : `${rough(bytes / 1e12)} TB`;
const count = (devices: number | undefined): string =>
  devices === undefined ? 'any number' : integer(devices);

/** Everything between the markers of the page. */
export function printTables(figures: ScaleFigures): string {
  return [
    '### By size',
    printSizes(figures),
    '### What reaches its limit first',
    printLimits(figures),
    '### By machine',
    printMachines(figures),
    '### Assumptions',
    printAssumptions(),
    '### Figures',
    printFigures(figures),
    printBytes(figures),
  ].join('\n\n');
}

function printSizes(figures: ScaleFigures): string {
  const demands = SIZES.map((devices) => computeDemand(figures, devices));
  const row = (name: string, print: (demand: Demand) => string): string[] => [name, ...demands.map(print)];
  return toTable(
    ['Devices', ...SIZES.map(integer)],
    [
      row('homes; partners', ({ homes, partners }) => `${rough(homes)}; ${partners}`),
      row('requests a second at the peak', (each) => rough(each.requestsPerSecond)),
      row('messages a second at the peak', (each) => rough(each.messagesPerSecond)),
      row('messages of one large outage', (each) => rough(each.outageMessages)),
      row('until one webhook has taken them', (each) => `${rough(each.outageSeconds)} s`),
      row('cores of API processes', ({ cores }) => rough(cores.api)),
      row('cores of workers', ({ cores }) => rough(cores.workers)),
      row('cores of PostgreSQL', ({ cores }) => rough(cores.database)),
      row('API processes; workers', ({ processes }) => `${processes.api}; ${processes.workers}`),
      row('PostgreSQL connections', ({ connections }) => integer(connections)),
      row('disk after a year', ({ disk }) => storage(disk.total)),
      row('of it the request log', ({ disk }) => storage(disk.requestLog)),
      row('of it users, homes and devices: best in memory', ({ disk }) => storage(disk.hot)),
      row('more in each further year', ({ disk }) => storage(disk.added)),
      row('beyond their limits, the furthest first', listExceeded),
    ],
  );
}

/** What is beyond its limit, the furthest first. */
function listExceeded(demand: Demand): string {
  const names = LIMITS.map(({ name, of, limit }) => ({ name, share: of(demand) / limit }))
    .filter(({ share }) => share > 1)
    .toSorted((a, b) => b.share - a.share)
    .map(({ name }) => name);
  return names.length === 0 ? 'nothing' : names.join(', ');
}

function printLimits(figures: ScaleFigures): string {
  const reached = LIMITS.map(({ of, limit, ...rest }) => ({
    ...rest,
    devices: findDevicesWithin(figures, of, limit),
  })).toSorted((a, b) => (a.devices ?? Infinity) - (b.devices ?? Infinity));
  return toTable(
    ['Limit', 'Set by', 'Enough for devices', 'What to do'],
    reached.map(({ name, by, devices, cure }) => [name, by, count(devices), cure]),
  );
}

function printMachines(figures: ScaleFigures): string {
  const all = ({ cores }: Demand): number => cores.api + cores.workers + cores.database;
  const database = ({ cores }: Demand): number => cores.database;
  return toTable(
    ['Cores of a machine', 'Devices, with everything on it', 'Devices, with PostgreSQL alone on it'],
    MACHINES.map((cores) => [
      String(cores),
      count(findDevicesWithin(figures, all, cores)),
      count(findDevicesWithin(figures, database, cores)),
    ]),
  );
}

function printAssumptions(): string {
  return toTable(
    ['Assumption', 'Value', 'Why'],
    Object.values(ASSUMPTIONS).map(({ what, value, why }) => [
      what,
      value.toLocaleString('en', { maximumFractionDigits: 3 }),
      why,
    ]),
  );
}

function printFigures({ machine, rows }: ScaleFigures): string {
  const table = toTable(
    ['Row of the bench', 'Median', 'Noise', 'Limit in the same rounds', 'Measured on', 'Commit'],
    Object.values(rows).map(({ name, unit, median, noise, calibration, measuredOn, commit }) => [
      `\`${name}\``,
      `${median.toLocaleString('en')} ${unit}`,
      noise === null ? '-' : `± ${Math.round(noise * 100)} %`,
      calibration === null ? '-' : `${calibration.toLocaleString('en')} ${unit}`,
      measuredOn,
      `\`${commit}\``,
    ]),
  );
  const { processor, cores, platform, node } = machine;
  return `${cores} cores (${processor}), ${platform}, Node ${node.replace(/^v/, '')}.\n\n${table}`;
}

function printBytes({ bytesOfRow }: ScaleFigures): string {
  return toTable(
    ['Table', 'Bytes of a row with its indexes'],
    Object.entries(bytesOfRow).map(([table, bytes]) => [`\`${table}\``, integer(bytes)]),
  );
}

/** A table as prettier formats it: columns as wide as their widest cell. */
function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) =>
    Math.max(3, ...[head, ...rows].map((cells) => cells[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
