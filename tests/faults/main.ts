// `make faults`: every fault, and a table of what it did; `make faults ARGS=database`: those of the database alone. Exits 1 when anything was lost or out of bounds.
import {
  killBeforeFinish,
  killBeforeSend,
  killPostgresAndWorker,
  killDuringFinish,
  killHalfOf,
  killPostgres,
} from './kills.ts';
import { runDatabaseFaults } from './database-faults.ts';
import { sendToBadEndpoints } from './endpoints.ts';
import { sendToBadNames } from './names.ts';
import { isGood, printTable, type Report } from './report.ts';
import { FaultEnvironment } from './environment.ts';

const LIMITS = { workerMs: 1_000, postgresMs: 15_000 };

async function runDeliveryFaults(): Promise<boolean> {
  const environment = await FaultEnvironment.open();
  const reports: Report[] = [];
  try {
    for (const fault of [
      killBeforeSend,
      killBeforeFinish,
      killDuringFinish,
      killPostgres,
      killPostgresAndWorker,
    ])
      reports.push(await fault(environment, { messages: 1_000, ...LIMITS }));
    for (const count of [2, 4])
      reports.push(await killHalfOf(count)(environment, { messages: 6_000, ...LIMITS }));
    reports.push(...(await sendToBadEndpoints(environment, 50)), ...(await sendToBadNames(environment, 50)));
  } finally {
    printTable(reports);
    await environment.close();
  }
  return reports.every(isGood);
}

const isDatabaseAlone = process.argv[2] === 'database';
const isDeliveryGood = isDatabaseAlone || (await runDeliveryFaults());
const isDatabaseGood = await runDatabaseFaults();
process.exitCode = isDeliveryGood && isDatabaseGood ? 0 : 1;
