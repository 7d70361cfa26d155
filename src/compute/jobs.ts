import type { ProblemCode } from '../../generated/problems.ts';
import type { ProblemOptions } from '../domain/api/problem.ts';
import { listHouseholdPowers, sumHouseholds } from '../households/household-sums.ts';
import { answerDeviceData } from './device-data.ts';
import { answerPreview, readNewFleet } from './fleet-definition.ts';
import { answerHeatPumpSchedule } from './heat-pump-schedule.ts';
import { buildHouseholdsOfFleet } from './households.ts';
import { readPriceText } from './price-text.ts';
import { readPriceUpload } from './price-upload.ts';
import { writeSums } from './summed-table.ts';

/** What threads can be asked for. A job is pure: its input is all that it knows, and it may keep caches. */
const jobs = {
  answerDeviceData,
  answerHeatPumpSchedule,
  answerPreview,
  readNewFleet,
  readPriceText,
  readPriceUpload,
  buildHouseholdsOfFleet,
  listHouseholdPowers,
  sumHouseholds,
  writeSums,
};

type Jobs = typeof jobs;
export type JobName = keyof Jobs;
export type JobInput<Name extends JobName> = Parameters<Jobs[Name]>[0];
export type JobOutput<Name extends JobName> = Awaited<ReturnType<Jobs[Name]>>;

/** A job as it is sent to a thread. */
export interface JobTask {
  readonly name: JobName;
  readonly input: JobInput<JobName>;
}

/** What comes back: the result, or the Problem that the job has thrown. */
export type JobAnswer =
  | { readonly output: JobOutput<JobName> }
  | {
      readonly problem: { readonly code: ProblemCode; readonly detail: string } & Omit<
        ProblemOptions,
        'cause'
      >;
    };

/** Does a job in the thread that calls it. Throws what the job throws. */
export async function runJob({ name, input }: JobTask): Promise<JobOutput<JobName>> {
  const job = jobs[name] as unknown as (
    input: JobInput<JobName>,
  ) => JobOutput<JobName> | Promise<JobOutput<JobName>>;
  return job(input);
}
