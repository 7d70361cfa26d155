// What the endpoints of webhooks may take of the dispatcher, and a partner's deliveries of those of others.
import type { Bound } from '../../bench/abuse/bounds/bound.ts';
import { bound, replace, testsOf } from './define.ts';

const CLIENT = 'src/webhooks/webhook-client.ts';
const CONNECTIONS = 'src/webhooks/connections.ts';
const ANSWERS = 'src/webhooks/answer-bounds.ts';
const UNWANTED = 'src/queries/deliveries/unwanted-deliveries.ts';
const LEFT = 'src/webhooks/left-deliveries.ts';
const KEPT_SLOTS = 'src/webhooks/kept-slots.ts';
const DISPATCHER = 'src/webhooks/dispatcher.ts';

const client = testsOf('tests/webhooks/webhook-client.test.ts');
const answers = testsOf('tests/webhooks/answer-bounds.test.ts');
const connections = testsOf('tests/webhooks/connections.test.ts');
const slots = testsOf('tests/webhooks/slots.test.ts');
const keptSlots = testsOf('tests/webhooks/kept-slots.test.ts');
const left = testsOf('tests/webhooks/left-deliveries.test.ts');
const retry = testsOf('tests/domain/notifications/retry.test.ts');

export const boundsOfEndpoints: readonly Bound[] = [
  bound(
    'body of an answer that is read',
    [replace('src/webhooks/http-exchange.ts', 'if (bytes > MAX_BODY_BYTES)', 'if (bytes > Infinity)')],
    client('the connection', 'a body of more than 4 KiB costs'),
  ),
  bound(
    'interim responses of an answer',
    [
      replace(
        'src/webhooks/http-exchange.ts',
        'if (++interimResponses > MAX_INTERIM_RESPONSES)',
        'if (++interimResponses > Infinity)',
      ),
    ],
    client('a ninth costs the exchange and its connection'),
  ),
  bound(
    'bytes of an answer',
    [replace(ANSWERS, '- bytesBefore > MAX_ANSWER_BYTES', '- bytesBefore > Infinity')],
    answers('empty lines without end before an answer'),
  ),
  bound(
    'parts of an answer',
    [replace(ANSWERS, '++reads > MAX_READS_OF_ANSWER', '++reads > Infinity')],
    answers('single bytes without end'),
  ),
  bound(
    'handshakes of a connection to an endpoint',
    [replace(ANSWERS, '++handshakes > 1', '++handshakes > Infinity')],
    answers('a second handshake costs the exchange'),
  ),
  bound(
    'requests for a second handshake',
    [
      replace(
        CONNECTIONS,
        'createSecureContext({',
        'createSecureContext({ secureOptions: 0x40000000, // SSL_OP_NO_RENEGOTIATION',
      ),
    ],
    answers('thousands of requests for a second handshake'),
  ),
  bound(
    'kept connections are of one webhook',
    [replace(CONNECTIONS, 'return `${webhookId} ${origin} ${address}`;', 'return `${origin} ${address}`;')],
    client('an answer that nobody asked for'),
  ),
  bound(
    'TLS sessions of a connection to an endpoint',
    [replace(ANSWERS, '++sessions > MAX_SESSIONS_OF_CONNECTION', '++sessions > Infinity')],
    answers('TLS sessions without end'),
  ),
  bound(
    'TLS keys of a connection to an endpoint',
    [replace(ANSWERS, "socket.on('keylog', endAtOtherKeys)", 'return')],
    answers('other keys cost the exchange'),
    answers('other keys cost an idle connection'),
  ),
  bound(
    'header of an answer',
    [replace(CONNECTIONS, 'maxHeaderSize: MAX_HEADER_BYTES,', 'maxHeaderSize: 16_777_216,')],
    client('headers without end are a broken answer'),
  ),
  bound(
    'time of an attempt',
    [replace(CLIENT, '    }, this.deadlineMs);', '    }, 2_000_000_000);')],
    client('an endpoint that is connected but silent is timed out'),
    client('headers that drip in are cut off by the one deadline'),
    client('a body that never ends is dropped at the deadline'),
  ),
  bound(
    'answers whose bodies have not ended',
    [
      replace(
        CLIENT,
        'if (this.#openBodies.size > this.#maxOpenBodies) {',
        'if (this.#openBodies.size < 0) {',
      ),
    ],
    connections('bodies that drip hold no more than some connections'),
  ),
  bound(
    'idle connections to endpoints',
    [
      replace(
        CONNECTIONS,
        'if (this.#idleOldestFirst.size > this.#limits.maxIdle)',
        'if (this.#idleOldestFirst.size < 0)',
      ),
    ],
    connections('the connections that wait for another delivery are limited'),
  ),
  bound(
    'time of an idle connection to an endpoint',
    [replace(CONNECTIONS, 'keepAliveMaxTimeout: this.#limits.idleMs,', 'keepAliveMaxTimeout: 600_000,')],
    connections('an endpoint cannot ask for a connection to be kept for long'),
  ),
  bound(
    'time of a TLS session',
    [replace(CONNECTIONS, 'ttl: TLS_SESSION_MS,', 'ttl: 0,')],
    connections('a certificate is shown again after a minute'),
  ),
  bound(
    'time of a question to a name server',
    [
      replace(
        'src/webhooks/name-lookup.ts',
        'new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES })',
        // A single query is given up by the resolver itself, after 5 s.
        'new Resolver({ timeout: 600_000, tries: 600 })',
      ),
    ],
    testsOf('tests/webhooks/name-lookup.test.ts')('any number of names that never answer hold up no other'),
  ),
  bound(
    'time of a wait for the other family of addresses',
    [
      replace(
        'src/webhooks/name-lookup.ts',
        'timer ??= setTimeout(() => otherIsLate.resolve(undefined), OTHER_FAMILY_MS);',
        'timer ??= setTimeout(() => undefined, OTHER_FAMILY_MS);',
      ),
    ],
    testsOf('tests/webhooks/name-lookup.test.ts')('a silent other one costs a quarter of a second'),
  ),
  bound(
    'wait that an endpoint may ask for',
    [
      replace(
        'src/domain/notifications/retry.ts',
        'return Math.min(parseRetryAfterMs(outcome.retryAfter, now) ?? 0, MAX_RETRY_AFTER_MS);',
        'return parseRetryAfterMs(outcome.retryAfter, now) ?? 0;',
      ),
    ],
    retry('is honoured up to 24 hours and shortens nothing'),
  ),
  bound(
    'attempts of a delivery',
    [
      replace(
        'src/domain/notifications/retry.ts',
        'const delayMs = RETRY_DELAYS_MS[attempts - 1];',
        'const delayMs = RETRY_DELAYS_MS[attempts - 1] ?? RETRY_DELAYS_MS.at(-1);',
      ),
    ],
    testsOf('tests/webhooks/dispatcher.test.ts')('the same message each time, until it is exhausted'),
  ),
  bound(
    'attempts of a process in flight',
    [
      replace(
        DISPATCHER,
        'this.#slots = options.slots ?? DEFAULT_SLOTS;',
        'this.#slots = { first: 10_000, retry: 10_000 };',
      ),
    ],
    slots('a process has no more attempts in flight than slots'),
  ),
  bound(
    'attempts at one endpoint in flight',
    [replace(DISPATCHER, 'options.perWebhook ?? DEFAULT_PER_WEBHOOK', '10_000')],
    testsOf('tests/webhooks/workers.test.ts')('a dead endpoint holds no more than its own slots'),
  ),
  bound(
    'attempts of a partner in flight',
    [replace(DISPATCHER, 'options.perPartner ?? DEFAULT_PER_PARTNER', '100_000')],
    slots('a partner has no more attempts in flight than its part'),
  ),
  bound(
    'slots that are kept for partners with few attempts in flight',
    [replace(KEPT_SLOTS, 'KEPT_PART = 8', 'KEPT_PART = 1_000')],
    slots('the last eighth is kept'),
  ),
  bound(
    'slots beside which a partner comes to few attempts in flight',
    [replace(KEPT_SLOTS, 'ENOUGH_FOR_FEW = 8 * FEW_IN_FLIGHT', 'ENOUGH_FOR_FEW = 1')],
    slots('beside endpoints that hang a partner comes to its few'),
    keptSlots('behind each claim there is one for partners with few attempts in flight'),
  ),
  bound(
    'claims of others before one for partners with few attempts in flight',
    [replace(KEPT_SLOTS, 'if (ofKept.done === true) {', 'if (ofKept.done === undefined) {')],
    keptSlots('behind each claim there is one for partners with few attempts in flight'),
  ),
  bound(
    'kept slots of a partner',
    [replace(KEPT_SLOTS, 'FEW_IN_FLIGHT = 4', 'FEW_IN_FLIGHT = 10_000')],
    slots('no one of these takes it all'),
  ),
  bound(
    'time of a stop of the dispatcher',
    [
      replace(
        DISPATCHER,
        'setTimeout(() => grace.resolve(undefined), this.#options.graceMs ?? DEFAULT_GRACE_MS)',
        'setTimeout(() => undefined, this.#options.graceMs ?? DEFAULT_GRACE_MS)',
      ),
    ],
    testsOf('tests/webhooks/workers.test.ts')('a stop gives back the leases of attempts that take too long'),
  ),
  bound(
    'attempts that are written at once',
    [
      replace(
        'src/webhooks/attempt-recorder.ts',
        'this.#pending.splice(0, MAX_BATCH_SIZE)',
        'this.#pending.splice(0)',
      ),
    ],
    testsOf('tests/webhooks/attempt-recorder.test.ts')('what could not be written is written later'),
  ),
  bound(
    'lost claims that are remembered',
    [replace('src/webhooks/claimer.ts', '.slice(-MOST_LOST_CLAIMS)', '')],
    testsOf('tests/webhooks/claimer.test.ts')('a hundred lost claims are remembered at most'),
  ),
  bound(
    'caps of a claim',
    [replace(DISPATCHER, 'limits: this.#limits,', 'limits: { perWebhook: 10_000, perPartner: 10_000 },')],
    testsOf('tests/webhooks/workers.test.ts')('a dead endpoint holds no more than its own slots'),
  ),
  bound(
    'deliveries that a change of a webhook cancels itself',
    [replace(UNWANTED, 'CANCEL_PIECE = 1_000', 'CANCEL_PIECE = 1_000_000')],
    left('a call cancels the first thousand'),
    left('share the first thousand'),
  ),
  bound(
    'deliveries that are cancelled together',
    [replace(UNWANTED, 'order by due_at, message_id limit ${sql.lit(limit)}', 'order by due_at, message_id')],
    left('webhooks have a piece each in turn'),
  ),
  bound(
    "pieces of a partner's left deliveries before those of another",
    [
      replace(
        LEFT,
        'if (!(await this.#processPiece(partnerId, turns))) continue;',
        'while (await this.#processPiece(partnerId, turns)) await pause();',
      ),
    ],
    left('who comes while many are cancelled waits for one piece of each other partner'),
  ),
  bound(
    'webhooks that an error keeps from having their deliveries cancelled',
    [replace(LEFT, 'turn.notBeforeMs = now().getTime() + POLL_MS;', 'throw error;')],
    left('an error ends the turn of one webhook'),
  ),
  bound(
    'tries to cancel left deliveries where this fails',
    [replace(LEFT, 'turn.notBeforeMs > now.getTime()', 'turn.notBeforeMs === -1')],
    left('an error ends the turn of one webhook'),
  ),
  bound(
    'partners with left deliveries that are read at once',
    [replace(UNWANTED, 'order by id limit ${sql.lit(PARTNERS_PAGE)}', 'order by id')],
    left('a hundred partners are read at once'),
  ),
  bound(
    'webhooks with left deliveries that are read at once',
    [replace(UNWANTED, 'order by org_id, id limit ${sql.lit(MOST_WEBHOOKS)}', 'order by org_id, id')],
    left('of a partner a thousand webhooks are read at once'),
  ),
  bound(
    'changes back while deliveries are being cancelled',
    [
      replace(
        'src/queries/deliveries/webhook-changes.ts',
        'if (wantsMore && before.cancelling_mark !== null)',
        'if (wantsMore && before.cancelling_mark === id)',
      ),
    ],
    left('nothing is wanted before and sent after'),
    testsOf('tests/operations/webhooks-cancelling.test.ts')(
      'wants no more before all that it did not want is cancelled',
    ),
  ),
];
