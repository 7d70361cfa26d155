import type { components } from '../../generated/openapi.ts';
import type { AttemptPhases } from '../domain/notifications/attempt-phases.ts';
import { describeCause } from './failure-causes.ts';
import { countOf, formatCount, formatMinute } from './times.ts';

type Attempt = components['schemas']['DeliveryAttempt'];

const COLUMNS = [
  { label: 'Attempt' },
  { label: 'Result', speaksForItself: true },
  { label: 'What was answered', kind: 'wide', speaksForItself: true },
  { label: 'Called' },
  { label: 'Took', kind: 'number' },
  { label: 'Of that' },
  { label: 'Began (UTC)', kind: 'quiet' },
];

const PHASES = [
  ['lookupMs', 'lookup'],
  ['connectMs', 'connect'],
  ['tlsMs', 'TLS'],
  ['answerMs', 'answer'],
] as const;

/** The attempts of the log as rows, oldest first, on one scale of time. */
export function tabulateAttempts(attempts: readonly Attempt[], phases: ReadonlyMap<number, AttemptPhases>) {
  const longestMs = Math.max(1, ...attempts.map(({ duration_ms: ms }) => ms));
  return {
    columns: COLUMNS,
    rows: attempts.map((attempt) => toRow(attempt, phases.get(attempt.attempt) ?? {}, longestMs)),
  };
}

/** That older attempts are not among the rows; undefined where all are. */
export function describeLeftOut(shown: number, attempts: number): string | undefined {
  return attempts > shown
    ? `Of ${countOf(attempts, 'attempt')} the newest ${formatCount(shown)}; those before are not shown.`
    : undefined;
}

function toRow(attempt: Attempt, phases: AttemptPhases, longestMs: number) {
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
    describePhases(phases, ms, longestMs),
    { text: formatMinute(new Date(startedAt)), at: startedAt },
  ];
}

/** The phases as a bar, as long as the attempt took, and in words. */
function describePhases(phases: AttemptPhases, ms: number, longestMs: number) {
  const known = PHASES.flatMap(([name, word]) => {
    const took = phases[name];
    return took === undefined ? [] : [{ word, took }];
  });
  if (known.length === 0) return { text: '–' };
  let x = 0;
  const bars = known.map(({ word, took }) => {
    const bar = { kind: word.toLowerCase(), x, width: (100 * took) / longestMs };
    x += bar.width;
    return bar;
  });
  return {
    timeline: { bars, width: (100 * ms) / longestMs },
    text: known.map(({ word, took }) => `${word} ${took}`).join(', '),
  };
}
