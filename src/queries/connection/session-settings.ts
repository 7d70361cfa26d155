// What the server is told about each of our connections, so that a process which is gone or stuck holds nothing.
import type pg from 'pg';
import { CLOSE_MS, cutOff } from './bounded-client.ts';

/** A new connection that is not ready in this time is given up, and another one tried; in milliseconds. */
export const CONNECT_MS = 1_500;
/** A statement waits this long for a lock, in milliseconds. */
export const LOCK_MS = 2_000;
/** The kernel asks after an idle connection's other side, which a failover may have taken away. */
export const KEEPALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 } as const;
/** During a statement the server looks so often whether its client is there, in milliseconds. */
export const CLIENT_CHECK_MS = 1_000;
/** A transaction that asks nothing for so long is ended. */
const IDLE_TRANSACTION_MS = 15_000;

/** The server ends a statement a little before the client cuts the connection off, which then stays whole. */
const SERVER_SHARE = 0.9;

/** Not every server and platform has them: the machine of a client that has died is noticed within some 10 s. */
const OPTIONAL_SETTINGS = {
  client_connection_check_interval: String(CLIENT_CHECK_MS),
  tcp_keepalives_idle: '5',
  tcp_keepalives_interval: '2',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '10000',
};

/** Limits of one connection, in milliseconds. */
export interface SessionLimits {
  /** How long the client waits for a statement. */
  readonly statementMs: number;
  /** How long a statement waits for a lock; then it fails with SQLSTATE 55P03. */
  readonly lockMs: number;
}

/**
 * SQL of a block: fails with SQLSTATE 57P03 at a standby, which a proxy may lead to while servers change their parts. It would answer reads
 * from the past and hold locks of which the primary does not know.
 */
const REFUSE_STANDBY = `
  if pg_is_in_recovery() then
    raise exception 'The server is a standby, or not a primary yet.' using errcode = 'cannot_connect_now';
  end if;`;

/** Rejects when the server is a standby. */
export async function refuseStandby(client: pg.ClientBase): Promise<void> {
  await client.query(`do $$ begin ${REFUSE_STANDBY} end $$`);
}

/**
 * Tells the server the limits of a new connection, and that instants are written in UTC. The connection is cut off when that
 * takes too long, and refused
 * when the server is a standby; the goodbye that follows is not waited for without a limit either.
 */
export async function applySessionSettings(
  client: pg.ClientBase,
  { statementMs, lockMs }: SessionLimits,
): Promise<void> {
  const optional = Object.entries(OPTIONAL_SETTINGS)
    .map(
      ([name, value]) =>
        `begin perform set_config('${name}', '${value}', false); exception when others then null; end;`,
    )
    .join(' ');
  const timer = setTimeout(() => cutOff(client, CONNECT_MS), CONNECT_MS);
  try {
    await client.query(`do $$ begin ${REFUSE_STANDBY}
      perform set_config('statement_timeout', '${Math.round(statementMs * SERVER_SHARE)}', false);
      perform set_config('TimeZone', 'UTC', false);
      perform set_config('lock_timeout', '${lockMs}', false);
      perform set_config('idle_in_transaction_session_timeout', '${IDLE_TRANSACTION_MS}', false);
      ${optional}
    end $$`);
  } catch (error) {
    const { stream } = (client as pg.Client).connection;
    const ending = setTimeout(() => stream.destroy(), CLOSE_MS).unref();
    client.once('end', () => clearTimeout(ending));
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
