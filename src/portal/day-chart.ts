import { QUARTER_HOUR_MS } from '../domain/api/durations.ts';
import type { LocalClock, LocalDay } from './local-days.ts';
import { formatPower } from './quantities.ts';

type Values = readonly (number | null)[];

/** A line of a chart; `token` is the custom property of its colour and the name of its icon's class. */
export interface Line {
  readonly label: string;
  readonly token: string;
  readonly values: Values;
  /** What the readout says at each instant. */
  readonly texts: readonly string[];
}

/** One picture above the common axis of time. Areas stand on each other: those of `above` upwards, those of `below` downwards. */
export interface Panel {
  readonly name: string;
  /** Empty where heights are shares of the whole. */
  readonly unit: string;
  /** `tall` for the main picture, `strip` for one of states, which has no axes of its own. */
  readonly height?: 'tall' | 'strip';
  readonly above: readonly Line[];
  readonly below: readonly Line[];
  readonly lines: readonly Line[];
  /** Whether times without a value of the first line have a frame, which says that none is known. */
  readonly hasFrames?: boolean;
}

/** The pictures of a day, as scripts draw them and tables tell them. */
export interface DayChart {
  /** Seconds since 1970 at which the quarter hours of the day begin, and the end of the day. */
  readonly times: readonly number[];
  /** What the clocks show at each of them. */
  readonly clocks: readonly string[];
  readonly zone: string;
  readonly panels: readonly Panel[];
  /** How many quarter hours there are up to the last one with values; gaps before it count too. */
  readonly known: number;
  /** The quarter hour of the readout; without it the last one with values. */
  readonly at?: number;
  /** Seconds since 1970 at which a line says that it is now. */
  readonly now?: number;
  /** What is not seen in the pictures, such as why one of them is empty. */
  readonly remarks?: readonly string[];
  /** What the readout says beside the values of lines. */
  readonly notes?: readonly Pick<Line, 'label' | 'texts'>[];
}

/** Makes the lines of a chart from the entries of a day; a quarter hour without one is not known. */
export interface LineMaker<Entry> {
  readonly power: (label: string, token: string, read: (entry: Entry) => number | null) => Line;
  readonly temperature: (label: string, token: string, read: (entry: Entry) => number | null) => Line;
  readonly percent: (label: string, token: string, read: (entry: Entry) => number | null) => Line;
}

/** The lines of what is known of a day. */
export function createLineMaker<Entry extends { readonly time: string }>(
  entries: readonly Entry[],
  day: LocalDay,
): LineMaker<Entry> {
  const byTime = new Map(entries.map((entry) => [Date.parse(entry.time), entry]));
  const starts = listQuarters(day);
  const make =
    (format: (value: number) => string) =>
    (label: string, token: string, read: (entry: Entry) => number | null): Line => {
      const values = starts.map((start) => {
        const entry = byTime.get(start.getTime());
        return entry === undefined ? null : read(entry);
      });
      return toLine({ label, token, values, format });
    };
  return {
    power: make(formatPower),
    temperature: make((value) => `${value.toFixed(1)} °C`),
    percent: make((value) => `${value.toFixed(0)} %`),
  };
}

interface Charted {
  readonly entries: readonly { readonly time: string }[];
  readonly day: LocalDay;
  readonly clock: LocalClock;
  readonly panels: readonly Panel[];
}

/** The pictures on the axis of the day; what is known of it ends with the last entry. */
export function toDayChart({ entries, day, clock, panels }: Charted): DayChart {
  const starts = listQuarters(day);
  const times = new Set(entries.map(({ time }) => Date.parse(time)));
  return {
    times: [...starts, day.to].map((instant) => instant.getTime() / 1_000),
    clocks: [...starts.map(clock.formatTime), '24:00'],
    zone: clock.zone,
    known: starts.findLastIndex((start) => times.has(start.getTime())) + 1,
    panels,
  };
}

/** The rows of the table that tells the same: those quarter hours of which anything is known. */
export function tabulateChart({ clocks, panels }: DayChart) {
  const lines = panels.flatMap(({ above, below, lines: others }) => [...others, ...above, ...below]);
  const rows = clocks
    .slice(0, -1)
    .map((clock, index) => [{ text: clock }, ...lines.map(({ texts }) => ({ text: texts[index] ?? '' }))]);
  return {
    columns: [{ label: 'From' }, ...lines.map(({ label }) => ({ label, kind: 'number' }))],
    rows: rows.filter((cells) => cells.slice(1).some(({ text }) => text !== NOT_KNOWN)),
  };
}

/** What stands in place of a value that is not known. */
export const NOT_KNOWN = '–';

/** A picture of lines alone. */
export function panelOfLines(name: string, unit: string, lines: readonly Line[]): Panel {
  return { name, unit, above: [], below: [], lines };
}

interface Formatted extends Pick<Line, 'label' | 'token' | 'values'> {
  readonly format: (value: number) => string;
}

/** A line with its texts. */
export function toLine({ label, token, values, format }: Formatted): Line {
  return { label, token, values, texts: values.map((value) => (value === null ? NOT_KNOWN : format(value))) };
}

/** When the quarter hours of a day begin. */
export function listQuarters({ from, to }: Pick<LocalDay, 'from' | 'to'>): Date[] {
  const count = Math.ceil((to.getTime() - from.getTime()) / QUARTER_HOUR_MS);
  return Array.from({ length: count }, (_, index) => new Date(from.getTime() + index * QUARTER_HOUR_MS));
}
