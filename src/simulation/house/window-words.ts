/** The words of a window whose heat pump is blocked by plans (docs/simulation.md#schedules): they change, the heat does not. */
import { SCHEDULE_STATES } from '../control/schedule-states.ts';
import type { Window } from './window.ts';

/** So long a pump may give no heat by the words of its schedule; what is longer is set back. */
export const LONGEST_BLOCK = 8;
const MIN = SCHEDULE_STATES.indexOf('min');
const LOW = SCHEDULE_STATES.indexOf('low');

/** Writes what a blocked heat pump is asked for. `blockedBefore`: for how many quarter hours it has been before the window. */
export function writeBlocks({ blocked, rows }: Window, blockedBefore: number): void {
  let run = blockedBefore;
  for (const [i, isBlocked] of blocked.entries()) {
    run = isBlocked === 1 ? run + 1 : 0;
    if (run > 0) rows.asked[i] = run <= LONGEST_BLOCK ? MIN : LOW;
  }
}

/** For how many quarter hours a window ends blocked. */
export function blockedAtEnd({ blocked }: Window): number {
  return blocked.length - 1 - blocked.lastIndexOf(0);
}
