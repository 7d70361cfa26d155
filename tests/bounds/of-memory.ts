// What is over leaves nothing in memory until all garbage is collected.
import type { Bound } from '../../bench/abuse/bounds/bound.ts';
import { bound, replace, testsOf } from './define.ts';

export const boundsOfMemory: readonly Bound[] = [
  bound(
    'rows of statements that are over',
    [
      replace(
        'src/queries/connection/bounded-client.ts',
        'return toPromise((report) => {',
        'if (parameters.length > 0) return query(...parameters);\n    return toPromise((report) => {',
      ),
    ],
    testsOf('tests/queries/connection/left-statements.test.ts')(
      '100 statements with a row of 100,000 letters leave none of them for a full collection',
    ),
  ),
  bound(
    'answers of jobs that are over',
    [
      replace(
        'src/compute/lazy-threads.ts',
        'return takeOut(await this.#start().run(task, options));',
        'const answer = await this.#start().run(task, options);\n    return options === null ? takeOut(answer) : answer;',
      ),
    ],
    testsOf('tests/compute/lazy-threads.test.ts')(
      '100 answers of 200 kB leave none of them for a full collection',
    ),
  ),
];
