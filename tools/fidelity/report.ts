/** The validation of the simulator: every target of docs/simulation.md#targets but speed, and the charts beside them. */
import { drawChart } from './charts.ts';
import { measureBatteries, measureHeatPumps, measureVehicles } from './devices.ts';
import type { Check } from './sample-fleets.ts';
import { measureMonths, measureNeighbours, measureYields } from './sun.ts';
import { measureInvariants } from './invariants.ts';

export interface ValidationReport {
  readonly checks: readonly Check[];
  /** SVG text by file name. */
  readonly charts: Readonly<Record<string, string>>;
}

/** A pure function: the same numbers on each run and machine. Takes some ten seconds. */
export function validate(): ValidationReport {
  const yields = measureYields();
  const vehicles = measureVehicles();
  const heat = measureHeatPumps();
  const batteries = measureBatteries();
  return {
    checks: [
      ...yields.checks,
      ...vehicles.checks,
      ...heat.checks,
      ...batteries.checks,
      ...measureInvariants(),
      ...measureNeighbours(),
      ...measureMonths(yields.monthly),
    ],
    charts: {
      'pv-yield.svg': drawChart(yields.chart),
      'ev-starts.svg': drawChart(vehicles.chart),
      'heat-pump-cop.svg': drawChart(heat.chart),
      'state-of-charge.svg': drawChart(batteries.chart),
    },
  };
}

/** The report as a table: target, goal, value, verdict. */
export function reportTable(checks: readonly Check[]): string {
  const rows = checks.map(({ target, goal, value, met }) => [target, goal, value, met ? 'met' : 'MISSED']);
  const header = ['Target', 'Goal', 'Value', 'Verdict'];
  const widths = header.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]) => row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ');
  return [line(header), widths.map((width) => '-'.repeat(width)).join('-|-'), ...rows.map(line)].join('\n');
}
