import type { Received, Receiver } from '../support/receiver.ts';
import type { DeliveryState } from './environment.ts';

/** What a fault did. */
export interface Report {
  readonly fault: string;
  readonly messages: number;
  /** Neither delivered nor in the state that the fault leads to. */
  readonly lost: number;
  readonly duplicates: number;
  /** Duplicates at most: what was in flight. */
  readonly bound: number;
  /** From the fault to the first delivery of what it had held up. */
  readonly resumedMs: number | undefined;
  /** What is not as it should be beside losses and duplicates; empty when all is well. */
  readonly faults: readonly string[];
}

export interface Arrival {
  readonly messageId: string;
  readonly at: number;
}

/** Notes when each message arrives. */
export function recordArrivals(
  receiver: Receiver,
  answer: (request: Received) => Promise<number>,
): Arrival[] {
  const list: Arrival[] = [];
  receiver.answer = (request, response) => {
    list.push({ messageId: String(request.headers['webhook-id']), at: performance.now() });
    const { message_id } = JSON.parse(request.body.toString()) as { message_id: string };
    if (message_id !== request.headers['webhook-id']) list.push({ messageId: 'a strange one', at: 0 });
    void answer(request).then((status) => response.writeHead(status).end());
  };
  return list;
}

/** Compares what was written with what arrived, for a fault after which everything is delivered. */
export function compareDeliveries(
  fault: string,
  deliveries: readonly DeliveryState[],
  list: readonly Arrival[],
  { bound, resumedMs, limitMs }: { bound: number; resumedMs: number; limitMs: number },
): Report {
  const known = new Set(deliveries.map(({ messageId }) => messageId));
  const arrived = new Set(list.map(({ messageId }) => messageId));
  const lost = deliveries.filter(({ messageId, state }) => !arrived.has(messageId) || state !== 'delivered');
  const faults: string[] = [];
  const strange = [...arrived].filter((id) => !known.has(id)).length;
  if (strange > 0) faults.push(`${strange} message ids that were never written`);
  const leased = deliveries.filter(({ isLeased }) => isLeased).length;
  if (leased > 0) faults.push(`${leased} leases left behind`);
  if (resumedMs > limitMs) faults.push(`resumed after more than ${limitMs} ms`);
  const duplicates = list.length - arrived.size;
  return { fault, messages: deliveries.length, lost: lost.length, duplicates, bound, resumedMs, faults };
}

export function isGood({ lost, duplicates, bound, faults }: Report): boolean {
  return lost === 0 && duplicates <= bound && faults.length === 0;
}

export function printTable(reports: readonly Report[]): void {
  const rows = reports.map((report) => [
    report.fault,
    String(report.messages),
    String(report.lost),
    `${report.duplicates} (at most ${report.bound})`,
    report.resumedMs === undefined ? '-' : `${(report.resumedMs / 1000).toFixed(2)} s`,
    isGood(report) ? 'ok' : `WRONG ${report.faults.join('; ')}`,
  ]);
  printRows([['fault', 'messages', 'lost', 'duplicates', 'time to resume', ''], ...rows]);
}

/** Prints rows of one length as a table. */
export function printRows(table: readonly (readonly string[])[]): void {
  const widths =
    table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  for (const row of table)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
}
