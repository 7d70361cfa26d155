// How long anybody waits for the database, and how many wait.
import type { Bound } from '../../bench/abuse/bounds/bound.ts';
import { bound, replace, testsOf } from './define.ts';

const CLIENT = 'src/queries/connection/bounded-client.ts';
const POOL = 'src/queries/connection/bounded-pool.ts';
const SCOPE = 'src/queries/connection/request-scope.ts';
const SETTINGS = 'src/queries/connection/session-settings.ts';
const DATABASE = 'src/queries/connection/database.ts';
const BATCHES = 'src/queries/connection/batches.ts';
const SHARE = 'src/shares/fair-share.ts';

const bounds = testsOf('tests/queries/connection/bounds.test.ts');
const waits = testsOf('tests/queries/connection/waits.test.ts');
const batches = testsOf('tests/queries/connection/batches.test.ts');
const batchTime = testsOf('tests/queries/connection/batch-time.test.ts');
const faults = testsOf('tests/faults/database.test.ts');
const share = testsOf('tests/shares/fair-share.test.ts');

const ofRequests: readonly Bound[] = [
  bound(
    'time of a statement',
    [
      replace(
        CLIENT,
        'const stopTimer = startTimer(leftMs, () => {',
        'const stopTimer = startTimer(2_000_000_000, () => {',
      ),
    ],
    bounds('holds no request up, and its connections do not come back'),
    bounds('holds no loop up'),
    faults('each request is 503 in its time', 'everything'),
  ),
  bound(
    'one sum of all that a request waits',
    [
      replace(
        SCOPE,
        'if (this.#waiting === 0) this.#leftMs -= performance.now() - this.#waitingSinceMs;',
        '',
      ),
    ],
    bounds('is one sum over connections and statements'),
    bounds('does not count what it does beside'),
  ),
  bound(
    'time of a request with the database',
    [replace(SCOPE, 'limitMs = REQUEST_DATABASE_MS,', 'limitMs = 2_000_000_000 + 0 * REQUEST_DATABASE_MS,')],
    waits('a request waits for 4.5 s in all'),
  ),
  bound(
    'statements of a request whose time is over',
    [replace(CLIENT, 'if (bound.brokenBy === undefined && leftMs <= 0)', 'if (leftMs === Infinity)')],
    bounds('once used up sends nothing more'),
  ),
  bound(
    'connections that did not answer in time',
    [
      replace(
        CLIENT,
        '      cutOff(client, leftMs);\n    });',
        '      late.reject(new DatabaseTimeoutError(`The database did not answer within ${leftMs} ms.`));\n    });\n    const late = Promise.withResolvers<never>();',
      ),
      replace(
        CLIENT,
        'return toPromise((report) => {',
        'return toPromise((report) => {\n      late.promise.catch((error: Error) => report(error, undefined));',
      ),
    ],
    bounds('holds no request up, and its connections do not come back'),
  ),
  bound(
    'turn of a statement that goes on at the server',
    [replace(POOL, 'if (lent.isLeftAtWork) setTimeout(', 'if (lent.isLeftAtWork === null) setTimeout(')],
    waits('a statement that goes on at the server keeps its turn'),
  ),
  bound(
    'connections that refuse writes',
    [replace(POOL, 'const isOver = lent.isSpoiled || ', 'const isOver = ')],
    bounds('that refuses writes since a failover is left for another one'),
  ),
  bound(
    'time of a wait for a turn, of who has less left',
    [
      replace(
        POOL,
        'if (limitMs >= LONGEST_TURN_WAIT_MS) return this.#acquireShare(partnerId, undefined, address);',
        'if (limitMs > 0) return this.#acquireShare(partnerId, undefined, address);',
      ),
    ],
    waits('a turn is waited for no longer than the request may wait'),
  ),
  bound(
    'connections of an address of which no partner is known',
    [
      replace(
        'src/compose/database.ts',
        'turns.acquire(address === undefined ? { partnerId } : { address }, signal)',
        'turns.acquire({ partnerId }, signal)',
      ),
    ],
    testsOf('tests/abuse/first-look-ups.test.ts')('strangers of one network whose requests hang'),
  ),
  bound(
    'time of the opening of a connection',
    [replace(DATABASE, 'connectionTimeoutMillis: CONNECT_MS,', '')],
    bounds('holds no connect up: another one is tried while there is time'),
  ),
  bound(
    'time of the settings of a new connection',
    [
      replace(
        SETTINGS,
        'setTimeout(() => cutOff(client, CONNECT_MS), CONNECT_MS)',
        'setTimeout(() => undefined, 0)',
      ),
    ],
    waits('a new connection whose settings are not answered is given up'),
  ),
  bound(
    'time of a stop',
    [
      replace(
        DATABASE,
        'setTimeout(() => connected.forEach((client) => cutOff(client, CLOSE_MS)), CLOSE_MS)',
        'setTimeout(() => connected, CLOSE_MS)',
      ),
    ],
    bounds('holds no stop up'),
  ),
  bound(
    'time of a question of readiness',
    [replace('src/queries/connection/probe.ts', '        PROBE_MS,\n', '        2_000_000_000,\n')],
    faults('probes of readiness share one question'),
  ),
  bound(
    'time of a check of tokens',
    [
      replace(
        'src/oauth/token-memory.ts',
        'await runWithin(readTogetherMs, () => findActiveTokens(checks, keys))',
        'await findActiveTokens(checks, keys, void [readTogetherMs, runWithin])',
      ),
    ],
    faults('the tokens of open streams are asked about in a time of their own'),
  ),
  bound(
    'time of a session that listens',
    [
      replace(
        'src/queries/connection/session.ts',
        "const heartbeat = setInterval(() => void next.query('select 1').catch(() => undefined), heartbeatMs);",
        'const heartbeat = undefined;',
      ),
    ],
    faults('a session that does not answer is cut off and opened again'),
  ),
  bound(
    'age of the plan of a statement',
    [replace(POOL, 'if (nowMs - bound.plansSinceMs >= this.#plansMs)', 'if (nowMs < 0)')],
    testsOf('tests/queries/connection/prepared.test.ts')('a plan that was made while a table was small'),
  ),
];

const ofServer: readonly Bound[] = [
  ...['REQUEST_STATEMENT_MS', 'BACKGROUND_STATEMENT_MS', 'CHECK_STATEMENT_MS'].map((name) =>
    bound(
      `statements of a process: ${name}`,
      [replace('src/compose/database.ts', `statementMs: ${name},`, '')],
      testsOf('tests/streams/token-check-connection.test.ts')('the server ends the statements of a process'),
    ),
  ),
  ...['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'].map((name) =>
    bound(
      `what the server is told: ${name}`,
      [replace(SETTINGS, `perform set_config('${name}', '`, `perform concat('${name}', '`)],
      bounds('is told what we do not wait for'),
    ),
  ),
  bound(
    'time of a wait for a lock',
    [replace(SETTINGS, "perform set_config('lock_timeout', '", "perform concat('lock_timeout', '")],
    bounds('ends the wait for a lock'),
  ),
];

const ofShares: readonly Bound[] = [
  bound(
    'time of a wait for a turn',
    [
      replace(
        SHARE,
        'const cancelTimer = this.#startTimer(waitMs, () => leave(this.#refusal(what)));',
        'const cancelTimer = (): void => undefined;',
      ),
    ],
    share('and after two seconds when its turn does not come'),
    bounds('a partner that holds all it can leaves one to the others'),
  ),
  bound(
    'callers of a partner that wait for a turn',
    [replace(SHARE, 'if (partner.waiting.size > this.#maxWaiting)', 'if (partner.waiting.size < 0)')],
    share('a partner is refused at once when its queue is full'),
    testsOf('tests/compute/pool.test.ts')('a partner has one turn and eight that wait'),
    testsOf('tests/compute/turns.test.ts')('eight requests of a partner wait for its turn'),
  ),
  bound(
    'refusals that are held back',
    [replace(SHARE, ' || this.#heldRefusals >= MAX_HELD_REFUSALS', '')],
    share('of refusals 1,000 are held back'),
  ),
  bound(
    'the last unit, which nobody borrows',
    [
      replace(
        SHARE,
        '(mayLend ? this.#findBelow(this.#atMostOf) : undefined)',
        'this.#findBelow(this.#atMostOf)',
      ),
    ],
    share('a partner borrows what is idle, but never the last unit'),
    bounds('a partner that holds all it can leaves one to the others'),
  ),
  bound(
    'units of a partner, whatever is idle',
    [replace(SHARE, ': () => atMost;', ': () => capacity;')],
    share('a partner has no more than its own limit'),
  ),
  bound(
    'units that there are',
    [replace(SHARE, 'if (this.#free === 0) return undefined;', '')],
    share('a partner is refused at once when its queue is full'),
  ),
  bound(
    'turns of partners that wait',
    [
      replace(
        SHARE,
        'this.#turns.delete(partnerId);\n      if (first === undefined) continue;',
        'if (first === undefined) {\n        this.#turns.delete(partnerId);\n        continue;\n      }',
      ),
      replace(
        SHARE,
        'if (partner.waiting.size > 0) this.#turns.set(partnerId, partner);',
        'if (partner.waiting.size === 0) this.#turns.delete(partnerId);',
      ),
    ],
    share('partners that wait take turns'),
  ),
];

const ofBatches: readonly Bound[] = [
  bound(
    'items of a batch',
    [replace(BATCHES, 'if (calls.length >= this.#bounds.items) break;', '')],
    batches('a batch has so many items'),
  ),
  bound(
    'batches of an organization under way',
    [replace(BATCHES, ' || this.#underWay >= this.#bounds.underWay) return;', ') return;')],
    batches('so many batches of a key are under way'),
  ),
  bound(
    'calls that wait for a batch',
    [replace(BATCHES, 'if (this.#waiting.size >= this.#bounds.waiting) throw overloadedProblem();', '')],
    batches('so many calls of a key wait'),
  ),
  bound(
    'time that a call must have left when its batch begins',
    [replace(BATCHES, 'if (call.untilMs - nowMs < this.#bounds.leastMs)', 'if (call.untilMs < 0)')],
    batchTime('a request that has too little time left when its batch begins'),
  ),
  bound(
    'time of a batch',
    [
      replace(
        BATCHES,
        'findRequestScope()?.limitTo(Math.min(...calls.map(({ untilMs }) => untilMs - nowMs)));',
        '',
      ),
    ],
    batchTime('a batch has no more time than any of its calls'),
  ),
  bound(
    'time of a call that waits for its batch',
    [
      replace(
        BATCHES,
        'startTimer(leftMs, () => this.#leave(call))',
        'startTimer(2_000_000_000, () => this.#leave(call))',
      ),
    ],
    batchTime('a request whose time is over leaves'),
  ),
];

export const boundsOfDatabase: readonly Bound[] = [...ofShares, ...ofRequests, ...ofServer, ...ofBatches];
