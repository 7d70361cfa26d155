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

const USAGE = `abuse [ATTACK…] [--quick] [--limits off|default] [--from same|other] [--runs N] [--until-decided] [--requests N] [--rate N] [--unbounded] [--resume FILE] [--list]`;

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
 * Reads the arguments; undefined when only the attacks are to be listed.
 * @throws Error for what it does not know.
 */
export function readPlan(args: readonly string[]): Plan | undefined {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
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
  if (values.list) return undefined;
  const number = (text: string | undefined, otherwise: number): number => {
    const value = text === undefined ? otherwise : Number(text);
    if (!Number.isInteger(value) || value < 1) throw new Error(`Usage: ${USAGE}`);
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
    perSecond: number(values.rate, 400),
    households: values.quick ? 1_000 : 5_000,
    resume: values.resume,
  };
}
