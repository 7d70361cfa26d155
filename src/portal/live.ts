import { findChangesPath } from './change-stream.ts';
import type { PortalResponse } from './context.ts';
import type { LocalClock } from './local-days.ts';
import { formatSecond } from './times.ts';

/** After how many seconds a page asks for itself again where something is under way, and otherwise. */
const UNDER_WAY_SECONDS = 5;
const QUIET_SECONDS = 30;

/** How a page that is left open is kept up to date. */
export interface Live {
  readonly seconds: number;
  /** Where it hears that something has happened; undefined where the role may not listen. */
  readonly changesPath: string | undefined;
  readonly asOf: { readonly at: string; readonly text: string };
}

/** What a page says of itself so that its script keeps it up to date; a page that shows a day tells the time by the day's clocks. */
export function describeLive(
  response: PortalResponse,
  now: Date,
  { isUnderWay = false, clock }: { readonly isUnderWay?: boolean; readonly clock?: LocalClock } = {},
): Live {
  return {
    seconds: isUnderWay ? UNDER_WAY_SECONDS : QUIET_SECONDS,
    changesPath: findChangesPath(response),
    asOf: { at: now.toISOString(), text: tellInstant(now, clock) },
  };
}

/** `2026-11-21 08:15:07 UTC`, or the same by the clocks of a zone, which it names. */
export function tellInstant(instant: Date, clock?: LocalClock): string {
  if (clock === undefined) return `${formatSecond(instant)} UTC`;
  const [, minute = '', suffix = ''] = /^(\d\d:\d\d)(.*)$/.exec(clock.formatTime(instant)) ?? [];
  const second = instant.toISOString().slice(17, 19);
  return `${clock.dayOf(instant)} ${minute}:${second}${suffix} ${clock.zone}`;
}

/** Cells of a row that are replaced when they have changed, by the id of what the row tells of. What somebody may have chosen stays. */
export function nameCells<Cell extends object>(id: string, cells: readonly Cell[]): readonly Cell[] {
  return cells.map((cell, column) => ('check' in cell ? cell : { ...cell, live: `${id} ${column}` }));
}
