// The webhook rows: targets of the dispatcher, each with its limit in the same run. The dispatcher runs in the measuring
// process, PostgreSQL with fsync, the receivers in a process of their own.
import type { Group } from '../group.ts';
import { CLAIMS, measureClaims } from './claims.ts';
import { BY_CPU, BY_RATE, FRESH, measureThroughput, OPENED } from './deliveries.ts';
import { BESIDE_DEAD, IDLE_P50, IDLE_P99, measureLatency } from './latency.ts';

const FILE = 'webhooks/groups.ts';
const perSecond = { unit: '/s', better: 'more' } as const;
const inMs = { unit: 'ms', better: 'less' } as const;

export const WEBHOOK_GROUPS: readonly Group[] = [
  {
    name: 'webhooks/claims',
    file: FILE,
    rows: [{ name: CLAIMS, ...perSecond, goals: { toLimit: 0.8 } }],
    rounds: 7,
    about: 'the same claims in a database with 1,000 pending at 100 webhooks',
    measure: measureClaims,
  },
  {
    name: 'webhooks/deliveries',
    file: FILE,
    rows: [
      { name: BY_RATE, ...perSecond, goals: { measured: 2_000, toLimit: 0.7 } },
      { name: BY_CPU, ...inMs, goals: {} },
      { name: OPENED, unit: '', better: 'less', goals: {} },
      { name: FRESH, ...perSecond, goals: { measured: 400 } },
    ],
    rounds: 5,
    about: 'a loop that signs and posts the same bodies over 32 reused connections, without a database',
    measure: measureThroughput,
  },
  {
    name: 'webhooks/latency',
    file: FILE,
    rows: [
      { name: IDLE_P50, ...inMs, goals: { measured: 10 } },
      { name: IDLE_P99, ...inMs, goals: { measured: 50 } },
      { name: BESIDE_DEAD, ...inMs, goals: { toLimit: 1.2 } },
    ],
    rounds: 6,
    about: 'the same events without messages to the five dead of 50 endpoints',
    measure: measureLatency,
  },
];
