import type { Writable } from 'node:stream';
import { createLogger, format, transports } from 'winston';
import { createLineOutput } from './output.ts';

export type Fields = Readonly<Record<string, unknown>>;

export interface Log {
  error(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  info(message: string, fields?: Fields): void;
  debug(message: string, fields?: Fields): void;
}

const SECRET_NAME_PATTERN = /secret|password|authorization|cookie|token|encryption_?key/i;
// Tokens, webhook secrets and Basic or Bearer credentials, wherever they are in a text.
const SECRET_TEXT_PATTERN =
  /\b(?:pat_|whsec_)[A-Za-z0-9+/=_-]{8,}|\b(?:Basic|Bearer) +[A-Za-z0-9+/=._~-]{8,}|([?&]secret=)[^&\s"]+/gi;

/** Hides what must not be logged: values under names such as `password`, and tokens inside texts. */
export function redact(value: unknown, name = ''): unknown {
  if (SECRET_NAME_PATTERN.test(name) && value !== undefined && value !== null) return '[secret]';
  if (typeof value === 'string') return value.replace(SECRET_TEXT_PATTERN, '$1[secret]');
  if (value instanceof Error) {
    return {
      name: value.name,
      // Of the system, such as ECONNREFUSED, or a SQLSTATE.
      code: 'code' in value ? redact(value.code) : undefined,
      message: redact(value.message),
      stack: redact(value.stack),
      cause: redact(value.cause),
    };
  }
  if (Array.isArray(value)) return value.map((item) => redact(item));
  if (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redact(item, key)]));
  }
  return value;
}

/**
 * JSON lines on standard error; standard output belongs to what the command prints. Of lines that nobody reads 1 MiB is kept, and
 * once they are read a line tells how many were lost.
 */
export function createLog(level: string, stream: Writable = process.stderr): Log {
  const output = createLineOutput(stream, (lines) =>
    log.error('Lines of the log are lost: they were not read in time.', { lines }),
  );
  const logger = createLogger({
    level,
    format: format.combine(
      format.timestamp(),
      format((info) => Object.assign(info, redact({ ...info })))(),
      format.json(),
    ),
    transports: [new transports.Stream({ stream: output })],
  });
  // The formats would run for what no transport takes, too.
  const write = (name: keyof Log): Log[typeof name] =>
    logger.isLevelEnabled(name)
      ? (message, fields = {}) => void logger.log(name, message, fields)
      : () => undefined;
  const log = { error: write('error'), warn: write('warn'), info: write('info'), debug: write('debug') };
  return log;
}
