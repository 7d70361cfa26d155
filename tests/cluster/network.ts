// Where the nodes are: each in a network namespace of its own, whose cable can be pulled, or all on loopback.
import type { NodeOptions } from './node.ts';
import { IS_ROOT, runCommand } from './processes.ts';

/** Where a node is. */
export type Site = Pick<NodeOptions, 'address' | 'inPlace' | 'cable'>;

export interface ClusterNetwork {
  /** Where the nodes reach etcd, and clients reach HAProxy. */
  readonly hostAddress: string;
  readonly nodes: readonly Site[];
  close(): void;
}

const NODES = [0, 1, 2];
const PREFIX = 'partner-cluster';

/** Namespaces where the machine permits them, else addresses of loopback. */
export function openNetwork(): ClusterNetwork {
  return (IS_ROOT ? openNamespaces() : undefined) ?? openLoopback(NODES.length);
}

/** An address of loopback for each node. */
export function openLoopback(nodes: number): ClusterNetwork {
  return {
    hostAddress: '127.0.0.1',
    nodes: Array.from({ length: nodes }, (_, node) => ({
      address: `127.0.0.${11 + node}`,
      inPlace: (command) => [...command],
      cable: undefined,
    })),
    close: () => undefined,
  };
}

/** One bridge with a cable to each namespace; undefined where the machine refuses it. */
function openNamespaces(): ClusterNetwork | undefined {
  removeLeftovers();
  const own = process.pid % 100_000;
  // Networks for tests of devices (RFC 2544), which no machine routes.
  const subnet = `198.18.${process.pid % 256}`;
  const bridge = `pcb${own}`;
  const cable = (node: number): string => `pcv${own}n${node}`;
  const namespace = (node: number): string => `${PREFIX}-${process.pid}-${node}`;
  const ip = (text: string): string => runCommand(['ip', ...text.split(' ')]);
  const close = (): void => {
    for (const node of NODES) attempt(() => ip(`netns del ${namespace(node)}`));
    attempt(() => ip(`link del ${bridge}`));
  };
  try {
    ip(`link add ${bridge} type bridge`);
    ip(`addr add ${subnet}.1/24 dev ${bridge}`);
    ip(`link set ${bridge} up`);
    for (const node of NODES) {
      ip(`netns add ${namespace(node)}`);
      ip(`link add ${cable(node)} type veth peer name eth0 netns ${namespace(node)}`);
      ip(`link set ${cable(node)} master ${bridge} up`);
      ip(`-n ${namespace(node)} addr add ${subnet}.${11 + node}/24 dev eth0`);
      ip(`-n ${namespace(node)} link set eth0 up`);
      ip(`-n ${namespace(node)} link set lo up`);
    }
  } catch {
    close();
    return undefined;
  }
  return {
    hostAddress: `${subnet}.1`,
    nodes: NODES.map((node) => ({
      address: `${subnet}.${11 + node}`,
      inPlace: (command) => ['ip', 'netns', 'exec', namespace(node), ...command],
      cable: {
        pull: () => void ip(`link set ${cable(node)} down`),
        plug: () => void ip(`link set ${cable(node)} up`),
      },
    })),
    close,
  };
}

/** Namespaces and bridges of runs that were killed. */
function removeLeftovers(): void {
  const isGone = (pid: number): boolean => attempt(() => process.kill(pid, 0)) === undefined;
  const listed = attempt(() => runCommand(['ip', 'netns', 'list'])) ?? '';
  for (const [name, pid] of listed.matchAll(new RegExp(`^${PREFIX}-(\\d+)-\\d+`, 'gm'))) {
    if (!isGone(Number(pid))) continue;
    attempt(() => runCommand(['ip', 'netns', 'del', name]));
    attempt(() => runCommand(['ip', 'link', 'del', `pcb${Number(pid) % 100_000}`]));
  }
}

function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
