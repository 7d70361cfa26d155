// The attacker: a process that runs one attack until it is told to stop.
import { Tally } from './attack.ts';
import type { Target } from './attack.ts';
import { findAttack } from './attacks/all.ts';

export interface AttackJob {
  readonly attack: string;
  readonly target: Target;
  readonly from: string;
}

export interface AttackReport {
  readonly counts: Readonly<Record<string, number>>;
  readonly bytesReceived: number;
}

const end = new AbortController();
const tally = new Tally();

process.on('message', (message: AttackJob | 'stop') => {
  if (message === 'stop') {
    end.abort();
    return;
  }
  const { target, from } = message;
  const attack = findAttack(message.attack);
  process.send?.('started');
  void attack.run({ target, from, tally, signal: end.signal }).then(() => {
    const report: AttackReport = { counts: tally.counts(), bytesReceived: tally.bytesReceived };
    process.send?.(report, () => process.exit(0));
  });
});
process.once('disconnect', () => process.exit(0));
