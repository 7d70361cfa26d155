import type { DeliveryCount } from '../domain/notifications/delivery-count.ts';
import { MINUTE_MS } from '../domain/api/durations.ts';
import { countOf, formatCount, formatTimeOfDay } from './times.ts';

/** The last hour in bars of five minutes. */
export const PERIODS = 12;
export const PERIOD_SECONDS = 300;
const PERIOD_MS = 5 * MINUTE_MS;

const BAR_HEIGHT = 64;
const BAR_PITCH = 10;
const BAR_WIDTH = 9;

/** States from the ground up, with the class of their bars. Cancelled ones were not to be sent any more. */
const STACK = [
  ['delivered', 'ok'],
  ['pending', 'pending'],
  ['exhausted', 'failed'],
] as const;

interface Bar {
  readonly kind: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The deliveries of an hour as the page shows them. */
export interface RecentDeliveries {
  readonly delivered: string;
  /** The rest in words; empty when all have arrived. */
  readonly rest: string;
  readonly total: number;
  readonly sentence: string;
  readonly bars: readonly Bar[];
  /** Where the axis begins and ends, UTC. */
  readonly from: string;
  readonly to: string;
}

/** The beginning of the hour that ends with the period of `now`. */
export function startOfHour(now: Date): Date {
  const end = Math.ceil((now.getTime() + 1) / PERIOD_MS) * PERIOD_MS;
  return new Date(end - PERIODS * PERIOD_MS);
}

/** Sums and bars of an hour's deliveries. */
export function describeDeliveries(counts: readonly DeliveryCount[], since: Date): RecentDeliveries {
  const sum = (state: DeliveryCount['state']): number =>
    counts.filter((each) => each.state === state).reduce((total, { count }) => total + count, 0);
  const [delivered, pending, exhausted] = [sum('delivered'), sum('pending'), sum('exhausted')];
  const atLeast = counts.some(({ isCapped }) => isCapped) ? 'at least ' : '';
  const rest = [
    pending > 0 ? `${formatCount(pending)} pending` : '',
    exhausted > 0 ? `${formatCount(exhausted)} given up` : '',
  ].filter((part) => part !== '');
  const total = delivered + pending + exhausted;
  return {
    delivered: `${atLeast}${formatCount(delivered)}`,
    rest: rest.join(', '),
    total,
    sentence: `Of ${atLeast}${countOf(total, 'message')} in the last hour ${formatCount(delivered)} arrived${rest.length > 0 ? `, ${rest.join(', ')}` : ''}.`,
    bars: drawBars(counts),
    from: formatTimeOfDay(since),
    to: formatTimeOfDay(new Date(since.getTime() + PERIODS * PERIOD_MS)),
  };
}

function drawBars(counts: readonly DeliveryCount[]): Bar[] {
  const heights = Array.from({ length: PERIODS }, (_, period) =>
    STACK.map(([state]) =>
      counts
        .filter((each) => each.period === period && each.state === state)
        .reduce((total, { count }) => total + count, 0),
    ),
  );
  const highest = Math.max(1, ...heights.map((parts) => parts.reduce((total, part) => total + part, 0)));
  return heights.flatMap((parts, period) => {
    let ground = BAR_HEIGHT;
    return parts.flatMap((count, level) => {
      if (count === 0) return [];
      const height = (BAR_HEIGHT * count) / highest;
      ground -= height;
      return [
        { kind: STACK[level]?.[1] ?? 'ok', x: period * BAR_PITCH, y: ground, width: BAR_WIDTH, height },
      ];
    });
  });
}
