/** The spans that are planned at a time: from 14:00 local, when the next day's prices are known, to 14:00. */
import { localQuarterAt, utcQuarterAt } from '../time/local-day.ts';
import { RUN_QUARTERS } from './compressor-runs.ts';

/** Local quarter hour from which on the next day's prices are known. */
const PRICES_KNOWN = 56;

/**
 * The quarter hour since 1970 with which the window of a local day begins in a zone: 14:00 local, or later where the two
 * hours of a compressor's run begin later, so that no run lies in two windows.
 */
export function windowStart(zone: string, localDay: number): number {
  return Math.ceil(utcQuarterAt(zone, localDay, PRICES_KNOWN) / RUN_QUARTERS) * RUN_QUARTERS;
}

/** The local day (since 1970) in whose window a quarter hour lies. */
export function windowAt(zone: string, quarter: number): number {
  let { localDay: window } = localQuarterAt(zone, quarter);
  while (windowStart(zone, window) > quarter) window -= 1;
  while (windowStart(zone, window + 1) <= quarter) window += 1;
  return window;
}
