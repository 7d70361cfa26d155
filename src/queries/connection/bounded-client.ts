// A connection whose statements end in time.
import pg from 'pg';
import { DatabaseTimeoutError } from './database-errors.ts';
import type { RequestScope } from './request-scope.ts';
import { toNamedQuery } from './named-statement.ts';

/** Statements of one connection, while one caller has it. */
export interface StatementBound {
  /** The request for which the statements run. */
  scope: RequestScope | undefined;
  /** Milliseconds of a statement that runs for no request. */
  readonly statementMs: number;
  /** The server refuses writes: it was a primary before a failover. Another connection may reach the new one. */
  isSpoiled: boolean;
  /** The connection was cut off in the middle of a statement, which goes on until the server looks for its client again. */
  isLeftAtWork: boolean;
  /** Why the connection is gone, if it is: what is asked of it afterwards fails for the same reason. */
  brokenBy?: Error;
  /** Since when the connection keeps the plans of its prepared statements; in milliseconds of `performance.now()`. */
  plansSinceMs: number;
}

const READ_ONLY_SERVER = '25006';

/** How pg tells what has become of a statement. */
type Report = (error: Error | null, result: unknown) => void;

/**
 * Limits every statement of a connection to what its request has left, and runs the prepared ones by their names. A statement that takes longer rejects with a
 * DatabaseTimeoutError and its connection is cut off: what is still on its way must not reach the next caller. One that begins when
 * nothing is left is not sent.
 */
export function boundStatements(client: pg.ClientBase, bound: StatementBound): void {
  const query = client.query.bind(client) as (...parameters: unknown[]) => unknown;
  client.on('error', (error) => {
    bound.brokenBy ??= error;
  });
  const bounded = (...parameters: unknown[]): unknown => {
    const { scope } = bound;
    const leftMs = scope?.leftMs ?? bound.statementMs;
    if (bound.brokenBy === undefined && leftMs <= 0) bound.brokenBy = cutOff(client, leftMs);
    if (bound.brokenBy !== undefined) return refuse(parameters, bound.brokenBy);
    scope?.beginWait();
    const stopTimer = startTimer(leftMs, () => {
      bound.isLeftAtWork = true;
      cutOff(client, leftMs);
    });
    const end = (error: unknown): void => {
      stopTimer();
      scope?.endWait();
      if (error instanceof pg.DatabaseError && error.code === READ_ONLY_SERVER) bound.isSpoiled = true;
    };
    const send = (statement: readonly unknown[], report: Report): unknown =>
      query(...statement, (error: Error | null, result: unknown) => {
        end(error);
        report(error, result);
      });
    const callback = parameters.at(-1);
    if (typeof callback === 'function') return send(parameters.slice(0, -1), callback as Report);
    const named = toNamedQuery(parameters[1]);
    return toPromise((report) => {
      send(named === undefined ? parameters : [named], report);
    });
  };
  (client as { query: unknown }).query = bounded;
}

/**
 * The promise of a statement that is given a callback. That of pg itself keeps each statement with its rows until V8 collects all
 * garbage (docs/decisions.md, "Heavy work").
 */
function toPromise(run: (report: Report) => void): Promise<unknown> {
  return new Promise((resolve, reject) => {
    run((error, result) => {
      if (error) reject(error);
      else resolve(result);
    });
  }).catch((error: unknown) => {
    // Who waits for it is in the trace, as pg has it, in place of the socket.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw error;
  });
}

/** A rollback succeeds: the server undoes what a connection that is gone has not committed. */
function refuse(parameters: readonly unknown[], error: Error): unknown {
  const callback = parameters.at(-1);
  if (typeof callback === 'function') {
    process.nextTick(callback, error);
    return undefined;
  }
  return parameters[0] === 'rollback'
    ? Promise.resolve({ command: 'ROLLBACK', rowCount: null, rows: [], fields: [] })
    : Promise.reject(error);
}

/** Cuts a connection off at once, whether or not the server still answers; what waits on it rejects with the error that is returned. */
export function cutOff(client: pg.ClientBase, afterMs: number): DatabaseTimeoutError {
  const { connection } = client as pg.Client;
  const error = new DatabaseTimeoutError(
    afterMs > 0
      ? `The database did not answer within ${Math.ceil(afterMs)} ms.`
      : 'The request had no time left for the database.',
  );
  connection.stream.destroy(error);
  return error;
}

/** A connection that does not end by itself is cut off after this time, in milliseconds. */
export const CLOSE_MS = 2_000;

/** Says goodbye to the server, and does not wait for it for longer than 2 s. Never rejects. */
export async function endClient(client: pg.Client): Promise<void> {
  const timer = setTimeout(() => cutOff(client, CLOSE_MS), CLOSE_MS);
  await client.end().catch(() => undefined);
  clearTimeout(timer);
}

/** After a long turn of the event loop an answer may have come that nobody has read yet: it is read first. What is returned prevents `expire`. */
export function startTimer(leftMs: number, expire: () => void): () => void {
  let immediate: NodeJS.Immediate | undefined;
  const timer = setTimeout(
    () => {
      immediate = setImmediate(expire);
    },
    Math.max(0, leftMs),
  );
  return () => {
    clearTimeout(timer);
    clearImmediate(immediate);
  };
}
