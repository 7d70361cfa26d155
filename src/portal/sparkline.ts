import { HOUR_MS } from '../domain/api/durations.ts';
import type { DayEntry } from './home-chart.ts';
import type { LocalDay } from './local-days.ts';

const [WIDTH, HEIGHT] = [96, 24];
/** What fills the height at least: less than this is no swing that people would see. */
const LEAST_SPAN_W = 100;

/** A small line of a day, drawn in units of 96 by 24; `zero` is where it changes its sign. */
export interface Sparkline {
  readonly path: string;
  readonly zero: number;
  /** What it shows, for who cannot see it. */
  readonly label: string;
}

type Hour = Pick<DayEntry, 'time' | 'grid_power_w'>;

/** Draws the power from the grid in the hours of a day, of which there may be 23 or 25; what is not known is a gap. */
export function drawDay(hours: readonly Hour[], { from, to }: LocalDay, label: string): Sparkline {
  const powers = hours.map((hour) => hour.grid_power_w).filter((power) => power !== null);
  const [least, most] = [Math.min(0, ...powers), Math.max(0, ...powers)];
  const span = Math.max(LEAST_SPAN_W, most - least);
  const high = (most + least + span) / 2;
  const y = (power: number): string => ((HEIGHT * (high - power)) / span).toFixed(1);
  const x = (ms: number): string => {
    const share = (ms - from.getTime()) / (to.getTime() - from.getTime());
    return (WIDTH * Math.min(1, Math.max(0, share))).toFixed(1);
  };
  let end: string | undefined;
  const steps = hours.map(({ time, grid_power_w: power }) => {
    if (power === null) return '';
    const [start, next] = [x(Date.parse(time)), x(Date.parse(time) + HOUR_MS)];
    const step = `${start === end ? `V${y(power)}` : `M${start} ${y(power)}`}H${next}`;
    end = next;
    return step;
  });
  return { path: steps.join(''), zero: Number(y(0)), label };
}
