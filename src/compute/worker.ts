import { getPriority, setPriority } from 'node:os';
import { move, transferableSymbol, valueSymbol } from 'piscina';
import { Problem } from '../domain/api/problem.ts';
import { listTransferable } from './bytes.ts';
import { runJob } from './jobs.ts';
import type { JobAnswer, JobTask } from './jobs.ts';

/** On one core the main thread and PostgreSQL, which serve everybody, have ten times as much of it (nice(2)). */
const NICE_INCREMENT = 10;
const NICEST = 19;

// Of this thread alone, on Linux. It has loaded before, as fast as it can, since its first job waits for that.
setPriority(Math.min(NICEST, getPriority() + NICE_INCREMENT));

/** What a thread does with each task: a Problem of the job is an answer, every other error is the thread's. */
export default async function answerTask(task: JobTask): Promise<unknown> {
  return toMoved(await compute(task));
}

async function compute(task: JobTask): Promise<JobAnswer> {
  try {
    return { output: await runJob(task) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { code, message, errors, areErrorsTruncated, headers } = error;
    return { problem: { code, detail: message, errors, areErrorsTruncated, headers } };
  }
}

/** The pool moves the memory that the answer names, instead of copying it. */
function toMoved(answer: JobAnswer): unknown {
  const transferable = 'output' in answer ? listTransferable(answer.output) : [];
  return move({
    get [transferableSymbol]() {
      return transferable;
    },
    get [valueSymbol]() {
      return answer;
    },
  });
}
