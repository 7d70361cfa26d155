// A database that is migrated and distributed, to be cloned for each test file on every server.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { applyMigrations } from '../../src/queries/connection/migrations.ts';
import type { CitusServers } from './servers.ts';

const ROOT = join(import.meta.dirname, '../..');
const SCRIPTS = ['distribute.sql', 'functions.sql'];

/** Migrates a database that all servers know, and distributes it. */
export async function distribute(servers: CitusServers, name: string, shards: number): Promise<void> {
  const coordinator = servers.coordinator.connectionTo(name);
  await migrateAndDistribute(coordinator, coordinator, shards);
}

/** The same on any coordinator: its owner migrates, the superuser distributes. */
export async function migrateAndDistribute(
  owner: pg.ClientConfig,
  superuser: pg.ClientConfig,
  shards: number,
): Promise<void> {
  await applyMigrations(owner, join(ROOT, 'migrations'));
  await runScripts(superuser, undefined, shards);
}

/** The scripts of deploy/citus, in the order of the page; `edit` changes their texts. */
export async function runScripts(
  superuser: pg.ClientConfig,
  edit: (text: string) => string = (text) => text,
  shards?: number,
): Promise<void> {
  for (const script of SCRIPTS) {
    const text = edit(readFileSync(join(ROOT, 'deploy/citus', script), 'utf8'));
    const client = new pg.Client(superuser);
    await client.connect();
    try {
      await client.query('begin');
      if (shards !== undefined) await client.query(`set local citus.shard_count = ${shards}`);
      await client.query(text);
      await client.query('commit');
    } finally {
      await client.end();
    }
  }
}

/** A clone needs a template that nobody is connected to: neither Citus' daemons. */
export async function makeTemplate(servers: CitusServers, name: string, shards: number): Promise<void> {
  await servers.makeDatabase(name);
  await distribute(servers, name, shards);
  for (const server of servers.all) {
    await server.run(
      'postgres',
      `alter database ${name} allow_connections false`,
      `select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '${name}'`,
    );
  }
}
