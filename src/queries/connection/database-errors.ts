// What an error from the database means to its caller.
import pg from 'pg';

/** Errors of the socket: the server is not there, or went away. ENOENT is a unix socket that is absent. */
const socketErrors = new Set(
  'ECONNREFUSED ECONNRESET ECONNABORTED ENOENT EPIPE ETIMEDOUT ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH EHOSTDOWN'.split(
    ' ',
  ),
);

const socketCalls = new Set(['connect', 'getaddrinfo', 'read', 'write']);

/**
 * SQLSTATEs beside class 08: the server stops (57P01 to 57P03), has no connection left (53300), or has become a
 * standby under an old connection (25006).
 */
const serverStates = new Set(['57P01', '57P02', '57P03', '53300', '25006']);

/** pg gives these no code. */
const clientMessages =
  /^(?:Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Cannot use a pool after calling end|Client was closed)/;

/** True when the database is away: the same call may succeed later, and HTTP answers 503. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) {
    return error.code !== undefined && (error.code.startsWith('08') || serverStates.has(error.code));
  }
  // By shape: errors of Node's own modules need not be instances of this realm's classes.
  if (typeof error !== 'object' || error === null) return false;
  const { code, syscall, message, errors, cause } = error as Partial<Record<string, unknown>>;
  if (Array.isArray(errors) && errors.length > 0) return errors.every(isUnavailable);
  if (typeof syscall === 'string' && socketCalls.has(syscall))
    return typeof code === 'string' && socketErrors.has(code);
  return (typeof message === 'string' && clientMessages.test(message)) || isUnavailable(cause);
}

/** The named constraint (or unique index) that a statement broke: `violatedConstraint(error) === 'users_email_key'`. */
export function violatedConstraint(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError && error.code?.startsWith('23') === true
    ? error.constraint
    : undefined;
}
