// `make bench ARGS=memory`: whether the service keeps memory under requests sent as fast as possible. See bench/README.md.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Inspector, INSPECTOR_ENV } from '../../tests/support/inspector.ts';
import { nextMessage, pinToServiceCore, startOnOtherCore } from '../processes.ts';
import type { LoadJob, LoadReport } from '../requests/load.ts';
import { QUESTIONS } from '../requests/questions.ts';
import { createWorld } from '../requests/world.ts';
import { describeGrowth, exitCodeOf, measureGrowth } from './growth.ts';
import type { MemorySample } from './growth.ts';

const IN_FLIGHT = 32;
const USAGE = `Usage: make bench ARGS="memory [--minutes N] [--every SECONDS]"

Sends all questions of the requests part in turn as fast as possible for N minutes (60), and every so many seconds (60) reads what
memory of the service is in use after a garbage collection, and its resident set. Requests that a busy machine makes the service
refuse (503) are counted. The exit code is 1 when memory has grown, 2 when
the samples are too few to tell.
`;

interface Plan {
  readonly minutes: number;
  readonly everySeconds: number;
}

/** Resolves to the exit code: 1 when memory has grown, 2 for wrong arguments and for too few samples to tell. */
export async function benchMemory(args: readonly string[]): Promise<number> {
  let plan: Plan | 'help';
  try {
    plan = readPlan(args);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    return 2;
  }
  if (plan === 'help') {
    console.log(USAGE);
    return 0;
  }
  const growth = measureGrowth(await sampleMemory(plan));
  console.log(describeGrowth(growth));
  return exitCodeOf(growth);
}

function readPlan(args: readonly string[]): Plan | 'help' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: 'boolean', short: 'h' },
      minutes: { type: 'string', default: '60' },
      every: { type: 'string', default: '60' },
    },
  });
  if (values.help === true) return 'help';
  return {
    minutes: readPositive('--minutes', values.minutes),
    everySeconds: readPositive('--every', values.every),
  };
}

function readPositive(name: string, text: string): number {
  const number = Number(text);
  if (!(number > 0 && number < 10_000)) throw new Error(`${name} takes a number above 0: ${text}.`);
  return number;
}

async function sampleMemory({ minutes, everySeconds }: Plan): Promise<MemorySample[]> {
  pinToServiceCore();
  const world = await createWorld(true, INSPECTOR_ENV);
  const sender = startOnOtherCore(join(import.meta.dirname, '../requests/load.ts'));
  const inspector = await Inspector.open(world.service);
  const samples: MemorySample[] = [];
  const { service: port = 0 } = world.targets;
  let [sent, refused] = [0, 0];
  try {
    const startedAt = performance.now();
    for (let round = 0; performance.now() < startedAt + 60_000 * minutes; round += 1) {
      const question = QUESTIONS[round % QUESTIONS.length];
      if (question === undefined) throw new Error('There are questions.');
      const { status, count } = question;
      const ask = question.ask(world.caller);
      const job: LoadJob = { port, ask, status, count, inFlight: IN_FLIGHT, toleratesRefusals: true };
      sender.send(job);
      const report = await nextMessage<LoadReport>(sender);
      if ('error' in report) throw new Error(report.error);
      sent += count;
      refused += report.refused;
      const seconds = (performance.now() - startedAt) / 1_000;
      if (seconds < everySeconds * (samples.length + 1)) continue;
      const sample = await readMemory(inspector);
      samples.push(sample);
      console.log(
        `${seconds.toFixed(0)} s, ${sent} requests, ${refused} refused: ${sample.inUseMb.toFixed(1)} MB in use, ${sample.residentMb.toFixed(0)} MB resident`,
      );
    }
    return samples;
  } finally {
    inspector.close();
    sender.disconnect();
    await world.remove();
  }
}

async function readMemory(inspector: Inspector): Promise<MemorySample> {
  const inUse = await inspector.bytesInUse();
  const resident = await inspector.evaluate<number>('process.memoryUsage.rss()');
  return { inUseMb: inUse / 1e6, residentMb: resident / 1e6 };
}
