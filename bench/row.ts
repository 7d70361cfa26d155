// A row of the bench: what is measured, beside what, and what is wanted of it.
import { median, noiseOf } from './statistics.ts';

export interface Row {
  readonly name: string;
  readonly unit: Unit;
  /** Whether a goal says at least or at most. */
  readonly better: 'more' | 'less';
  readonly goals: Goals;
}

export type Unit = '/s' | 'ms' | 'MB' | '';

/** What a figure has to reach; one that is not named has no goal. */
export type Goals = { readonly [Name in FigureName]?: number };

/** What is measured, and its quotients by the peer's and by the limit's. */
export type FigureName = 'measured' | 'toPeer' | 'toLimit';

/** What one round found, in the row's unit: the service, a peer that does the same, and what no service could beat. */
export interface Sample {
  readonly measured: number;
  readonly peer?: number;
  readonly limit?: number;
}

/** The samples of a round by the names of the rows. */
export type Samples = Readonly<Record<string, Sample>>;

export interface Figure {
  readonly median: number;
  /** By which share it may be wrong; null where there are too few rounds to tell. */
  readonly noise: number | null;
}

/** A row with what its rounds found. */
export interface MeasuredRow extends Row {
  readonly group: string;
  readonly samples: readonly Sample[];
  readonly peer: number | null;
  readonly limit: number | null;
  readonly figures: { readonly [Name in FigureName]?: Figure };
  readonly verdict: Verdict;
}

/** Null where the row has no goal. `close`: the figure is no further from its goal than it may be wrong. */
export type Verdict = { readonly isMet: boolean; readonly isClose: boolean } | null;

/** What the rounds of a row say. Throws for a round without a value of the row, or with one that is no number. */
export function concludeRow(group: string, row: Row, rounds: readonly Samples[]): MeasuredRow {
  const samples = rounds.map((round) => {
    const sample = round[row.name];
    if (sample === undefined || !Object.values(sample).every(Number.isFinite))
      throw new Error(`A round of ${group} has no figure of the row "${row.name}".`);
    return sample;
  });
  const medianOf = (name: 'peer' | 'limit'): number | null => {
    const values = samples.flatMap((sample) => sample[name] ?? []);
    return values.length === 0 ? null : median(values);
  };
  const figures = concludeFigures(samples);
  const [peer, limit] = [medianOf('peer'), medianOf('limit')];
  return { ...row, group, samples, peer, limit, figures, verdict: decide(row, figures) };
}

/** The quotient is taken in each round, so that what the machine does to both cancels out. */
function concludeFigures(samples: readonly Sample[]): MeasuredRow['figures'] {
  const values: Readonly<Record<FigureName, readonly number[]>> = {
    measured: samples.map(({ measured }) => measured),
    toPeer: samples.flatMap(({ measured, peer }) => (peer === undefined ? [] : measured / peer)),
    toLimit: samples.flatMap(({ measured, limit }) => (limit === undefined ? [] : measured / limit)),
  };
  const found = Object.entries(values).filter(([, each]) => each.length > 0);
  return Object.fromEntries(found.map(([name, each]) => [name, toFigure(each)]));
}

function toFigure(values: readonly number[]): Figure {
  const noise = noiseOf(values);
  return { median: median(values), noise: Number.isFinite(noise) ? noise : null };
}

/** All goals must be reached; in a comparison the peer and the limit are not measured, and their goals say nothing. */
function decide({ better, goals }: Row, figures: MeasuredRow['figures']): Verdict {
  const decided = Object.entries(goals).flatMap(([name, goal]) => {
    const figure = figures[name as FigureName];
    if (figure === undefined) return [];
    const isMet = better === 'more' ? figure.median >= goal : figure.median <= goal;
    return [{ isMet, isClose: Math.abs(figure.median - goal) <= (figure.noise ?? 0) * figure.median }];
  });
  if (decided.length === 0) return null;
  const missed = decided.filter(({ isMet }) => !isMet);
  const isMet = missed.length === 0;
  return { isMet, isClose: isMet ? decided.some(isCloseOf) : missed.every(isCloseOf) };
}

const isCloseOf = ({ isClose }: { readonly isClose: boolean }): boolean => isClose;
