import { hasOlderSecret } from '../accounts/applications.ts';
import type { Application } from '../accounts/applications.ts';
import { formatAgo, formatMinute } from './times.ts';

const COLUMNS = [
  { label: 'Secret', kind: 'wide' },
  { label: 'State', speaksForItself: true },
  { label: 'Made (UTC)' },
  { label: 'Last used' },
  { label: 'Ends (UTC)' },
];

/** The secrets of an application: the present one, and the one before it, also when it has ended. */
export function listSecrets(application: Application, now: Date) {
  const { secret, olderSecret } = application;
  const rows = [
    [
      { text: 'Present' },
      { status: { kind: 'ok', word: 'Works' } },
      made(secret.createdAt),
      lastUsed(secret.lastUsedAt, now),
      { text: 'Not before it is replaced' },
    ],
  ];
  if (olderSecret === null) return { columns: COLUMNS, rows };
  const status = hasOlderSecret(application, now)
    ? { kind: 'warning', word: 'Works until it ends' }
    : { kind: 'neutral', word: 'Ended' };
  const older = [
    { text: 'Older' },
    { status },
    made(olderSecret.createdAt),
    lastUsed(olderSecret.lastUsedAt, now),
    { text: formatMinute(olderSecret.endsAt), at: olderSecret.endsAt.toISOString() },
  ];
  return { columns: COLUMNS, rows: [...rows, older] };
}

function made(at: Date | null) {
  return at === null ? { text: 'Not recorded' } : { text: formatMinute(at), at: at.toISOString() };
}

function lastUsed(at: Date | null, now: Date) {
  return at === null ? { text: 'Not yet' } : { text: formatAgo(at, now), at: at.toISOString() };
}
