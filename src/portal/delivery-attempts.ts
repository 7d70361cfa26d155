import type { components } from '../../generated/openapi.ts';
import { describeCause } from './failure-causes.ts';
import { formatMinute } from './times.ts';

type Attempt = components['schemas']['DeliveryAttempt'];

const COLUMNS = [
  { label: 'Attempt' },
  { label: 'Result', speaksForItself: true },
  { label: 'What was answered', kind: 'wide', speaksForItself: true },
  { label: 'Called' },
  { label: 'Took', kind: 'number' },
  { label: 'Began (UTC)', kind: 'quiet' },
];

/** The attempts that have ended as rows, oldest first. */
export function tabulateAttempts(attempts: readonly Attempt[]) {
  return { columns: COLUMNS, rows: attempts.map(toRow) };
}

function toRow(attempt: Attempt) {
  const { attempt: number, outcome, detail, address, duration_ms: ms, started_at: startedAt } = attempt;
  const isDelivered = outcome === 'delivered';
  return [
    { text: String(number) },
    {
      status: isDelivered
        ? { kind: 'ok', word: String(attempt.status_code) }
        : { kind: 'error', word: describeCause(attempt.error_class ?? '', attempt.status_code).title },
    },
    { text: isDelivered ? 'Accepted.' : (detail ?? '') },
    { text: address ?? '–' },
    { text: `${ms} ms` },
    { text: formatMinute(new Date(startedAt)), at: startedAt },
  ];
}
