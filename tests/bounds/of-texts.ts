// What a text of a caller costs until it is known that it is refused.
import type { Bound } from '../../bench/abuse/bounds/bound.ts';
import { bound, replace, testsOf } from './define.ts';

export const boundsOfTexts: readonly Bound[] = [
  bound(
    'how often the padding of weights is looked through',
    [
      replace(
        'src/simulation/definition/density-weights.ts',
        'const [whole,',
        "text.replace(/=+$/, '');\n  const [whole,",
      ),
    ],
    testsOf('tests/simulation/definition/density.test.ts')(
      'is refused in little time',
      'a long text of padding that',
    ),
  ),
];
