// What may fall due at once for many connections, what ends with its client, and what open streams read of the past.
import type { Bound } from '../../bench/abuse/bounds/bound.ts';
import { bound, replace, testsOf } from './define.ts';

const LIST_TURNS = 'src/shares/list-turns.ts';
const ends = testsOf('tests/http/end-turns.test.ts');
const gone = testsOf('tests/shares/list-turns.test.ts');

export const boundsOfEnds: readonly Bound[] = [
  bound(
    'time of the ends of one turn of the event loop',
    [replace('src/http/end-turns.ts', 'const TURN_MS = 2;', 'const TURN_MS = Infinity;')],
    ends('are ended a few in each turn'),
    ends('are answered a few in each turn'),
  ),
  bound(
    'bodies that end in one turn of the event loop',
    [replace('src/http/open-bodies.ts', 'endInTurn(body, () => {', '[0].forEach(() => {')],
    ends('bodies that all fall silent'),
  ),
  bound(
    'requests that are over or cut off in one turn of the event loop',
    [
      replace(
        'src/http/client-error.ts',
        'endInTurn(socket, () => answerClientError(reason, socket, baseUrl));',
        'answerClientError(reason, socket, baseUrl);',
      ),
    ],
    ends('requests whose time is over together'),
    ends('requests that are all cut off'),
  ),
  bound(
    'bodies that are cut off in one turn of the event loop',
    [
      replace(
        'src/http/collect-body.ts',
        'endInTurn(request, () => reject(new AlreadyAnsweredError()));',
        'reject(new AlreadyAnsweredError());',
      ),
    ],
    ends('requests whose bodies are all cut off'),
  ),
  bound(
    'slow readers that are ended in one turn of the event loop',
    [replace('src/http/slow-readers.ts', 'endInTurn(socket, () => forget(socket))', 'forget(socket)')],
    ends('readers that are all too slow'),
  ),
  bound(
    'what the kernel keeps of slow readers that are ended',
    [replace('src/http/slow-readers.ts', 'socket.writableLength > 0', 'socket.writableLength < 0')],
    testsOf('tests/http/slow-readers.test.ts')('of a reader that is ended the kernel keeps nothing either'),
  ),
  bound(
    'event streams that end in one turn of the event loop',
    [replace('src/http/event-stream.ts', 'endInTurn(response, () => {', '[0].forEach(() => {')],
    ends('event streams whose callers may all listen no more'),
  ),
  bound(
    "a partner's reads of the past for event streams",
    [
      replace(
        'src/streams/event-feed.ts',
        '#replayTurns.acquire(partnerId, over)',
        "#replayTurns.acquire('all', over)",
      ),
    ],
    testsOf('tests/streams/event-feed.test.ts')('streams that begin in the past take turns by partner'),
  ),
  bound(
    'pages of a round of event streams',
    [replace('src/streams/event-feed.ts', 'MORE_PAGES_OF_ROUND = 10;', 'MORE_PAGES_OF_ROUND = Infinity;')],
    testsOf('tests/streams/event-feed.test.ts')('news of one organization do not wait for all'),
  ),
  bound(
    'connections of the database that bring what is no message',
    [
      replace(
        'src/queries/connection/guarded-client.ts',
        "if (event !== 'data') return emit(event, ...given);",
        "if (event !== '') return emit(event, ...given);",
      ),
    ],
    testsOf('tests/queries/connection/damaged-answers.test.ts')(
      'ends the connection, and its statement fails',
    ),
    testsOf('tests/queries/connection/damaged-answers.test.ts')('ends a session, which opens another one'),
  ),
  bound(
    'requests that their handlers have forgotten',
    [replace('src/http/connection.ts', 'this.#begunMs < sinceMs', 'this.#begunMs < -sinceMs')],
    testsOf('tests/http/http-server.test.ts')('a request whose handler forgets it ends its connection'),
  ),
  bound(
    'time of a form with files',
    [
      replace(
        'src/portal/form-parts.ts',
        "new Error('The form takes too long.')), withinMs)",
        "new Error('The form takes too long.')), 2_000_000_000)",
      ),
    ],
    testsOf('tests/portal/form-parts.test.ts')('a form that does not end in its time'),
  ),
  bound(
    'pieces of a form with files',
    [replace('src/portal/form-parts.ts', 'PIECE_BYTES = 16_384;', 'PIECE_BYTES = 1_000_000;')],
    testsOf('tests/portal/form-parts.test.ts')('a part without a name is passed by'),
  ),
  bound(
    'waits of long lists whose clients have gone',
    [
      replace(LIST_TURNS, 'this.#chunks.acquire(partnerId, signal)', 'this.#chunks.acquire(partnerId)'),
      replace(
        LIST_TURNS,
        'this.#parts.acquire(partnerId, signal, CHUNK_WAIT_MS)',
        'this.#parts.acquire(partnerId, undefined, CHUNK_WAIT_MS)',
      ),
    ],
    gone('behind another chunk'),
    gone('behind a page'),
  ),
  bound(
    'requests that cannot be logged',
    [
      replace(
        'src/compose/request-log.ts',
        "classifyDatabaseError(error) !== 'caller'",
        "classifyDatabaseError(error) !== 'ours'",
      ),
    ],
    testsOf('tests/queries/requests/written-requests.test.ts')(
      'is left out, and those of all others are written',
    ),
  ),
  bound(
    'time of the end for a log that nobody reads',
    [
      replace(
        'src/cli/outputs.ts',
        'if (stdout.writableLength + stderr.writableLength > 0)',
        'if (stdout.writableLength + stderr.writableLength < 0)',
      ),
    ],
    testsOf('tests/process/outputs.test.ts')('a log that is open and not read does not hold up the end'),
  ),
];
