// What an error from the database means to its caller.
import pg from 'pg';

/** Error codes of the socket: the server is not there, or went away. ENOENT: there is no such unix socket. */
const SOCKET_ERRORS = new Set(
  'ECONNREFUSED ECONNRESET ECONNABORTED ENOENT EPIPE ETIMEDOUT ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH EHOSTDOWN'.split(
    ' ',
  ),
);

const SOCKET_CALLS = new Set(['connect', 'getaddrinfo', 'read', 'write']);

/**
 * SQLSTATEs beside class 08: the server stops (57P01 to 57P03), has no connection left (53300), or has become a
 * standby under an old connection (25006).
 */
const UNAVAILABLE_STATES = new Set(['57P01', '57P02', '57P03', '53300', '25006']);

/** Messages of pg's own errors, which have no code. */
const CLIENT_MESSAGES =
  /^(?:Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Cannot use a pool after calling end|Client was closed)/;

/** Whether an error means that the database cannot be reached: the same call may succeed later, and HTTP answers 503. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) {
    return error.code !== undefined && (error.code.startsWith('08') || UNAVAILABLE_STATES.has(error.code));
  }
  if (typeof error !== 'object' || error === null) return false;
  const { code, syscall, message, errors, cause } = error as Partial<Record<string, unknown>>;
  if (Array.isArray(errors) && errors.length > 0) return errors.every(isDatabaseUnavailable);
  if (typeof syscall === 'string' && SOCKET_CALLS.has(syscall))
    return typeof code === 'string' && SOCKET_ERRORS.has(code);
  return (typeof message === 'string' && CLIENT_MESSAGES.test(message)) || isDatabaseUnavailable(cause);
}

/**
 * The name of the constraint or unique index that a statement violated (SQLSTATE class 23), such as `users_email_key`;
 * undefined for every other error.
 */
export function violatedConstraint(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError && error.code?.startsWith('23') === true
    ? error.constraint
    : undefined;
}
