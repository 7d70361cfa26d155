// What `make compare` is asked for.
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

export interface CompareArguments {
  readonly commit: string;
  readonly seed: number;
  readonly requests: number;
  readonly shown: number;
}

export const USAGE = `Usage: make compare COMMIT=COMMIT [ARGS="OPTIONS"]

Sends the same random requests to another commit and to this tree, on copies of one prepared database, and compares status,
headers and body of each pair of answers to the byte. Both are told the same time with each request. Ids, tokens and secrets,
which each draws by itself, must differ by one and the same renaming in all answers. The exit code is 1 when answers differ.

Options:
  --requests N   how many, by default 10000
  --seed N       draws the same requests again; another one each time by default, which is printed
  --show N       kinds of difference that are printed, each with its first example; by default 30
  --help         this text
`;

/** Reads the arguments. Throws for what it does not know, and without a commit. */
export function readArguments(args: readonly string[]): CompareArguments | 'help' {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      requests: { type: 'string' },
      seed: { type: 'string' },
      show: { type: 'string' },
    },
  });
  if (values.help === true) return 'help';
  const [commit] = positionals;
  if (commit === undefined || positionals.length > 1) throw new Error('Name one commit to compare with.');
  return {
    commit,
    requests: readNumber('--requests', values.requests, 10_000),
    seed: readNumber('--seed', values.seed, randomInt(2 ** 31)),
    shown: readNumber('--show', values.show, 30),
  };
}

function readNumber(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  const number = Number(text);
  if (!/^\d+$/.test(text) || number >= 2 ** 32) throw new Error(`${name} takes a whole number: ${text}.`);
  return number;
}
