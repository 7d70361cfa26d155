// Requests: the service, a peer and a bare server on one core with PostgreSQL, who sends them on the other.
import { join } from 'node:path';
import type { Group } from '../group.ts';
import { nextMessage, pinToServiceCore, startOnOtherCore } from '../processes.ts';
import type { Row, Sample, Samples } from '../row.ts';
import { checkAnswers, fillMemory, targetsOf } from './answers.ts';
import type { LoadJob, LoadReport } from './load.ts';
import { QUESTIONS } from './questions.ts';
import type { Question } from './questions.ts';
import { createWorld } from './world.ts';
import type { TargetName, World } from './world.ts';

const IN_FLIGHT = 32;
/** Where the sender is busier than that it may be what is measured. */
const BUSY = 0.9;

const rate = { unit: '/s', better: 'more' } as const;
const ROWS: readonly Row[] = [
  { name: 'GET user', ...rate, goals: { toPeer: 1.8, toLimit: 0.5 } },
  { name: 'GET 50 users', ...rate, goals: { toPeer: 1.3, toLimit: 0.75 } },
  { name: 'POST user', ...rate, goals: { toPeer: 1.8, toLimit: 1 } },
  { name: 'token issue', ...rate, goals: {} },
  { name: 'token issue, to POST user', ...rate, goals: { toLimit: 0.8 } },
  { name: 'GET fleet config', ...rate, goals: {} },
  { name: 'GET notification status', ...rate, goals: {} },
];

export const REQUEST_GROUPS: readonly Group[] = [
  {
    name: 'requests',
    file: 'requests/groups.ts',
    rows: ROWS,
    rounds: 7,
    about: 'a peer with Fastify and Kysely, and node:http over one prepared statement, by turns on one core',
    measure: async function* ({ isCompared }) {
      pinToServiceCore();
      const world = await createWorld(isCompared);
      const sender = startOnOtherCore(join(import.meta.dirname, 'load.ts'));
      const send = async (job: LoadJob): Promise<number> => {
        sender.send(job);
        const report = await nextMessage<LoadReport>(sender);
        if ('error' in report) throw new Error(report.error);
        if (report.busy > BUSY) console.log(`The sender was busy: ${job.ask.method} ${job.ask.path}`);
        return report.perSecond;
      };
      try {
        await fillMemory(world.targets, QUESTIONS, world.caller);
        await checkAnswers(world.targets, QUESTIONS, world.caller);
        await measureRound(world, 0, send);
        yield {};
        for (let round = 0; ; round += 1) yield await measureRound(world, round, send);
      } finally {
        sender.disconnect();
        await world.remove();
      }
    },
  },
];

type Send = (job: LoadJob) => Promise<number>;

/** Each question to each target, which take turns to be the first. */
async function measureRound(world: World, round: number, send: Send): Promise<Samples> {
  const samples: Record<string, Sample> = {};
  for (const question of QUESTIONS) samples[question.name] = await askAll(world, question, round, send);
  const [token, post] = [samples['token issue'], samples['POST user']];
  if (token !== undefined && post !== undefined)
    samples['token issue, to POST user'] = { measured: token.measured, limit: post.measured };
  return samples;
}

async function askAll(world: World, question: Question, round: number, send: Send): Promise<Sample> {
  const targets = targetsOf(question, world.targets);
  const first = round % targets.length;
  const rates: Partial<Record<TargetName, number>> = {};
  const { status, count } = question;
  const ask = question.ask(world.caller);
  for (const [name, port] of [...targets.slice(first), ...targets.slice(0, first)])
    rates[name] = await send({ port, ask, status, count, inFlight: IN_FLIGHT });
  const { service: measured = Number.NaN, peer, bare: limit } = rates;
  return {
    measured,
    ...(peer === undefined ? {} : { peer }),
    ...(limit === undefined ? {} : { limit }),
  };
}
