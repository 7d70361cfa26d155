// What `make bench` is asked for.
import { parseArgs } from 'node:util';
import type { Group } from './group.ts';
import { findGroups, GROUPS, PARTS } from './groups.ts';

export interface Options {
  readonly groups: readonly Group[];
  /** In place of each group's own number. */
  readonly rounds?: number;
  /** Where the results are written; below bench/results by default. */
  readonly json?: string;
  /** The commit to take turns with. */
  readonly compare?: string;
}

/** What is to be done instead of measuring. */
export type Asked = 'help' | 'list' | Options;

export const USAGE = `Usage: make bench [ARGS="PART… [OPTIONS]"] [COMPARE=COMMIT]

Measures the service beside a limit, and requests beside a peer that does the same, by turns in the same run. Prints each
row with its goal and verdict, and keeps all figures as JSON. The exit code is 1 when a goal was missed.

Parts (all of them when none is named):
${PARTS.map((part) => `  ${[part, ...listInside(part)].join(', ')}`).join('\n')}
  abuse               attacks beside a second partner; never meant by default, with arguments of its own: see bench/README.md
  reads               every read of the document beside a second partner; likewise: "reads --help"
  memory              whether the service keeps memory under requests sent as fast as possible; likewise: "memory --help"

Options:
  --rounds N          rounds of each group; the median counts. Fewer than 3 tell nothing of the noise
  --json FILE         where the figures are kept, by default bench/results/INSTANT-COMMIT.json
  --compare COMMIT    the same as COMPARE: check that commit out beside this tree, install what it needs, measure both by
                      turns and tell what moved by more than the noise of the same run. The exit code is 1 when
                      something got worse. Rows that the commit cannot be asked for are named
  --list              the rows with their goals
  --help              this text
`;

/** Reads the arguments. Throws for what it does not know. */
export function readOptions(args: readonly string[]): Asked {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      list: { type: 'boolean' },
      rounds: { type: 'string' },
      json: { type: 'string' },
      compare: { type: 'string' },
    },
  });
  if (values.help === true) return 'help';
  if (values.list === true) return 'list';
  const { json, compare } = values;
  const rounds = values.rounds === undefined ? undefined : readRounds(values.rounds);
  return {
    groups: positionals.length === 0 ? GROUPS : [...new Set(positionals.flatMap(findGroups))],
    ...(rounds === undefined ? {} : { rounds }),
    ...(json === undefined ? {} : { json }),
    ...(compare === undefined ? {} : { compare }),
  };
}

function readRounds(text: string): number {
  const rounds = Number(text);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error(`--rounds takes a number from 1: ${text}.`);
  return rounds;
}

function listInside(part: string): readonly string[] {
  return GROUPS.map(({ name }) => name).filter((name) => name.startsWith(`${part}/`));
}
