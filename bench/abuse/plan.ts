// What `make bench ARGS="abuse …"` is asked for.
import { parseArgs } from 'node:util';
import type { Attack } from './attack.ts';
import { ATTACKS, findAttack } from './attacks/all.ts';
import { boundsOf } from './bounds/all.ts';

const SAME = '127.0.0.1';
const OTHER = '127.0.0.2';

export interface Plan {
  readonly attacks: readonly Attack[];
  readonly cells: readonly Cell[];
  readonly runs: number;
  /** Whether the runs of a row end once the majority has decided about its p99. */
  readonly untilDecided: boolean;
  readonly requests: number;
  readonly perSecond: number;
  readonly households: number;
  /** Each attack against a service without its bounds. */
  readonly unbounded: boolean;
  /** Results of an earlier run, whose rows are not measured again. */
  readonly resume: string | undefined;
}

/** Under which limits and from where an attack is made. */
export interface Cell {
  readonly limits: 'off' | 'default';
  readonly from: typeof SAME | typeof OTHER;
}

/** A row of the table before it is measured. */
export interface PlannedRow extends Cell {
  readonly attack: Attack;
}

/** The address matters only where limits count it: to those who are not known by a token. */
const CELLS: readonly Cell[] = [
  { limits: 'off', from: OTHER },
  { limits: 'default', from: SAME },
  { limits: 'default', from: OTHER },
];

export const USAGE = `Usage: make bench ARGS="abuse [ATTACK…] [OPTIONS]"

Each attack, or all of them, beside a second partner, the victim. Prints a row for each attack, its limits and its address, and keeps
all figures as JSON. The exit code is 1 when a goal was missed.

Options:
  --list                the attacks, with what each sends
  --limits off|default  rate limits; both by default
  --from same|other     whether the attack comes from the victim's address; both by default
  --runs N              runs of each row (3); the median counts
  --until-decided       no further run once most of them say the same of the p99
  --requests N          requests of the victim in each run (3,000)
  --rate N              its requests a second (200)
  --quick               one run of 1,000 requests, and a smaller fleet
  --unbounded           without rate limits and without the bounds that hold the attack up
  --resume FILE         the rows that this file keeps of an earlier run are not measured again
  --help                this text
`;

/** `same` where the attack comes from the address of the other partner. */
export function nameAddress({ from }: Cell): 'same' | 'other' {
  return from === SAME ? 'same' : 'other';
}

/** All rows of a plan, in their order. */
export function rowsOf({ attacks, cells, unbounded }: Plan): readonly PlannedRow[] {
  return attacks
    .filter(({ name }) => !unbounded || boundsOf(name).length > 0)
    .flatMap((attack) => cellsOf(attack, cells).map((cell) => ({ attack, ...cell })));
}

/** With limits off and for partners with a token one address is like another. */
function cellsOf({ by }: Attack, cells: readonly Cell[]): readonly Cell[] {
  return by === 'anybody' ? cells : cells.filter(({ limits, from }) => limits === 'off' || from === SAME);
}

/**
 * Reads the arguments.
 * @throws Error for what it does not know.
 */
export function readPlan(args: readonly string[]): Plan | 'help' | 'list' {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h', default: false },
      quick: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      unbounded: { type: 'boolean', default: false },
      'until-decided': { type: 'boolean', default: false },
      limits: { type: 'string' },
      from: { type: 'string' },
      runs: { type: 'string' },
      requests: { type: 'string' },
      rate: { type: 'string' },
      resume: { type: 'string' },
    },
  });
  if (values.help) return 'help';
  if (values.list) return 'list';
  const number = (text: string | undefined, otherwise: number): number => {
    const value = text === undefined ? otherwise : Number(text);
    if (!Number.isInteger(value) || value < 1)
      throw new Error(`${text ?? ''} must be a whole number of at least 1.`);
    return value;
  };
  const from = values.from === undefined ? undefined : values.from === 'same' ? SAME : OTHER;
  return {
    attacks: positionals.length === 0 ? ATTACKS : positionals.map(findAttack),
    unbounded: values.unbounded,
    cells: CELLS.filter(
      (cell) =>
        (values.limits ?? (values.unbounded ? 'off' : cell.limits)) === cell.limits &&
        (from === undefined || cell.from === from),
    ),
    runs: number(values.runs, values.quick ? 1 : 3),
    untilDecided: values['until-decided'],
    requests: number(values.requests, values.quick ? 1_000 : 3_000),
    perSecond: number(values.rate, 200),
    households: values.quick ? 1_000 : 5_000,
    resume: values.resume,
  };
}
