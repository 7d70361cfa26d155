// `make compare`: whether another commit answers the same, to the byte. See bench/README.md.
import { startTemporaryServer } from '../../tests/support/temporary-server.ts';
import { checkOutVersion, describeTree } from '../other-version.ts';
import type { OtherVersion } from '../other-version.ts';
import { ROOT } from '../version.ts';
import { compareVersions } from './compare.ts';
import { readArguments, USAGE } from './options.ts';
import type { CompareArguments } from './options.ts';
import { formatComparison } from './report.ts';
import { createEquivalenceWorld } from './world.ts';

const PROGRESS_EVERY = 1_000;

/** What the run has made, to be removed in the opposite order, also when it is ended by a signal. */
const made: (() => unknown)[] = [];

async function removeAll(): Promise<void> {
  for (const remove of made.splice(0).toReversed()) await remove();
}

async function main(args: readonly string[]): Promise<number> {
  let asked: CompareArguments | 'help';
  let other: OtherVersion;
  try {
    asked = readArguments(args);
    if (asked === 'help') {
      console.log(USAGE);
      return 0;
    }
    other = checkOutVersion(asked.commit);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    return 2;
  }
  made.push(() => other.remove());
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void removeAll().finally(() => process.exit(1)));
  const { commit, isChanged } = describeTree();
  console.log(
    `${other.commit.slice(0, 7)} beside ${commit.slice(0, 7)}${isChanged ? ' with changes' : ''}: ` +
      `${asked.requests} requests, --seed ${asked.seed}`,
  );
  try {
    return await compare(other.tree, asked);
  } finally {
    await removeAll();
  }
}

async function compare(tree: string, { seed, requests, shown }: CompareArguments): Promise<number> {
  const server = await startTemporaryServer({ fsync: 'off' });
  made.push(() => server.remove());
  const world = await createEquivalenceWorld([tree, ROOT], server.connection);
  made.push(() => world.remove());
  const onProgress = (done: number, differences: number): void => {
    if (done % PROGRESS_EVERY === 0) console.log(`${done} requests, ${differences} differences`);
  };
  const comparison = await compareVersions({ ...world, seed, requests, onProgress });
  console.log(formatComparison(comparison, shown));
  console.log(`\n${comparison.differences.length} differences.`);
  return comparison.differences.length === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
