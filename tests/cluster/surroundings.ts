// What stands around the nodes: etcd, HAProxy that leads to the primary by deploy/patroni, and a folder with all data and logs.
import type { ChildProcess } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../faults/restarts.ts';
import type { NodePorts } from './node.ts';
import { asClusterUser, endProgram, giveToClusterUser, startProgram, tailOf } from './processes.ts';

export const PATRONI_FILES = join(import.meta.dirname, '../../deploy/patroni');
const STOP_MS = 5_000;

interface Ports {
  readonly etcd: number;
  readonly etcdPeer: number;
  readonly haproxy: number;
}

export class Surroundings {
  readonly folder: string;
  readonly #host: string;
  readonly #ports: Ports;
  readonly #programs = new Map<string, ChildProcess>();

  private constructor(host: string, ports: Ports, folder: string) {
    this.#host = host;
    this.#ports = ports;
    this.folder = folder;
  }

  /** Runs nothing yet; `close` follows in any case. */
  static async make(host: string): Promise<Surroundings> {
    const ports = {
      etcd: await findFreePort(),
      etcdPeer: await findFreePort(),
      haproxy: await findFreePort(),
    };
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'partner-cluster-')));
    chmodSync(folder, 0o755);
    for (const name of ['etcd', 'logs']) mkdirSync(join(folder, name));
    giveToClusterUser(folder);
    return new Surroundings(host, ports, folder);
  }

  get etcd(): string {
    return `${this.#host}:${this.#ports.etcd}`;
  }

  /** Where clients reach the primary. */
  get entrance(): { readonly host: string; readonly port: number } {
    return { host: this.#host, port: this.#ports.haproxy };
  }

  startEtcd(): void {
    const clients = `http://${this.etcd}`;
    const peers = `http://${this.#host}:${this.#ports.etcdPeer}`;
    const options = {
      name: 'etcd1',
      'data-dir': join(this.folder, 'etcd'),
      'listen-client-urls': clients,
      'advertise-client-urls': clients,
      'listen-peer-urls': peers,
      'initial-advertise-peer-urls': peers,
      'initial-cluster': `etcd1=${peers}`,
    };
    const words = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
    this.#start('etcd', ['/usr/bin/etcd', ...words], {});
  }

  /** To the primary of these nodes, which are two or three. */
  startHaproxy(addresses: readonly string[], ports: NodePorts): void {
    const nodes = addresses.map((address, index) => [`NODE${index + 1}`, address] as const);
    this.#start('haproxy', ['/usr/sbin/haproxy', '-db', '-f', join(PATRONI_FILES, 'haproxy.cfg')], {
      ...Object.fromEntries(nodes),
      LISTEN: `${this.entrance.host}:${this.entrance.port}`,
      POSTGRES_PORT: String(ports.postgres),
      PATRONI_PORT: String(ports.patroni),
    });
  }

  logOf(name: string): string {
    return join(this.folder, 'logs', `${name}.log`);
  }

  /** The ends of the logs, also of these nodes. */
  describe(nodes: readonly { readonly name: string }[]): string {
    const names = [...this.#programs.keys(), ...nodes.map(({ name }) => name)];
    return names.map((name) => `--- ${name}\n${tailOf(this.logOf(name))}`).join('\n');
  }

  /** Ends the programs and removes the folder. */
  async close(): Promise<void> {
    await Promise.all([...this.#programs.values()].map((child) => endProgram(child, 'SIGTERM', STOP_MS)));
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }

  #start(name: string, command: readonly string[], env: Readonly<Record<string, string>>): void {
    this.#programs.set(
      name,
      startProgram({ command: asClusterUser(command), env, logFile: this.logOf(name) }),
    );
  }
}
