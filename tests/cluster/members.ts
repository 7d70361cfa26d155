// Which node of a group is primary, and which others follow it.
import pg from 'pg';
import { until } from '../faults/environment.ts';
import type { ClusterNode } from './node.ts';

/** A node comes back: it replays, is rewound or copied, and streams. */
export const WHOLE_MS = 60_000;
const CONNECT_MS = 1_000;
const QUERY_MS = 5_000;

export interface Standby {
  readonly name: string;
  readonly isStreaming: boolean;
  /** It has everything that was acknowledged. */
  readonly isCandidate: boolean;
}

/** The node that answers as primary; in place of a former one, which is not asked: it may be away. */
export async function findPrimary(all: readonly ClusterNode[], former?: ClusterNode): Promise<ClusterNode> {
  const nodes = all.filter((node) => node !== former);
  const ask = async (): Promise<ClusterNode[]> => {
    const answers = await Promise.all(nodes.map((node) => node.isPrimary()));
    return nodes.filter((_node, index) => answers[index]);
  };
  const [primary] = await until('one node is primary', ask, ({ length }) => length === 1, WHOLE_MS);
  if (primary === undefined) throw new Error('No node is primary.');
  return primary;
}

/** As the primary, to which the pool leads, sees them; none while there is no primary. */
export async function listStandbys(
  nodes: readonly ClusterNode[],
  primary: pg.Pool | undefined,
): Promise<Standby[]> {
  try {
    const found = await primary?.query<{ name: string; state: string }>(
      'select application_name as name, state from pg_stat_replication',
    );
    const known = await Promise.any(nodes.map((node) => node.listMembers()));
    return (found?.rows ?? []).map(({ name, state }) => ({
      name,
      isStreaming: state === 'streaming',
      isCandidate: known.some((member) => member.name === name && member.role === 'sync_standby'),
    }));
  } catch {
    return [];
  }
}

/** A connection that is made when it is needed, to what may be away. */
export function openPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: QUERY_MS,
    max: 1,
    ...config,
  });
  pool.on('error', () => undefined);
  return pool;
}
