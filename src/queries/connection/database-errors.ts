// What an error from the database means: one table for requests and loops.
import pg from 'pg';

/**
 * - `retry_now`: the same transaction succeeds when it is repeated at once.
 * - `retry_later`: nothing is wrong with the call; it succeeds once the database is reachable, has resources again or lets
 *   go of a lock.
 * - `caller`: the values can't be stored; repeating does not help.
 * - `ours`: a mistake in a statement, the schema or the program.
 */
export type DatabaseErrorClass = 'retry_now' | 'retry_later' | 'caller' | 'ours';

/** By SQLSTATE or its class, the first two characters; a whole SQLSTATE counts before its class. All others are ours. */
export const SQLSTATE_CLASSES: Readonly<Record<string, DatabaseErrorClass>> = {
  // Serialization failure, deadlock.
  '40001': 'retry_now',
  '40P01': 'retry_now',
  // Of Citus: a shard has moved since the statement was planned, and what was gathered for it is at the node before.
  CIINF: 'retry_now',
  // The connection is gone or was refused; whether a commit arrived is not known.
  '08': 'retry_later',
  '40003': 'retry_later',
  // A standby, or a primary that a failover has made one.
  '25006': 'retry_later',
  // The server ended a session that held a transaction open for too long.
  '25P03': 'retry_later',
  '25P04': 'retry_later',
  // Disk, memory, connections, temporary files.
  '53': 'retry_later',
  // A lock was not had in time.
  '55P03': 'retry_later',
  // Cancelled by a time limit; the server stops, starts or has ended the session.
  '57': 'retry_later',
  // The disk or the network below the server.
  '58030': 'retry_later',
  '22': 'caller',
  '23': 'caller',
};

/**
 * Citus tells in words alone, as an internal error, what a node says to which it copies rows, that a shard has just moved or been split,
 * and that a node is away.
 */
const WORDS_OF_CITUS: readonly (readonly [words: RegExp, state: string])[] = [
  [/ violates unique constraint "/, '23505'],
  [/ violates foreign key constraint "/, '23503'],
  [/ violates check constraint "/, '23514'],
  [/^canceling statement due to lock timeout/, '55P03'],
  [/^canceling statement due to statement timeout/, '57014'],
  [/^deadlock detected/, '40P01'],
  [/^could not find valid entry for shard \d/, '40001'],
  [/^failed to COPY to shard \d/, '08006'],
  [/^failure on connection marked as essential/, '08006'],
  // Of libpq, by which nodes are connected.
  [
    /^(?:SSL SYSCALL error|server closed the connection|could not (?:receive data from|send data to) server)/,
    '08006',
  ],
];

function stateOf({ code = '', message }: pg.DatabaseError): string {
  if (code !== 'XX000') return code;
  return WORDS_OF_CITUS.find(([words]) => words.test(message))?.[1] ?? code;
}

/** The database took longer than the call could wait. Whether a statement that was sent has had an effect is not known. */
export class DatabaseTimeoutError extends Error {
  override readonly name = 'DatabaseTimeoutError';
}

/** Error codes of the socket: the server is not there, or went away. ENOENT: there is no such unix socket. */
const SOCKET_ERRORS = new Set(
  'ECONNREFUSED ECONNRESET ECONNABORTED ENOENT EPIPE ETIMEDOUT ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH EHOSTDOWN'.split(
    ' ',
  ),
);

const SOCKET_CALLS = new Set(['connect', 'getaddrinfo', 'read', 'write']);

/** Messages of pg's own errors, which have no code. */
const CLIENT_MESSAGES =
  /^(?:Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Cannot use a pool after calling end|Client was closed)/;

/**
 * A prepared statement that was planned before the schema changed: its columns have other types now. It is right again once it
 * is prepared anew. (The words of the error depend on the server's language.)
 */
export function isStalePlan(error: unknown): boolean {
  return (
    error instanceof pg.DatabaseError && error.code === '0A000' && error.routine === 'RevalidateCachedQuery'
  );
}

/** What an error means for the call that met it; undefined when it does not come from the database. */
export function classifyDatabaseError(error: unknown): DatabaseErrorClass | undefined {
  if (error instanceof pg.DatabaseError) {
    if (isStalePlan(error)) return 'retry_now';
    const state = stateOf(error);
    return SQLSTATE_CLASSES[state] ?? SQLSTATE_CLASSES[state.slice(0, 2)] ?? 'ours';
  }
  if (error instanceof DatabaseTimeoutError) return 'retry_later';
  if (typeof error !== 'object' || error === null) return undefined;
  const { code, syscall, message, errors, cause } = error as Partial<Record<string, unknown>>;
  if (Array.isArray(errors) && errors.length > 0) {
    const classes = new Set(errors.map(classifyDatabaseError));
    return classes.size === 1 ? [...classes][0] : undefined;
  }
  if (typeof syscall === 'string' && SOCKET_CALLS.has(syscall))
    return typeof code === 'string' && SOCKET_ERRORS.has(code) ? 'retry_later' : undefined;
  if (typeof message === 'string' && CLIENT_MESSAGES.test(message)) return 'retry_later';
  return classifyDatabaseError(cause);
}

/** Whether the same call may succeed later without anybody's doing: HTTP answers 503, loops try again. */
export function isDatabaseUnavailable(error: unknown): boolean {
  const found = classifyDatabaseError(error);
  return found === 'retry_now' || found === 'retry_later';
}

/** A lock was not had in time: of one row, while others were free. */
const LOCK_TIMEOUT = '55P03';

/** Whether a statement for several rows may have failed for one of them: without it the others can be written. */
export function mayConcernOneRow(error: unknown): boolean {
  if (error instanceof pg.DatabaseError && stateOf(error) === LOCK_TIMEOUT) return true;
  const found = classifyDatabaseError(error);
  return found === 'caller' || found === 'retry_now' || found === 'ours';
}

/** Whether what comes next would fail now too: the database is away, or lacks what everything needs. */
function isDatabaseAway(error: unknown): boolean {
  return isDatabaseUnavailable(error) && !mayConcernOneRow(error);
}

/** A limit of time ended a statement. */
const QUERY_CANCELED = '57014';

/** A statement, its answer or a connection took too long: because of the rows of one partner, or of a database that hangs. */
function isTimeout(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return stateOf(error) === QUERY_CANCELED;
  return error instanceof DatabaseTimeoutError;
}

/**
 * When a pass over partners, or over kinds of rows, ends before its end: when the database is away, or lacks what everything needs. What took too
 * long may concern the one that it was done for, and the pass goes on; a second one in a row says that the database hangs, for which a pass
 * waits twice at most.
 */
export class PassEnd {
  #hasTimedOut = false;

  /** The work for one of them went well. */
  succeed(): void {
    this.#hasTimedOut = false;
  }

  /** Whether the pass ends with this error of one of them. */
  isReachedBy(error: unknown): boolean {
    const isSecondTimeout = this.#hasTimedOut && isTimeout(error);
    this.#hasTimedOut = isTimeout(error);
    return isSecondTimeout || (!this.#hasTimedOut && isDatabaseAway(error));
  }
}

/** A node of a distributed database says it in its words alone, with the number of the shard behind the name. */
const SHARD_CONSTRAINT = / constraint "(\w+?)(?:_\d{6,})?"/;

/**
 * The name of the constraint or unique index that a statement violated (SQLSTATE class 23), such as `users_email_key`;
 * undefined for every other error.
 */
export function violatedConstraint(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError && stateOf(error).startsWith('23')
    ? (error.constraint ?? SHARD_CONSTRAINT.exec(error.message)?.[1])
    : undefined;
}
