// Two nodes of Patroni that hold one part of a cluster of Citus: the coordinator, or one worker.
import type pg from 'pg';
import { findPrimary, listStandbys, openPool } from '../../cluster/members.ts';
import type { ClusterNode } from '../../cluster/node.ts';

/** Group 0 is the coordinator. */
export const COORDINATOR = 0;

export class PatroniGroup {
  readonly number: number;
  readonly nodes: readonly ClusterNode[];
  readonly #pools: ReadonlyMap<ClusterNode, pg.Pool>;

  /** `superuser` says how to connect to a node at its address. */
  constructor(number: number, nodes: readonly ClusterNode[], superuser: pg.PoolConfig) {
    this.number = number;
    this.nodes = nodes;
    this.#pools = new Map(nodes.map((node) => [node, openPool({ ...superuser, host: node.address })]));
  }

  findPrimary(former?: ClusterNode): Promise<ClusterNode> {
    return findPrimary(this.nodes, former);
  }

  /** At the primary of this moment, as the superuser. */
  async ask<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const pool = this.#pools.get(await this.findPrimary());
    return (await pool?.query<Row>(text, [...values]))?.rows ?? [];
  }

  /** Why not every other node has what was acknowledged; undefined when each has. */
  async findGap(): Promise<string | undefined> {
    const areAsked = await Promise.all(this.nodes.map((node) => node.isPrimary()));
    const primary = this.nodes.find((_node, index) => areAsked[index]);
    if (primary === undefined) return `group ${this.number} has no primary`;
    const standbys = await listStandbys(this.nodes, this.#pools.get(primary));
    const isWhole =
      standbys.length === this.nodes.length - 1 &&
      standbys.every((each) => each.isStreaming && each.isCandidate);
    return isWhole ? undefined : `group ${this.number} has the standbys ${JSON.stringify(standbys)}`;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.end().catch(() => undefined)));
    await Promise.all(this.nodes.map((node) => node.stop()));
  }
}
