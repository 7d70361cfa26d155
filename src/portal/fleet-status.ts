import type { FleetSummary } from '../domain/fleets/fleet-summary.ts';
import type { FleetStatus } from '../domain/fleets/fleet-states.ts';
import { formatCount } from './times.ts';

/** A status as the partial `status` shows it: a colour, an icon and a word. */
export interface StatusMark {
  readonly kind: 'ok' | 'warning' | 'error' | 'neutral';
  readonly icon?: 'progress';
  readonly word: string;
}

const MARKS: Readonly<Record<FleetStatus, StatusMark>> = {
  queued: { kind: 'neutral', icon: 'progress', word: 'Queued' },
  provisioning: { kind: 'neutral', icon: 'progress', word: 'Provisioning' },
  running: { kind: 'ok', word: 'Running' },
  expanding: { kind: 'ok', icon: 'progress', word: 'Expanding' },
  stopped: { kind: 'neutral', word: 'Stopped' },
  cancelled: { kind: 'neutral', word: 'Cancelled' },
  cleaned: { kind: 'neutral', word: 'Cleaned' },
  failed: { kind: 'error', word: 'Failed' },
  purging: { kind: 'neutral', icon: 'progress', word: 'Purging' },
};

/** The status of a fleet. */
export function markFleet({ status }: Pick<FleetSummary, 'status'>): StatusMark {
  return MARKS[status];
}

/** How far a fleet is built, in whole percent, and in words. */
export function describeProgress({
  createdCount: created,
  householdCount: total,
}: Pick<FleetSummary, 'createdCount' | 'householdCount'>): {
  readonly progress: number;
  readonly text: string;
} {
  const progress = total === 0 ? 0 : Math.floor((100 * created) / total);
  return { progress, text: `${formatCount(created)} of ${formatCount(total)}` };
}

/** After how many seconds a page of these fleets is to be looked at again. */
export function toLiveSeconds(fleets: readonly Pick<FleetSummary, 'status'>[]): number {
  return fleets.some(isFleetChanging) ? 2 : 30;
}

/** Whether its status or its number of homes changes by itself. */
export function isFleetChanging({ status }: Pick<FleetSummary, 'status'>): boolean {
  return MARKS[status].icon === 'progress';
}
