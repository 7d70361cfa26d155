import { DAY_MS, HOUR_MS, QUARTER_HOUR_MS } from '../domain/api/durations.ts';
import { Problem } from '../domain/api/problem.ts';
import { NO_PRICE_REVISIONS } from '../domain/prices/price-revisions.ts';
import { createAssumedHousehold } from '../households/assumed-household.ts';
import { TimeSlicer, yieldLowPriority } from '../households/time-slicer.ts';
import type { YieldToEventLoop } from '../households/time-slicer.ts';
import { UNCONTROLLED } from '../simulation/control/household-control.ts';
import { DEFAULT_HEAT_PUMP_PREFERENCES } from '../simulation/control/preferences.ts';
import { toPriceBook, toPriceRevisions } from '../simulation/control/price-book.ts';
import { steeringOf } from '../simulation/control/steering.ts';
import { computeDeviceState, createModelledHousehold } from '../simulation/model/device-state.ts';
import { answerHeatPumpSchedule } from './heat-pump-schedule.ts';
import type { JobInput } from './jobs.ts';
import type { ComputePool } from './pool.ts';

/** Computations until V8 has compiled what they run through. */
const ROUNDS = 30;
/** Each has a thread at a time, where there are two of them. */
const PARTIES = ['warm-up', 'warm-up beside it'];
/** Of what is asked of the sample house, in the day before now. */
const CHANGES = 8;
/** Where the sample house is: any place will do. */
const BERLIN = { latitude: 52.52, longitude: 13.4 };

export interface WarmUpOptions {
  readonly now: Date;
  /** Ends it, at the next slice. */
  readonly signal: AbortSignal;
  readonly rounds?: number;
  readonly yieldToEventLoop?: YieldToEventLoop;
}

/**
 * Computes the schedule and the state of a sample house several times, on the threads and, behind all requests, on the event
 * loop: the first heat pump that somebody asks for would otherwise meet code that V8 has not compiled, and compiling would take
 * the core from everybody else's requests (docs/decisions.md, "Heavy work"). Who needs a thread meanwhile waits for one round at most.
 */
export async function warmUp(
  compute: Pick<ComputePool, 'run'>,
  { now, signal, rounds = ROUNDS, yieldToEventLoop = yieldLowPriority }: WarmUpOptions,
): Promise<void> {
  const onThreads = async (party: string): Promise<void> => {
    for (let round = 0; round < rounds; round += 1)
      await compute.run(party, 'answerHeatPumpSchedule', sampleSchedule(now), signal);
  };
  const onEventLoop = async (): Promise<void> => {
    const yieldUnlessEnded = async (days: number): Promise<void> => {
      await yieldToEventLoop(days);
      signal.throwIfAborted();
    };
    for (let round = 0; round < rounds; round += 1) {
      await yieldUnlessEnded(0);
      await computeSample(now, new TimeSlicer(yieldUnlessEnded));
    }
  };
  const endQuietly = (error: unknown): void => {
    if (!signal.aborted && !(error instanceof Problem)) throw error;
  };
  await Promise.all([...PARTIES.map(onThreads), onEventLoop()].map((work) => work.catch(endQuietly)));
}

/** Warms up once the threads have started, a while after the start of the process. What `stop` resolves to is its end. */
export function warmUpLater(
  compute: Pick<ComputePool, 'run' | 'startLater'>,
  clock: () => Date,
  onError: (error: unknown) => void,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let warming: Promise<void> | undefined;
  compute.startLater(() => {
    warming = warmUp(compute, { now: clock(), signal: stopping.signal }).catch(onError);
  });
  return {
    stop: async () => {
      stopping.abort();
      await warming;
    },
  };
}

async function computeSample(now: Date, slicer: TimeSlicer): Promise<void> {
  const sample = sampleSchedule(now);
  await answerHeatPumpSchedule(sample, slicer);
  const modelled = createModelledHousehold(
    sample.household,
    steeringOf(toPriceBook(sample.prices), sample.control),
  );
  await slicer.approach(modelled.model, Math.floor(now.getTime() / DAY_MS));
  computeDeviceState(modelled, 'heat_pump', now);
}

/** Two days around an instant of a house with a price for each hour, in which somebody has asked for other temperatures. */
function sampleSchedule(now: Date): JobInput<'answerHeatPumpSchedule'> {
  const quarter = Math.floor(now.getTime() / QUARTER_HOUR_MS);
  const hour = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS;
  const prices = Array.from({ length: 4 * 24 }, (_, index) => {
    const at = new Date(hour + (index - 2 * 24) * HOUR_MS);
    return { at, price: 80 + 40 * Math.sin(index), receivedAt: new Date(at.getTime() - DAY_MS) };
  });
  const preferences = Array.from({ length: CHANGES }, (_, index) => ({
    from: quarter - 96 + index * (96 / CHANGES),
    value: { ...DEFAULT_HEAT_PUMP_PREFERENCES, comfort_temperature_c: 20 + (index % 8) / 4 },
  }));
  return {
    // What it has used is counted from then on.
    household: { ...createAssumedHousehold(BERLIN, null), anchor_ms: hour - 2 * DAY_MS },
    prices: { own: toPriceRevisions(prices), parent: NO_PRICE_REVISIONS },
    control: { ...UNCONTROLLED, heatPump: { ...UNCONTROLLED.heatPump, preferences } },
    now,
    spans: [{ first: quarter - 96, end: quarter + 96 }],
    metadata: {},
  };
}
