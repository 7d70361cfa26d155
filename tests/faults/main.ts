// `make faults`: every fault, and a table of what it did. Exits 1 when anything was lost or out of bounds.
import { beforeFinish, beforeSend, both, duringFinish, half, postgres } from './deaths.ts';
import { badEndpoints } from './endpoints.ts';
import { badNames } from './names.ts';
import { isGood, printTable, type Report } from './report.ts';
import { World } from './world.ts';

const world = await World.open();
const reports: Report[] = [];
try {
  for (const fault of [beforeSend, beforeFinish, duringFinish, postgres, both])
    reports.push(await fault(world, { messages: 1_000, workerMs: 1_000 }));
  for (const count of [2, 4]) reports.push(await half(count)(world, { messages: 6_000, workerMs: 1_000 }));
  reports.push(...(await badEndpoints(world, 50)), ...(await badNames(world, 50)));
} finally {
  printTable(reports);
  await world.close();
}
process.exitCode = reports.every(isGood) ? 0 : 1;
