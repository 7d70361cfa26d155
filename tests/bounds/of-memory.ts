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
  bound(
    'chunks of bodies that are gathered',
    [replace('src/http/gathered-bytes.ts', '      freeBytes(chunk);\n', '')],
    testsOf('tests/http/gathered-bytes.test.ts')('nothing of them is left'),
  ),
  bound(
    'memory of a body beside its bytes',
    [
      replace(
        'src/http/gathered-bytes.ts',
        'const room = Math.min(PIECE_BYTES, left, Math.max(LEAST_ROOM_BYTES, 2 * open.length));',
        'const room = PIECE_BYTES + left;',
      ),
    ],
    testsOf('tests/http/gathered-bytes.test.ts')('grows twofold'),
    testsOf('tests/http/gathered-bytes.test.ts')('is never more than the body may have'),
  ),
  bound(
    'pieces of a body that a thread gets',
    [replace('src/compute/bytes.ts', 'Array.isArray(part) ? part : [part]', '[part]')],
    testsOf('tests/compute/pool.test.ts')('the pieces of a body are moved to a thread'),
  ),
  bound(
    'what a process has freed',
    [replace('bin/partner', 'export MALLOC_MMAP_THRESHOLD_=', 'unused=')],
    testsOf('tests/process/freed-memory.test.ts')('goes back to the system'),
  ),
  bound(
    'bodies that are given up',
    [
      replace('src/http/collect-body.ts', '    bytes.free();\n    request.pause();', '    request.pause();'),
      replace('src/http/collect-body.ts', '    bytes.free();\n    // Thousands', '    // Thousands'),
    ],
    testsOf('tests/http/collect-body.test.ts')('nothing is left'),
  ),
  bound(
    'bodies that nobody takes',
    [replace('src/http/unread-body.ts', 'stopReading(request.socket);', 'void stopReading;')],
    testsOf('tests/http/unread-body.test.ts')('a body that nobody takes is read no further'),
  ),
  bound(
    'bytes of tasks that are over',
    [
      replace(
        'src/compute/answer-task.ts',
        'if (part instanceof Uint8Array) freeBytes(part);',
        'if (part === freeBytes) break;',
      ),
    ],
    testsOf('tests/compute/answer-task.test.ts')('the bytes of a task that'),
  ),
  bound(
    'young objects of a thread in a process that has more',
    [
      replace(
        'src/compute/lazy-threads.ts',
        "setFlagsFromString('--max-semi-space-size=0');",
        'void setFlagsFromString;',
      ),
    ],
    testsOf('tests/compute/pool.test.ts')('a thread keeps to its bound for young objects'),
  ),
  bound(
    'lines of the log that nobody reads',
    [replace('src/log/output.ts', 'MAX_WAITING_BYTES = 1_048_576;', 'MAX_WAITING_BYTES = Infinity;')],
    testsOf('tests/log/output.test.ts')('of lines that nobody reads 1 MiB waits'),
  ),
];
