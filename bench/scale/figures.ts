// The figures of docs/scale-figures.json, taken from results of the bench.
import type { Results } from '../results.ts';

/** The rows of the bench that are used. */
export const ROWS = {
  userRead: 'GET user',
  listPage: 'GET 50 users',
  statusRead: 'GET notification status',
  change: 'POST user',
  plannedHomes: 'a day of 10,000 homes planned, own places',
  homeYears: 'household-years under prices, first look',
  delivery: 'deliveries over TLS, processor time of each',
} as const;
type RowKey = keyof typeof ROWS;

/** Of these an assumption is taken where no result has the row. */
const DISPENSABLE: readonly RowKey[] = ['delivery'];

interface FigureOfBench {
  readonly name: string;
  readonly unit: string;
  readonly median: number;
  readonly noise: number | null;
  /** What the limit reached in the same rounds: it tells one machine from another. */
  readonly calibration: number | null;
  readonly measuredOn: string;
  readonly commit: string;
}

export interface ScaleFigures {
  readonly machine: Pick<Results['machine'], 'node' | 'platform' | 'processor' | 'cores'>;
  readonly rows: { readonly [Key in RowKey]?: FigureOfBench };
  /** Bytes of a row with its part of the indexes, by table. */
  readonly bytesOfRow: Readonly<Record<string, number>>;
}

/** The figures of the latest result that has each row. Throws where one is missing, or when machines or trees do not fit. */
export function takeFigures(results: readonly Results[]): Pick<ScaleFigures, 'machine' | 'rows'> {
  const sorted = results.toSorted((a, b) => b.startedAt.localeCompare(a.startedAt));
  const machines = new Map(sorted.map(({ machine }) => [JSON.stringify(describe(machine)), machine]));
  const [machine, other] = machines.values();
  if (machine === undefined || other !== undefined)
    throw new Error('The results have to be of one machine and one version of Node.');
  if (sorted.some(({ version }) => version.isChanged))
    throw new Error('A result was measured with changes that no commit has.');
  const rows = Object.fromEntries(
    Object.entries(ROWS).flatMap(([key, name]) => {
      const figure = findFigure(sorted, name);
      if (figure === undefined && !DISPENSABLE.includes(key as RowKey))
        throw new Error(`No result has the row "${name}".`);
      return figure === undefined ? [] : [[key, figure]];
    }),
  );
  return { machine: describe(machine), rows };
}

function describe({ node, platform, processor, cores }: Results['machine']): ScaleFigures['machine'] {
  return { node, platform, processor, cores };
}

function findFigure(sorted: readonly Results[], name: string): FigureOfBench | undefined {
  for (const { rows, startedAt, version } of sorted) {
    const row = rows.find((each) => each.name === name);
    const figure = row?.figures.measured;
    if (row === undefined || figure === undefined) continue;
    return {
      name,
      unit: row.unit,
      median: round(figure.median),
      noise: figure.noise === null ? null : round(figure.noise),
      calibration: row.limit === null ? null : round(row.limit),
      measuredOn: startedAt.slice(0, 10),
      commit: version.commit.slice(0, 7),
    };
  }
  return undefined;
}

const round = (value: number): number => Number(value.toPrecision(4));

/** Milliseconds of one core for one of what the row counts. Throws where the row is missing. */
export function millisecondsOf(figures: ScaleFigures, key: RowKey): number {
  const found = findMilliseconds(figures, key);
  if (found === undefined) throw new Error(`The figures lack the row "${ROWS[key]}".`);
  return found;
}

/** The same; undefined where the row is missing. */
export function findMilliseconds({ rows }: ScaleFigures, key: RowKey): number | undefined {
  const row = rows[key];
  if (row === undefined) return undefined;
  return row.unit === '/s' ? 1000 / row.median : row.median;
}
