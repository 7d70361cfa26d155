import { PRICE_VALIDITY_MS } from '../domain/prices/prices.ts';
import type { PriceOrigin } from '../domain/prices/prices.ts';
import type { LocalClock } from './local-days.ts';
import type { PriceRevision } from './price-history.ts';
import { formatArrival, nameOrigin } from './price-table.ts';
import { formatInstant, formatSpan } from './time-spans.ts';
import type { TimeSpan } from './time-spans.ts';
import { countOf, formatCount } from './times.ts';

/** What came in together, as far as it is for the days that are shown. */
export interface Arrival extends TimeSpan {
  readonly receivedMs: number;
  readonly origin: PriceOrigin;
  readonly revisions: readonly PriceRevision[];
  /** Whether prices of other days came with them. */
  readonly isCut: boolean;
}

/** Revisions by their arrival, the latest first. Those that begin just before or behind the days that are shown tell what was cut. */
export function listArrivals(revisions: readonly PriceRevision[], shown: TimeSpan): readonly Arrival[] {
  const starts = { own: startsOf(revisions, 'own'), parent: startsOf(revisions, 'parent') };
  const byArrival = Map.groupBy(revisions, ({ receivedMs, origin }) => `${receivedMs} ${origin}`);
  return [...byArrival.values()]
    .flatMap((together) => {
      const inside = together
        .filter(({ startMs }) => startMs >= shown.from.getTime() && startMs < shown.to.getTime())
        .toSorted((a, b) => a.startMs - b.startMs);
      const [first, last] = [inside[0], inside.at(-1)];
      if (first === undefined || last === undefined) return [];
      const { receivedMs, origin } = first;
      const endMs = Math.min(findEnd(last.startMs, starts[origin]), shown.to.getTime());
      const isCut = inside.length < together.length;
      return [
        { receivedMs, origin, revisions: inside, isCut, from: new Date(first.startMs), to: new Date(endMs) },
      ];
    })
    .toSorted((a, b) => b.receivedMs - a.receivedMs);
}

const startsOf = (revisions: readonly PriceRevision[], origin: PriceOrigin): readonly number[] =>
  revisions.filter((each) => each.origin === origin).map(({ startMs }) => startMs);

/** Where the next price begins, an hour later at most. */
function findEnd(startMs: number, starts: readonly number[]): number {
  return starts.reduce(
    (end, start) => (start > startMs ? Math.min(end, start) : end),
    startMs + PRICE_VALIDITY_MS,
  );
}

interface Arrivals {
  readonly arrivals: readonly Arrival[];
  readonly clock: LocalClock;
  readonly hasOrigins: boolean;
  /** Where the curve is shown as it was after an arrival. */
  readonly pathOf: (receivedMs: number) => string;
  /** The arrival whose curve is shown. */
  readonly shown: number | undefined;
}

/** That an arrival had prices of days that are not shown. */
const MORE_CAME = 'more came for other days';

/** What came when, and what it changed. */
export function tabulateArrivals({ arrivals, clock, hasOrigins, pathOf, shown }: Arrivals) {
  const columns = [
    { label: 'Came' },
    { label: 'Prices', kind: 'number' },
    ...(hasOrigins ? [{ label: 'Whose' }] : []),
    { label: 'For' },
    { label: 'What it did', kind: 'wide', speaksForItself: true },
    { label: 'Curve', speaksForItself: true },
  ];
  const rows = arrivals.map((arrival) => {
    const { receivedMs, origin, revisions, isCut } = arrival;
    const came = formatArrival(receivedMs);
    return [
      { text: came, at: new Date(receivedMs).toISOString() },
      { text: formatCount(revisions.length) },
      ...(hasOrigins ? [{ text: nameOrigin(origin) }] : []),
      { text: formatSpan(clock, arrival), detail: isCut ? MORE_CAME : undefined },
      { text: tellWhatItDid(revisions, clock) },
      receivedMs === shown
        ? { text: 'shown' }
        : { text: 'Show', href: pathOf(receivedMs), name: `Show the curve as of ${came}` },
    ];
  });
  return { columns, rows };
}

function tellWhatItDid(revisions: readonly PriceRevision[], clock: LocalClock): string {
  const changing = revisions.filter(({ before }) => before !== undefined);
  const added = revisions.length - changing.length;
  const largest = changing
    .map(({ startMs, price, before = price }) => ({ startMs, price, before, size: Math.abs(price - before) }))
    .toSorted((a, b) => b.size - a.size)[0];
  const parts = [
    added > 0 ? countOf(added, 'first price') : '',
    largest === undefined
      ? ''
      : `${formatCount(changing.length)} changed what counted, the most at ${formatInstant(clock, new Date(largest.startMs))}: ` +
        `${largest.before.toFixed(2)} → ${largest.price.toFixed(2)}`,
  ];
  return parts.filter((part) => part !== '').join('; ');
}
