// Random changes of the document: each that an instance proves to break has to be found.
import { readFileSync } from 'node:fs';
import { compareContracts } from '../../../../tools/compat/compare-contracts.ts';
import { listChannels } from './channels.ts';
import { findWitness, DocumentValidator } from './witness.ts';
import { createRandom, mutate } from './mutators.ts';

type Json = Record<string, unknown>;

/** What became of one change. */
export interface Trial {
  readonly seed: number;
  readonly change: string;
  /** An instance proves that it breaks. */
  readonly isProven: boolean;
  /** An instance proves that it changes something the other way. */
  readonly isProvenHarmless: boolean;
  /** The comparison calls it breaking. */
  readonly isFound: boolean;
  readonly rules: readonly string[];
}

const DOCUMENT = new URL('../../../../generated/openapi.json', import.meta.url);

/** Makes one change of the document for each seed and decides in two ways whether it breaks. */
export function* tryChanges(seeds: Iterable<number>): Generator<Trial> {
  const text = readFileSync(DOCUMENT, 'utf8');
  const old = JSON.parse(text) as Json;
  const oldValidator = new DocumentValidator(old);
  const names = [...listChannels(old).keys()];
  const failures = names.filter((name) => /[45]\d\d$/.test(name));
  const others = names.filter((name) => !failures.includes(name));
  for (const seed of seeds) {
    const random = createRandom(seed);
    const next = JSON.parse(text) as Json;
    // Nine of ten answers are of failures, which all are alike.
    const drawn = random() < 0.1 ? failures : others;
    const name = drawn[Math.floor(random() * drawn.length)] ?? '';
    const channel = listChannels(next).get(name);
    const before = listChannels(old).get(name);
    if (channel === undefined || before === undefined) throw new Error(`There is no channel ${name}.`);
    const change = mutate(next, channel, random);
    const validators = [oldValidator, new DocumentValidator(next)] as const;
    const after = listChannels(next).get(name);
    const isProven = findWitness(before, after, validators, seed) !== undefined;
    const back =
      after === undefined ? undefined : findWitness(after, before, [validators[1], validators[0]], seed);
    const found = compareContracts(old, next, new Date(0)).filter(
      ({ verdict }) => verdict === 'breaking' || verdict === 'beta',
    );
    yield {
      seed,
      change,
      isProven,
      isProvenHarmless: back !== undefined,
      isFound: found.length > 0,
      rules: found.map(({ rule }) => rule),
    };
  }
}
