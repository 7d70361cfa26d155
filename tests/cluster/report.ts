// What a fault of the cluster did, and whether that is within bounds.
import { printRows } from '../faults/report.ts';
import type { Arrival } from './arrivals.ts';
import type { Write } from './load.ts';

export interface ClusterReport {
  readonly fault: string;
  /** From the fault until all was as before. */
  readonly acknowledged: number;
  /** Acknowledged, and not in the database afterwards. */
  readonly lost: number;
  /** Acknowledged, and first arrived, in each second of that time. */
  readonly writesPerSecond: number;
  readonly messagesPerSecond: number;
  /** The longest that a write waited for its acknowledgement. */
  readonly slowestMs: number;
  /** The longest time between two acknowledgements. */
  readonly withoutWritesMs: number;
  /** When another node was primary, from the fault; what is left of the pause is HAProxy's and the service's. */
  readonly succeededMs?: number;
  /** Events that were acknowledged, and whose message never arrived. */
  readonly messagesLost: number;
  readonly duplicates: number;
  /** Answers that were no acknowledgement, by their code or status. */
  readonly refusals: ReadonlyMap<string, number>;
}

export interface Observed {
  readonly fault: string;
  readonly from: number;
  readonly until: number;
  readonly writes: readonly Write[];
  readonly arrivals: readonly Arrival[];
  /** Keys of acknowledged users that the database does not have. */
  readonly missing: readonly string[];
}

/** Goals: the write pause of each fault, and of the one in the middle. */
const GOALS = { eachMs: 10_000, medianMs: 5_000 };

const isAcknowledged = ({ status }: Write): boolean => status >= 200 && status < 300;

export function summarize({ fault, from, until, writes, arrivals, missing }: Observed): ClusterReport {
  const answered = writes.filter(({ answeredAt }) => answeredAt >= from && answeredAt < until);
  const acknowledged = answered.filter(isAcknowledged);
  const arrived = new Set(arrivals.map(({ key }) => key));
  const events = acknowledged.filter(({ kind }) => kind === 'event');
  const refusals = new Map<string, number>();
  for (const write of answered) {
    if (isAcknowledged(write)) continue;
    const reason = write.code ?? (write.status === 0 ? 'no answer' : String(write.status));
    refusals.set(reason, (refusals.get(reason) ?? 0) + 1);
  }
  const seconds = (until - from) / 1_000;
  const duplicates = countDuplicates(arrivals, from, until);
  const messages = arrivals.filter(({ at }) => at >= from && at < until).length - duplicates;
  return {
    fault,
    acknowledged: acknowledged.length,
    lost: missing.length,
    writesPerSecond: acknowledged.length / seconds,
    messagesPerSecond: messages / seconds,
    slowestMs: Math.max(0, ...acknowledged.map(({ sentAt, answeredAt }) => answeredAt - sentAt)),
    withoutWritesMs: findLongestGap([from, ...acknowledged.map(({ answeredAt }) => answeredAt), until]),
    messagesLost: events.filter(({ key }) => !arrived.has(key)).length,
    duplicates,
    refusals,
  };
}

function findLongestGap(instants: readonly number[]): number {
  const sorted = instants.toSorted((a, b) => a - b);
  return Math.max(...sorted.slice(1).map((at, index) => at - (sorted[index] ?? at)));
}

/** Arrivals of the time that are not the first of their message. */
function countDuplicates(arrivals: readonly Arrival[], from: number, until: number): number {
  const seen = new Set<string>();
  let duplicates = 0;
  for (const { messageId, at } of arrivals) {
    if (seen.has(messageId) && at >= from && at < until) duplicates += 1;
    seen.add(messageId);
  }
  return duplicates;
}

/** The hard line: nothing that was acknowledged is lost. */
export function isGood({ lost, messagesLost, acknowledged }: ClusterReport): boolean {
  return lost === 0 && messagesLost === 0 && acknowledged > 0;
}

export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? 0)
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

/** `control` has the counts of the whole run. */
export function printReports(reports: readonly ClusterReport[], control: ClusterReport): void {
  const seconds = (ms: number): string => (ms / 1_000).toFixed(1);
  const head = [
    'fault',
    'acknowledged',
    'lost',
    'writes a second',
    'slowest',
    'seconds without writes',
    'other primary after',
    'messages lost',
    'messages a second',
    'duplicates',
    'refused',
    '',
  ];
  const rows = [...reports, control].map((report) => [
    report.fault,
    String(report.acknowledged),
    String(report.lost),
    report.writesPerSecond.toFixed(1),
    `${seconds(report.slowestMs)} s`,
    seconds(report.withoutWritesMs),
    report.succeededMs === undefined ? '-' : `${seconds(report.succeededMs)} s`,
    String(report.messagesLost),
    report.messagesPerSecond.toFixed(1),
    String(report.duplicates),
    [...report.refusals].map(([reason, count]) => `${count} ${reason}`).join(', ') || '0',
    isGood(report) ? 'ok' : 'WRONG',
  ]);
  printRows([head, ...rows]);
  const pauses = reports.map(({ withoutWritesMs }) => withoutWritesMs);
  const [longest, median] = [Math.max(...pauses), medianOf(pauses)];
  const verdict = (value: number, goal: number): string =>
    `${seconds(value)} (goal: under ${seconds(goal)}, ${value < goal ? 'met' : 'missed'})`;
  if (reports.length > 0)
    console.log(
      `Seconds without writes: longest ${verdict(longest, GOALS.eachMs)}, median ${verdict(median, GOALS.medianMs)}.`,
    );
}
