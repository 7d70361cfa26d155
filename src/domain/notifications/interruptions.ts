/** What a device's conditions keep from those who read and steer it (docs/simulation.md#conditions). */
import { QUARTER_HOUR_MS } from '../api/durations.ts';
import { CONDITION_CODES } from './conditions.ts';
import type { ConditionCode } from './conditions.ts';

/**
 * What becomes of the values of a device while a condition holds: they come as usual, come late, with its end, since the
 * device kept them, or are lost, since nobody was permitted to read them.
 */
export type Readings = 'as_usual' | 'late' | 'lost';

/** By code; no condition of a device lets it be steered. */
export const READINGS_BY_CODE: Readonly<Record<ConditionCode, Readings>> = {
  device_offline: 'late',
  reauthenticate: 'lost',
  steering_recovery_failed: 'as_usual',
  subscription_required: 'as_usual',
};

/** How often one condition of a device can begin: its past follows from all of its times. */
export const MAX_INTERRUPTIONS = 256;

/** One of the times in which a condition of a device held. */
export interface Interruption {
  readonly code: ConditionCode;
  /** The beginning, or later where that came in late, in milliseconds since 1970: what was read by then stays. */
  readonly readUntilMs: number;
  /** Milliseconds since 1970; null while it holds. */
  readonly endedAtMs: number | null;
  /** Quarter hour since 1970 from which the device was not steered. */
  readonly unsteeredFrom: number;
  /** Exclusive; null while it holds. */
  readonly unsteeredTo: number | null;
}

/** Quarter hours since 1970. */
export interface QuarterHours {
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
}

/** The end of what has none yet. */
export const NO_END = Number.MAX_SAFE_INTEGER;

/** When the device was read last before `now`; undefined while it is being read. */
export function findLastReadAt(interruptions: readonly Interruption[], now: Date): Date | undefined {
  const unread = interruptions
    .filter(({ code, readUntilMs }) => READINGS_BY_CODE[code] !== 'as_usual' && readUntilMs <= now.getTime())
    .map(({ readUntilMs, endedAtMs }) => ({ first: readUntilMs, end: endedAtMs ?? NO_END }));
  const last = joinSpans(unread).at(-1);
  return last !== undefined && last.end > now.getTime() ? new Date(last.first) : undefined;
}

/**
 * The quarter hours of which no values are known at `now`, ascending and disjoint: those that a condition touched in which
 * values are lost, and, while the device is not read, all from the one on in which it was read last.
 */
export function listUnreadQuarters(interruptions: readonly Interruption[], now: Date): QuarterHours[] {
  const lost = interruptions
    .filter(({ code, readUntilMs, endedAtMs }) => {
      const wasUnread = readUntilMs <= now.getTime() && (endedAtMs === null || readUntilMs <= endedAtMs);
      return READINGS_BY_CODE[code] === 'lost' && wasUnread;
    })
    .map(({ readUntilMs, endedAtMs }) => ({
      first: Math.floor(readUntilMs / QUARTER_HOUR_MS),
      end: endedAtMs === null ? NO_END : Math.ceil(endedAtMs / QUARTER_HOUR_MS),
    }));
  const lastReadAt = findLastReadAt(interruptions, now);
  if (lastReadAt !== undefined)
    lost.push({ first: Math.floor(lastReadAt.getTime() / QUARTER_HOUR_MS), end: NO_END });
  return joinSpans(lost);
}

/** The quarter hours in which a device was not steered, ascending and disjoint. */
export function listUnsteeredQuarters(interruptions: readonly Interruption[]): QuarterHours[] {
  return joinSpans(
    interruptions.map(({ unsteeredFrom, unsteeredTo }) => ({
      first: unsteeredFrom,
      end: unsteeredTo ?? NO_END,
    })),
  );
}

/** The condition that holds; of several the one that comes first in the list of conditions. Undefined when none does. */
export function findPresentCondition(interruptions: readonly Interruption[]): ConditionCode | undefined {
  const present = new Set(interruptions.flatMap(({ code, endedAtMs }) => (endedAtMs === null ? [code] : [])));
  return CONDITION_CODES.find((code) => present.has(code));
}

/** Spans in ascending order, those that touch or overlap as one, without empty ones. */
function joinSpans(spans: readonly QuarterHours[]): QuarterHours[] {
  const joined: { first: number; end: number }[] = [];
  for (const { first, end } of spans.toSorted((a, b) => a.first - b.first)) {
    if (first >= end) continue;
    const last = joined.at(-1);
    if (last !== undefined && first <= last.end) last.end = Math.max(last.end, end);
    else joined.push({ first, end });
  }
  return joined;
}
