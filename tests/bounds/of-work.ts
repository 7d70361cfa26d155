// What heavy work and open streams may take.
import type { Bound } from '../../bench/abuse/bounds/bound.ts';
import { bound, replace, testsOf } from './define.ts';

const POOL = 'src/compute/pool.ts';
const SLICER = 'src/households/time-slicer.ts';
const REPLY = 'src/http/reply.ts';
const FEED = 'src/streams/event-feed.ts';
const BUFFER = 'src/streams/stream-buffer.ts';

const pool = testsOf('tests/compute/pool.test.ts');
const slicer = testsOf('tests/households/time-slicer.test.ts');
const feed = testsOf('tests/streams/event-feed.test.ts');

const SUMMED = 'src/operations/summed-data.ts';
const summedParts = testsOf('tests/operations/summed-parts.test.ts');

export const boundsOfWork: readonly Bound[] = [
  bound(
    'chunks of lists by turns',
    [
      replace(
        REPLY,
        '    release = await waitWhileWanted(response, acquireChunk);\n    response.statusCode',
        '    response.statusCode',
      ),
      replace(REPLY, 'return;\n      release = await waitWhileWanted(response, acquireChunk);', 'return;'),
    ],
    testsOf('tests/http/reply.test.ts')('no turn of the event loop makes more than one chunk'),
  ),
  bound(
    'lists by turns',
    [replace(REPLY, 'waitWhileWanted(response, lists.acquireList)', 'Promise.resolve(() => undefined)')],
    testsOf('tests/http/reply.test.ts')('a partner whose lists are not read waits for its turn in vain'),
  ),
  bound(
    'time of a body that holds a turn',
    [
      replace(
        'src/http/bytes-handler.ts',
        'await (needsTurn ? arriveWithin(bodyInTurnMs, reading) : reading)',
        'await (bodyInTurnMs < 0 ? arriveWithin(bodyInTurnMs, reading) : reading)',
      ),
    ],
    testsOf('tests/compute/bodies-in-turn.test.ts')('a body that brings some bytes all the time is given up'),
  ),
  bound(
    'time of a job',
    [replace(POOL, 'startTimer(maxJobMs, () => deadline.abort())', 'startTimer(maxJobMs, () => undefined)')],
    pool('a job that does not end is ended after its time'),
  ),
  bound(
    'young objects of a thread',
    [replace(POOL, '      maxYoungGenerationSizeMb: MAX_YOUNG_HEAP_MB,\n', '')],
    pool('a thread has bounds for its objects'),
  ),
  bound(
    'heavy requests of all partners',
    [replace(POOL, 'capacity: MAX_TURNS,', 'capacity: 1_000_000,')],
    pool('of all partners together 32 have a turn'),
  ),
  bound(
    'heavy requests of a partner',
    [replace(POOL, '      atMost: Math.max(1, threads - 1),\n', '')],
    pool('a partner has one turn and eight that wait'),
  ),
  bound(
    'bodies that the event loop parses',
    [
      replace(
        'src/compute/inline.ts',
        'export const INLINE_BODY_BYTES = 65_536;',
        'export const INLINE_BODY_BYTES = 1_073_741_824;',
      ),
    ],
    testsOf('tests/contract/body-costs.test.ts')(
      'of what an operation may be sent the event loop parses 64 KiB',
    ),
    testsOf('tests/compute/loop-holds.test.ts')('is done elsewhere', 'parsePriceEntries'),
  ),
  bound(
    'schedules that the event loop computes',
    [
      replace(
        'src/operations/schedules.ts',
        'const SHORT_MS = 2 * DAY_MS;',
        'const SHORT_MS = 1_000 * DAY_MS;',
      ),
    ],
    testsOf('tests/compute/loop-holds.test.ts')('is done elsewhere', 'computeHeatPumpSchedule'),
  ),
  bound(
    'turns of partners on the event loop',
    [
      replace(
        SLICER,
        'const queue = requestQueues.get(partnerId) ?? [];\n  requestQueues.set(partnerId, queue);',
        "const queue = requestQueues.get('') ?? [];\n  requestQueues.set('', queue);\n  void partnerId;",
      ),
    ],
    slicer('partners take turns, however many requests of one wait'),
  ),
  bound(
    'slices of requests before one of background work',
    [
      replace(
        SLICER,
        'slicesAhead + 1 >= SLICES_PER_BACKGROUND_SLICE',
        'slicesAhead - SLICES_PER_BACKGROUND_SLICE === Infinity',
      ),
    ],
    slicer('one slice in eight is of background work, however many requests wait'),
  ),
  bound(
    'revisions of prices that are read at once',
    [
      replace(
        'src/queries/prices/price-revisions.ts',
        'const REVISIONS_PER_PAGE = 10_000;',
        'const REVISIONS_PER_PAGE = 1_000_000_000;',
      ),
    ],
    testsOf('tests/compute/loop-holds.test.ts')('the prices of a year, when they are first read'),
  ),
  bound(
    'days of a schedule',
    [
      replace(
        'src/operations/schedules.ts',
        "parseInstantRange(['from', query.from], ['to', query.to], MAX_SCHEDULE_DAYS)",
        "parseInstantRange(['from', query.from], ['to', query.to], 1_000_000 + 0 * MAX_SCHEDULE_DAYS)",
      ),
    ],
    testsOf('tests/operations/schedules.test.ts')(
      'a range in the wrong order, too long, malformed or missing',
    ),
  ),
  bound(
    'days of a list of prices',
    [replace('src/operations/trading.ts', 'const MAX_LIST_DAYS = 366;', 'const MAX_LIST_DAYS = 1_000_000;')],
    testsOf('tests/operations/trading.test.ts')('refuses a range that is no range'),
  ),
  bound(
    'household-days of the data of a fleet',
    [replace(SUMMED, 'if (count * days <= MAX_HOUSEHOLD_DAYS) return;', 'if (count >= 0) return;')],
    summedParts('so many households and days are one answer'),
  ),
  bound(
    'days of the data of a fleet or household',
    [replace(SUMMED, 'quarters: 1, maxDays: 31', 'quarters: 1, maxDays: 1_000_000')],
    testsOf('tests/operations/summed-data.test.ts')('ranges that are none or too long are refused'),
  ),
  bound(
    'households that one job sums up',
    [
      replace(
        'src/operations/household-pages.ts',
        'const HOUSEHOLDS_PER_JOB = 250;',
        'const HOUSEHOLDS_PER_JOB = 1_000_000;',
      ),
    ],
    summedParts('a job has 250 households and five days at most'),
  ),
  bound(
    'days that one job sums up',
    [replace(SUMMED, 'daysAtOnce: 5 }', 'daysAtOnce: 1_000_000 }')],
    summedParts('a job has 250 households and five days at most'),
  ),
  bound(
    'turns that an answer waits for which has begun',
    [replace('src/operations/heavy-jobs.ts', 'missed >= MOST_TURNS_MISSED', 'missed === Infinity')],
    summedParts('gets back in line when a turn is not given, thirty times'),
  ),
  bound(
    'parts of an answer before a client that does not read',
    [
      replace(
        'src/http/streamed-bytes.ts',
        '    if (response.writableNeedDrain) await waitForDrain(response);\n',
        '    if (response.closed) await waitForDrain(response);\n',
      ),
    ],
    testsOf('tests/http/streamed-bytes.test.ts')('no part is asked for while the client does not read'),
  ),
  bound(
    'earlier values of a price that a list tells',
    [
      replace(
        'src/queries/prices/price-pages.ts',
        'const REPLACED_PER_PRICE = 10;',
        'const REPLACED_PER_PRICE = 1_000_000;',
      ),
    ],
    testsOf('tests/operations/trading.test.ts')('tells when a price came and the ten prices before it'),
  ),
  bound(
    'items that a total counts',
    [
      replace(
        'src/queries/notifications/item-lists.ts',
        'sql`i.id`, MAX_TOTAL + 1)}) i limit ${sql.lit(MAX_TOTAL + 1)}',
        'sql`i.id`, 1_000_000)}) i limit ${sql.lit(1_000_000)}',
      ),
      replace('src/queries/notifications/item-lists.ts', 'if (counted <= MAX_TOTAL)', 'if (counted >= 0)'),
    ],
    testsOf('tests/operations/notification-totals.test.ts')('a total is counted up to 250'),
  ),
  bound(
    'event streams of a process',
    [
      replace(
        FEED,
        'return this.#streamCount >= (this.#options.maxStreams ?? MAX_STREAMS);',
        'return this.#streamCount < 0;',
      ),
    ],
    feed('places are counted by partner and for the process'),
  ),
  bound(
    'messages before an event stream that is not read',
    [
      replace(
        BUFFER,
        'this.#messages.length === this.#limits.messages',
        'this.#messages.length === Infinity',
      ),
    ],
    feed('is ended, and misses nothing when it comes again', 'messages'),
  ),
  bound(
    'characters before an event stream that is not read',
    [replace(BUFFER, 'this.#characters > this.#limits.characters', 'this.#characters > Infinity')],
    feed('is ended, and misses nothing when it comes again', 'characters'),
  ),
  bound(
    'what is written to an event stream before it is read',
    [
      replace(
        'src/http/event-stream.ts',
        'if (!response.write(formatEvent(event))) await waitForDrain(response);',
        'response.write(formatEvent(event));',
      ),
    ],
    testsOf('tests/http/event-stream.test.ts')('a client that does not read holds back its own events'),
  ),
  bound(
    'event streams that are not read at a stop',
    [replace('src/http/event-stream.ts', "stream.stopped.addEventListener('abort', cut);", '')],
    testsOf('tests/http/event-stream.test.ts')('a stop waits for no client that does not read'),
  ),
  bound(
    'time of an event stream whose token cannot be checked',
    [
      replace(
        'src/streams/token-checks.ts',
        'if (endedMs - watched.allowedMs >= MAX_UNANSWERED_MS)',
        'if (endedMs - watched.allowedMs >= Infinity)',
      ),
    ],
    testsOf('tests/streams/token-checks.test.ts')('while the database is away streams stay for five seconds'),
  ),
  bound(
    'checks of tokens under way',
    [
      replace(
        'src/streams/token-checks.ts',
        'if (this.#isChecking || this.#watched.size === 0) return;',
        'if (this.#watched.size === 0) return;',
      ),
    ],
    testsOf('tests/streams/token-checks.test.ts')('one check is under way at a time'),
  ),
  bound(
    'answers that are coded at once',
    [
      replace(
        'src/http/coding-shares.ts',
        'if (this.#all >= this.#limits.capacity || held >= this.#limits.ofPartner) return undefined;',
        'void this.#limits;',
      ),
    ],
    testsOf('tests/http/coded-answers.test.ts')('is bounded for all and for each partner'),
  ),
  bound(
    'characters of Accept-Encoding that are read',
    [
      replace(
        'src/http/content-coding.ts',
        'if (header === undefined || header.length > MAX_ACCEPT_CHARACTERS) return undefined;',
        'if (header === undefined || MAX_ACCEPT_CHARACTERS === 0) return undefined;',
      ),
    ],
    testsOf('tests/http/coded-answers.test.ts')('with Accept-Encoding', 'x, x, x'),
  ),
];
