// How the connections of a server are divided, and when they end.
import type { Bound } from '../../bench/abuse/bounds/bound.ts';
import { bound, replace, testsOf } from './define.ts';

const SHARES = 'src/http/connection-shares.ts';
const ADDRESS = 'src/http/address-connections.ts';

const READS = 'src/http/read-turns.ts';
const ACCOUNT = 'src/http/chunk-account.ts';
const PROXY = 'deploy/haproxy/api.cfg';

const connections = testsOf('tests/http/connections.test.ts');
const ending = testsOf('tests/http/ending-connections.test.ts');
const reads = testsOf('tests/http/read-turns.test.ts');
const bodies = testsOf('tests/abuse/bodies.test.ts');
const figures = testsOf('tests/docs/figures.test.ts');

const WITHOUT_READ_TURNS = replace(READS, 'this.#holdBeyond(nowMs);', '');

export const boundsOfConnectionShares: readonly Bound[] = [
  bound(
    'reads of one turn that bring no HTTP',
    [
      replace(
        'src/http/stop-connection.ts',
        "seen(typeof result === 'number' ? result : 0);",
        "if (typeof result === 'number') seen(result);",
      ),
    ],
    reads('where they bring what is no HTTP'),
  ),
  bound(
    'ends of connections that are read in one turn',
    [replace(READS, "socket.once('end', endRead).once('error', endRead);", '')],
    reads('as few in a turn where they end'),
    reads('as few in a turn where they are reset'),
  ),
  bound(
    'connections of an address',
    [
      replace(
        ADDRESS,
        'let isFull = this.#counted.size >= maxConnectionsOfAddress;',
        'let isFull = maxConnectionsOfAddress === 0;',
      ),
    ],
    connections('one address has so many; more are closed'),
    connections('of an address that has so many the one that has waited'),
  ),
  // Where the attacker shares its cores with the service, either of them keeps the loop from being held for long.
  bound(
    'reads of connections in a turn, and chunks of all addresses',
    [
      WITHOUT_READ_TURNS,
      replace(ACCOUNT, 'const party = toPartyName(caller);', 'const party = toPartyName(caller) && caller;'),
    ],
    bodies('many-addresses-chunks: all that comes in a moment'),
  ),
  bound(
    'reads of connections in a turn, and what a turn begins',
    [
      WITHOUT_READ_TURNS,
      replace(
        'src/http/request-turns.ts',
        'if (!this.#loop.isRunning && this.#hasTimeLeft(nowMs)) {',
        'if (Number.isFinite(nowMs)) {',
      ),
    ],
    testsOf('tests/abuse/before-authentication.test.ts')(
      'while all connections of eight addresses send at once',
    ),
  ),
  bound(
    'turns of callers whose connections are held',
    [
      replace(READS, 'among.held.add(caller, connection);', "among.held.add('address all', connection);"),
      replace(READS, '{ among, as: caller }', "{ among, as: 'address all' }"),
    ],
    reads('come after as many of the first'),
  ),
  bound(
    'how long a turn reads connections that had not been quiet',
    [replace(READS, 'nowMs - this.#turnBeganMs >= turnMs', 'nowMs - this.#turnBeganMs >= turnMs * Infinity')],
    reads('are read for longer where they had not'),
  ),
  bound(
    'quiet connections that are held for few that were',
    [replace(READS, '(isOver ? 2 : volley)', '(isOver ? 2 : volley && 2)')],
    reads('are read for as long where few of them had been quiet'),
  ),
  bound(
    'how often connections are held',
    [replace(READS, 'nowMs < this.#mayHoldAtMs || ', '')],
    reads('are not held again for a time that grows with how many were'),
  ),
  bound(
    'new connections that wait as those of strangers',
    [replace(READS, 'if (connection.openedMs <= nowMs - newMs) ', 'void newMs;\n        ')],
    reads('one that has just been opened is not held'),
  ),
  bound(
    'what others wait for who open a connection behind those of strangers',
    [replace(READS, 'if (!this.#bursts.isOn(turn, openedMs) || ', 'if (openedMs < Infinity || ')],
    testsOf('tests/http/opened-at-once.test.ts')(
      'connections that strangers open at once are accepted before',
    ),
  ),
  bound(
    'reads of a turn of connections that were opened at once',
    [replace(READS, 'Math.ceil(count / QUIET_OF_OPENED)', 'count')],
    testsOf('tests/http/opened-at-once.test.ts')('an eighth of what is let go of quiet ones'),
  ),
  bound(
    'how many connections that are opened at once are not read',
    [replace(READS, 'if (this.#opened.held.size >= this.#limits.maxOpened) return;', '')],
    testsOf('tests/http/opened-at-once.test.ts')('are no more than so many'),
  ),
  bound(
    "a partner's new connection beside those of strangers",
    [replace(READS, ' || this.#partnerAddresses.has(address)', '')],
    testsOf('tests/http/opened-at-once.test.ts')('do not hold up one from an address'),
  ),
  bound(
    'addresses from which a partner had a connection',
    [replace(READS, 'this.#partnerAddresses.change(connection.address, connection.caller, undefined);', '')],
    testsOf('tests/http/opened-at-once.test.ts')('do not hold up one from an address'),
  ),
  bound(
    "a partner's held connections beside those that are opened",
    [replace('src/http/held-connections.ts', 'this.held.nextOfFew(Infinity)', 'undefined')],
    testsOf('tests/http/opened-at-once.test.ts')('do not hold up those of partners'),
  ),
  bound(
    'how long connections that are opened at once are not read',
    [
      replace(
        'src/http/opening-bursts.ts',
        'return isInARow && nowMs < this.#beganMs + burstMs;',
        'return isInARow && burstMs > 0;',
      ),
    ],
    testsOf('tests/http/opening-bursts.test.ts')('a burst is over after its time'),
  ),
  bound(
    'connections that are held again before they are read',
    [replace(READS, 'letGoInTurn >= this.#turn - 1 || ', 'letGoInTurn === Infinity || ')],
    reads('is let go to be read'),
  ),
  bound(
    'connections that are let go in a turn',
    [replace('src/http/held-connections.ts', 'left > 0; left--', 'left > -Infinity; left--')],
    reads('no more than four in one where something has come'),
  ),
  bound(
    'how long quiet connections are held',
    [replace(READS, 'Math.min(2 * count, this.#limits.maxLetGoOfTurn)', 'Math.min(count, Infinity)')],
    reads('is let go sooner where nothing has come'),
  ),
  bound(
    'connections that somebody else has paused',
    [replace('src/http/held-connections.ts', 'if (!connection.socket.isPaused()) connection', 'connection')],
    reads('stays as it is while somebody else has paused it'),
  ),
  bound(
    'connections of an address that have sent nothing',
    [
      replace(
        ADDRESS,
        'if (this.#silent.size < maxSilentOfAddress || connection.openedAt > newest) break;',
        'if (connection.openedAt > -1 || newest > maxSilentOfAddress) break;',
      ),
    ],
    connections('an address keeps so many that have sent no whole header'),
  ),
  bound(
    'connections that only end, before those that their address keeps',
    [replace(ADDRESS, 'this.#ending.add(connection);', '')],
    ending('makes room before those that its address keeps'),
    ending('behind what makes its connection end does not keep it open'),
    ending('does not make a connection that only ends one that nobody may end'),
  ),
  bound(
    'how long a connection may only end',
    [
      {
        file: ADDRESS,
        from: 'cutOffAfter(connection.socket, this.#limits.endMs);',
        to: 'void cutOffAfter;',
        everywhere: true,
      },
    ],
    ending('is cut off after a while'),
    ending('has its connection cut off where the answer does not end it'),
  ),
  bound(
    'connections of an address that leave at once',
    [
      replace(
        ADDRESS,
        'if (this.#leaving.size > this.#limits.maxConnectionsOfAddress) first?.socket.destroy();',
        'void first;',
      ),
    ],
    ending('leaves so many connections at once'),
  ),
  bound(
    'refusals that are answered for their bodies while they are held back',
    [
      replace(
        ADDRESS,
        "if (!response.headersSent) response.setHeader('Connection', 'close');",
        "response.setHeader('Connection', 'close');",
      ),
    ],
    ending('may have been answered for its body'),
  ),
  bound(
    'connections that are kept free for others',
    [
      replace(
        SHARES,
        'if (total > limits.maxConnections - limits.spareConnections) {',
        'if (total > Infinity) {',
      ),
    ],
    connections('where all are nearly used up'),
  ),
  bound(
    'open bodies of many addresses',
    [replace(ADDRESS, 'this.#waiting.size + this.#openBodies.size', 'this.#waiting.size')],
    connections('bodies that do not end make room before those that others keep'),
  ),
  bound(
    'bodies that have come whole, as work',
    [replace(SHARES, 'if (address.endable > mostCount) address.forgetWholeBodies();', '')],
    connections('bodies that have come whole make nobody the one with most'),
    connections('a body that has come whole is at work'),
  ),
  bound(
    'connections of the server',
    [replace(SHARES, 'server.maxConnections = limits.maxConnections;', '')],
    connections('a trusted proxy has as many as the server'),
  ),
  bound(
    'connections of an address to the proxy',
    [replace(PROXY, '  tcp-request connection reject if { sc0_conn_cur gt 128 }\n', '')],
    figures('HAProxy bounds the connections of an address'),
  ),
  bound(
    'the time of a header at the proxy',
    [replace(PROXY, '  timeout http-request 10s\n', '')],
    figures('HAProxy bounds the connections of an address'),
  ),
  bound(
    'requests at once of a connection to the proxy',
    [replace(PROXY, '  option disable-h2-upgrade\n', '')],
    figures('HAProxy bounds the connections of an address'),
  ),
];
