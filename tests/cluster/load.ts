// A partner that goes on writing while the database fails over, and what it was told.
import { randomUUID } from 'node:crypto';
import { Agent, fetch } from 'undici';
import { CONDITION_CODES, itemKindOf } from '../../src/domain/notifications/conditions.ts';

/** A write of the client and its answer; times in milliseconds of performance.now(). */
export interface Write {
  readonly kind: 'user' | 'event';
  /** The user's email, or the device with its notice: what is looked for later. */
  readonly key: string;
  readonly sentAt: number;
  readonly answeredAt: number;
  /** 0 when there was no answer in ten seconds, or the connection broke. */
  readonly status: number;
  readonly code: string | undefined;
}

export interface LoadTarget {
  /** The API processes, which are called by turns. */
  readonly baseUrls: readonly string[];
  readonly orgId: string;
  /** Devices to which nothing has happened yet. */
  readonly devices: readonly LoadDevice[];
  readonly token: string;
  readonly writesPerSecond: number;
  /** One write in so many is a user, the others are events of devices, each of which is a message to a webhook. */
  readonly usersOneIn: number;
}

export interface LoadDevice {
  readonly id: string;
  readonly fleetId: string;
}

const TICK_MS = 10;
const PATIENCE_MS = 10_000;
/** Connections that the service grants an address: while the database is away more requests wait. */
const CONNECTIONS = 128;
/** Each is a condition of its own, so that every event of a device and notice is one message. */
const NOTICES = CONDITION_CODES.filter((code) => itemKindOf(code) === 'information');

/** Events that can happen to a device. */
export const EVENTS_OF_A_DEVICE = NOTICES.length;

/** What the message about a device is known by. */
export const eventKey = (deviceId: string, notice: string): string => `${deviceId} ${notice}`;

export class Load {
  readonly writes: Write[] = [];
  readonly startedAt = performance.now();
  readonly #target: LoadTarget;
  readonly #clients: readonly Agent[];
  readonly #open = new Set<Promise<void>>();
  readonly #timer: NodeJS.Timeout;
  #sent = 0;

  /** Begins at once. */
  constructor(target: LoadTarget) {
    this.#target = target;
    const addresses = Math.ceil((target.writesPerSecond * PATIENCE_MS) / 1_000 / CONNECTIONS);
    this.#clients = Array.from(
      { length: addresses },
      (_, number) => new Agent({ localAddress: `127.0.0.${number + 1}` }),
    );
    this.#timer = setInterval(() => this.#beginDue(), TICK_MS);
  }

  get writesPerSecond(): number {
    return this.#target.writesPerSecond;
  }

  /** Writes that were acknowledged from then on. */
  acknowledgedSince(at: number): Write[] {
    return this.writes.filter(({ answeredAt, status }) => answeredAt >= at && status < 300 && status !== 0);
  }

  /** Resolves when every request has come to its end. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#open);
    for (const client of this.#clients) await client.destroy();
  }

  /** Also those for which a timer of a busy machine came too late. */
  #beginDue(): void {
    const due = ((performance.now() - this.startedAt) / 1_000) * this.#target.writesPerSecond;
    while (this.#sent < due) {
      const sent = this.#send(this.#sent++).finally(() => this.#open.delete(sent));
      this.#open.add(sent);
    }
  }

  async #send(number: number): Promise<void> {
    const { baseUrls, token, orgId, usersOneIn } = this.#target;
    const write =
      number % usersOneIn === 0 ? this.#nextUser() : this.#nextEvent(number - Math.ceil(number / usersOneIn));
    const { kind, key, path, body } = write;
    const dispatcher = this.#clients[number % this.#clients.length];
    const baseUrl = baseUrls[Math.floor(number / usersOneIn) % baseUrls.length] ?? '';
    const sentAt = performance.now();
    const [status, code] = await fetch(`${baseUrl}/api/partners/v2.0/org/${orgId}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(PATIENCE_MS),
      ...(dispatcher && { dispatcher }),
    }).then(
      async (answer) => [answer.status, ((await answer.json()) as { code?: string }).code] as const,
      () => [0, undefined] as const,
    );
    this.writes.push({
      kind,
      key,
      sentAt,
      answeredAt: performance.now(),
      status,
      code: status < 300 ? undefined : code,
    });
  }

  #nextUser(): { kind: 'user'; key: string; path: string; body: object } {
    const email = `${randomUUID()}@example.com`;
    return { kind: 'user', key: email, path: '/users', body: { email, role: 'user' } };
  }

  #nextEvent(number: number): { kind: 'event'; key: string; path: string; body: object } {
    const { devices } = this.#target;
    const device = devices[number % devices.length];
    const code = NOTICES[Math.floor(number / devices.length)];
    if (device === undefined || code === undefined)
      throw new Error('Everything has happened to every device: the fleet is too small.');
    const path = `/device-simulator/fleets/${device.fleetId}/devices/${device.id}/events`;
    return { kind: 'event', key: eventKey(device.id, code), path, body: { code } };
  }
}
