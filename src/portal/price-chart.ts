import { QUARTER_HOUR_MS } from '../domain/api/durations.ts';
import { listQuarters, NOT_KNOWN, toLine } from './day-chart.ts';
import type { DayChart, Panel } from './day-chart.ts';
import type { ListedPrice } from './price-list.ts';
import { formatArrival, nameOrigin, tellQuotes, tellReplaced } from './price-table.ts';
import type { PriceView } from './price-view.ts';
import { formatPrice } from './quantities.ts';
import { formatInstant } from './time-spans.ts';

interface Charted {
  readonly view: PriceView;
  /** The price in force in each quarter hour. */
  readonly inForce: readonly (ListedPrice | undefined)[];
  /** What was in force by what had come in up to the instant that the view names. */
  readonly then: readonly (number | null)[] | undefined;
  readonly schedules: readonly Panel[];
  readonly now: Date;
}

/** The curve of some days with what was known before, and what a heat pump is asked for by it, on one axis. */
export function chartDays({ view, inForce, then, schedules, now }: Charted): DayChart {
  const { clock, days, to } = view;
  const starts = listQuarters(view);
  const format = days === '1' ? clock.formatTime : (instant: Date) => formatInstant(clock, instant);
  const quarterMs = Math.floor(now.getTime() / QUARTER_HOUR_MS) * QUARTER_HOUR_MS;
  const at = starts.findIndex((start) => start.getTime() === quarterMs);
  const values = inForce.map((price) => price?.price ?? null);
  const note = (label: string, tell: (price: ListedPrice) => string) => ({
    label,
    texts: inForce.map((price) => (price === undefined ? NOT_KNOWN : tell(price))),
  });
  return {
    times: [...starts, to].map((instant) => instant.getTime() / 1_000),
    clocks: [...starts.map(format), days === '1' ? '24:00' : format(to)],
    zone: clock.zone,
    known: values.findLastIndex((value) => value !== null) + 1,
    ...(at === -1 ? { at: 0 } : { at, now: quarterMs / 1_000 }),
    panels: [
      {
        name: 'Price',
        unit: 'EUR/MWh',
        height: 'tall',
        above: [],
        below: [],
        hasFrames: true,
        lines: [
          toLine({ label: 'Price', token: 'text', values, format: formatPrice }),
          ...(then === undefined || view.then === undefined
            ? []
            : [
                toLine({
                  label: `As of ${formatArrival(view.then.getTime())}`,
                  token: 'load-edge',
                  values: then,
                  format: formatPrice,
                }),
              ]),
        ],
      },
      ...schedules,
    ],
    notes: [
      note('Came', ({ received_at: receivedAt, origin }) =>
        origin === 'own' ? formatArrival(receivedAt) : `${formatArrival(receivedAt)}, ${nameOrigin(origin)}`,
      ),
      note('Replaced', tellReplaced),
      note('Highest bid', ({ best_bid: bids }) => tellQuotes(bids, Math.max)),
      note('Lowest ask', ({ best_ask: asks }) => tellQuotes(asks, Math.min)),
    ],
  };
}
