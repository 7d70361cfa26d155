// What rolling restarts did.
import { printRows } from '../../faults/report.ts';
import type { Arrival } from '../arrivals.ts';
import type { Failure } from './traffic.ts';

export interface Observed {
  readonly restarts: number;
  readonly answered: number;
  readonly slowestMs: number;
  readonly failures: readonly Failure[];
  /** Keys of the events that were acknowledged. */
  readonly events: readonly string[];
  readonly arrivals: readonly Arrival[];
  /** Emails of acknowledged users that the database does not have. */
  readonly missing: readonly string[];
  readonly longestStopMs: number;
}

export interface RollingReport extends Pick<Observed, 'restarts' | 'slowestMs' | 'longestStopMs'> {
  readonly requests: number;
  readonly failed: number;
  readonly usersLost: number;
  readonly messages: number;
  readonly messagesLost: number;
  readonly duplicates: number;
}

export function summarizeRolling(observed: Observed): RollingReport {
  const { restarts, slowestMs, longestStopMs, answered, failures, events, arrivals, missing } = observed;
  const arrived = new Set(arrivals.map(({ key }) => key));
  return {
    ...{ restarts, slowestMs, longestStopMs },
    requests: answered + failures.length,
    failed: failures.length,
    usersLost: missing.length,
    messages: events.length,
    messagesLost: events.filter((key) => !arrived.has(key)).length,
    duplicates: arrivals.length - new Set(arrivals.map(({ messageId }) => messageId)).size,
  };
}

/** The hard line: nothing fails and nothing is lost. */
export function isGoodRolling({ failed, usersLost, messages, messagesLost }: RollingReport): boolean {
  return failed === 0 && usersLost === 0 && messages > 0 && messagesLost === 0;
}

export function printRolling(report: RollingReport): void {
  const rows: readonly (readonly [string, number])[] = [
    ['restarts of a process', report.restarts],
    ['requests', report.requests],
    ['failed', report.failed],
    ['slowest request, ms', report.slowestMs],
    ['longest stop, ms', report.longestStopMs],
    ['acknowledged users lost', report.usersLost],
    ['messages', report.messages],
    ['lost', report.messagesLost],
    ['duplicates', report.duplicates],
  ];
  printRows(rows.map(([name, value]) => [name, String(Math.round(value))]));
  console.log(isGoodRolling(report) ? 'ok' : 'WRONG');
}
