// One attack beside the victim: what the victim waited for, what the service held and kept, what the attacker got.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChildProcess } from 'node:child_process';
import { longestSeriesPath } from './attack.ts';
import type { Attack } from './attack.ts';
import type { AttackJob, AttackReport } from './attacker.ts';
import { nextMessage, pinToOtherCore, pinToServiceCore, startOnOtherCore } from '../processes.ts';
import type { VictimJob, VictimReport } from './victim.ts';
import { readProcessorTicks, stolenSince } from './stolen-time.ts';
import type { Attacked } from './world.ts';

const WARM_UP_SPEED = 3;
/** Without any attack the service's resident memory has nearly reached its most after so many, and does not after a third. */
const WARM_UP_REQUESTS = 14_400;

export interface Latency {
  readonly p50: number;
  readonly p99: number;
}

/** What a row is compared with. */
export interface ControlLatency extends Latency {
  readonly delayMs: number;
}

export interface Run extends Latency {
  readonly failures: Readonly<Record<string, number>>;
  /** The longest hold of the event loop, in milliseconds of processor time of its thread. */
  readonly holdMs: number;
  /** The longest delay of a timer of the service, in milliseconds: a hold, or other programs that had the processor. */
  readonly delayMs: number;
  /** The longest delay of the victim's own loop, in milliseconds: what its requests took includes it. */
  readonly ownDelayMs: number;
  /** MB of resident memory: at most during the run, and after it, beyond the most that the warm-up took. */
  readonly peakMb: number;
  readonly keptMb: number;
  /** From the attack's start until the requests that were sent later had a p99 of a given time or less (`countSlowFirst`). */
  readonly slowUntilMs: (thanMs: number) => number;
  readonly attacker: Readonly<Record<string, number>>;
  readonly attackerMb: number;
  /** Part of the machine's processor time that its host gave to others meanwhile. */
  readonly stolen: number;
}

/** The victim's process, which is kept from run to run so that its own code is compiled. */
export class Victim {
  readonly #child: ChildProcess = startOnOtherCore(join(import.meta.dirname, 'victim.ts'));
  readonly #perSecond: number;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Users in place of series are read twenty-five times as often. */
  async send(
    { victim: { fleet, ...victim } }: Attacked,
    requests: number,
    reads?: Attack['victimReads'],
  ): Promise<VictimReport> {
    const often = { ...victim, perSecond: this.#perSecond, requests };
    const job: VictimJob =
      reads === undefined
        ? often
        : {
            ...victim,
            readPath: fleet && longestSeriesPath(fleet),
            perSecond: this.#perSecond / SERIES_SELDOMER,
            requests: Math.ceil(requests / SERIES_SELDOMER),
          };
    this.#child.send(job);
    return nextMessage<VictimReport>(this.#child);
  }

  /** The same, but three times as often: the heap grows to what a busy service needs. */
  async warmUp({ victim }: Attacked): Promise<void> {
    const perSecond = this.#perSecond * WARM_UP_SPEED;
    const job: VictimJob = { ...victim, perSecond, requests: WARM_UP_REQUESTS };
    this.#child.send(job);
    await nextMessage<VictimReport>(this.#child);
  }

  /** Until requests are answered as in peace again: 50 of them below 50 ms at p99, or 20 s are over. */
  async settle(attacked: Attacked): Promise<void> {
    const end = performance.now() + 20_000;
    while (performance.now() < end) {
      const { latencyMs } = await this.send(attacked, 50);
      if (percentile(latencyMs, 0.99) < 50) return;
      await sleep(100);
    }
  }

  stop(): void {
    if (this.#child.connected) this.#child.disconnect();
  }
}

/** One read of a series costs the service as much as some twenty-five of users. */
const SERIES_SELDOMER = 25;

/** How long the attack has before the victim's first request is measured: it needs it to make its bodies. */
const LEAD_MS = 100;

/** Of a run with more stolen time the victim's p99 is that of the host. */
const MOST_STOLEN = 0.02;
/** And of one in which the victim's own process stood still for longer it is its own: half of what a hundredth of 15 s may be late. */
const MOST_OWN_DELAY_MS = 75;
/** A host that has no quiet quarter of a minute in so many is not waited for: the run that was disturbed least counts. */
const MOST_TRIES = 3;

export interface RunOptions {
  readonly attacked: Attacked;
  readonly victim: Victim;
  readonly attack: Attack;
  readonly from: string;
  readonly requests: number;
  /** Resident memory above which growth is counted, in MB. */
  readonly warmMb: number;
}

/** A run during which the machine had its processors: those before it that had not are set aside. */
export async function measure(options: RunOptions): Promise<Run> {
  let best: Run | undefined;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const run = await measureOnce(options);
    if (best === undefined || disturbanceOf(run) < disturbanceOf(best)) best = run;
    if (disturbanceOf(best) <= 1) break;
  }
  if (best === undefined) throw new Error('There is no run.');
  return best;
}

/** How far a run was disturbed by the host, or by the bench: above 1 it says nothing of the service. */
export function disturbanceOf({ stolen, ownDelayMs }: Pick<Run, 'stolen' | 'ownDelayMs'>): number {
  return Math.max(stolen / MOST_STOLEN, ownDelayMs / MOST_OWN_DELAY_MS);
}

async function measureOnce(options: RunOptions): Promise<Run> {
  const { attacked, victim } = options;
  await victim.settle(attacked);
  await attacked.longestHold();
  const child = startOnOtherCore(join(import.meta.dirname, 'attacker.ts'));
  // What this process does meanwhile is not the service's doing; the next service starts on the core that it comes back to.
  pinToOtherCore();
  try {
    return await measureBeside(child, options);
  } finally {
    // Of a run that was interrupted it would go on.
    if (child.connected) child.disconnect();
    pinToServiceCore();
  }
}

async function measureBeside(
  child: ChildProcess,
  { attacked, victim, attack, from, requests, warmMb }: RunOptions,
): Promise<Run> {
  attacked.memory();
  const ticksBefore = readProcessorTicks();
  const job: AttackJob = { attack: attack.name, target: attacked.target, from };
  child.send(job);
  await nextMessage<'started'>(child);
  const startedAt = performance.timeOrigin + performance.now();
  if (attack.isBurst !== true) await sleep(LEAD_MS);
  const report = await victim.send(attacked, requests, attack.victimReads);
  child.send('stop');
  const { counts, bytesReceived } = await nextMessage<AttackReport>(child);
  const stolen = stolenSince(ticksBefore);
  const holds = await attacked.longestHold();
  const { peak, now } = attacked.memory();
  const { latencyMs, sentMs } = report;
  return {
    p50: percentile(latencyMs, 0.5),
    p99: percentile(latencyMs, 0.99),
    failures: report.failures,
    ownDelayMs: report.ownDelayMs,
    ...holds,
    peakMb: Math.max(0, peak - warmMb),
    keptMb: Math.max(0, now - warmMb),
    slowUntilMs: (thanMs) => {
      const slowFirst = countSlowFirst(latencyMs, thanMs);
      return slowFirst === 0 ? 0 : report.startedAt - startedAt + (sentMs[slowFirst - 1] ?? 0);
    },
    attacker: counts,
    attackerMb: bytesReceived / 1e6,
    stolen,
  };
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** A second of the victim's requests. */
const SOON = 200;

/**
 * How many requests it takes until the others, sent later, have a p99 of `thanMs` or less, those of the next second by themselves
 * too. The last slow one of all would tell nothing: a hundredth of the requests beside the control are above the control's p99, whenever that is.
 */
export function countSlowFirst(latencyMs: readonly number[], thanMs: number): number {
  const isReached = (values: readonly number[]): boolean => percentile(values, 0.99) <= thanMs;
  const first = latencyMs.findIndex(
    (_ms, n) => isReached(latencyMs.slice(n, n + SOON)) && isReached(latencyMs.slice(n)),
  );
  return first === -1 ? latencyMs.length : first;
}
