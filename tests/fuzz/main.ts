// `make fuzz`: random requests of every operation by the document, and whether each answer is one of the document's.
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { createEquivalenceWorld } from '../../bench/equivalence/world.ts';
import { ROOT } from '../../bench/version.ts';
import { startTemporaryServer } from '../support/temporary-server.ts';
import { fuzz, isWanting } from './fuzz.ts';
import type { Fault } from './fuzz.ts';

const USAGE = `Usage: make fuzz [ARGS="OPTIONS"]

Sends random requests of every operation, of which the document allows as many as it does not, and fails where an answer is
5xx, does not come, or is not one that the document has for the operation, and where too few of a kind were sent.

Options:
  --count N   requests of each operation and of each kind, by default 200
  --seed N    draws the same requests again; another one each time by default, which is printed
  --help      this text
`;
const SHOWN = 400;

async function main(args: readonly string[]): Promise<number> {
  let values: { count?: string; seed?: string; help?: boolean };
  try {
    ({ values } = parseArgs({
      args: [...args],
      options: { count: { type: 'string' }, seed: { type: 'string' }, help: { type: 'boolean' } },
    }));
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    return 2;
  }
  if (values.help === true) {
    console.log(USAGE);
    return 0;
  }
  const count = Number(values.count ?? 200);
  const seed = Number(values.seed ?? randomInt(2 ** 31));
  if (!Number.isSafeInteger(count) || !Number.isSafeInteger(seed)) {
    console.error(`--count and --seed take whole numbers.\n\n${USAGE}`);
    return 2;
  }
  console.log(`--seed ${seed}`);
  return fuzzOnOwnServer(count, seed);
}

async function fuzzOnOwnServer(count: number, seed: number): Promise<number> {
  const server = await startTemporaryServer({ fsync: 'off' });
  const world = await createEquivalenceWorld([ROOT], server.connection);
  try {
    const [baseUrl] = world.baseUrls;
    const { faults, tallies } = await fuzz({
      ...world,
      baseUrl,
      count,
      seed,
      onProgress: (id, { allowed, refused, strange }) =>
        console.log(`${id.padEnd(40)} allowed ${allowed}, refused ${refused}, strange ${strange}`),
    });
    for (const [what, all] of Map.groupBy(faults, (fault) => fault.what)) tell(what, all);
    const wanting = [...tallies].filter(([, tally]) => isWanting(tally, count)).map(([id]) => id);
    if (wanting.length > 0) console.log(`\nFewer than ${count} requests of a kind: ${wanting.join(', ')}.`);
    console.log(`\n${tallies.size} operations, ${faults.length} faults.`);
    return faults.length + wanting.length === 0 ? 0 : 1;
  } finally {
    await world.remove();
    await server.remove();
  }
}

function tell(what: string, [first, ...others]: readonly Fault[]): void {
  if (first === undefined) return;
  const { request, answer } = first;
  console.log(`\n${others.length + 1} of ${what}`);
  console.log(`  ${request.method} ${request.target}`);
  console.log(`  ${request.body?.toString().slice(0, SHOWN) ?? 'no body'}`);
  console.log(`  ${answer.status}: ${answer.body.slice(0, SHOWN)}`);
}

process.exitCode = await main(process.argv.slice(2));
