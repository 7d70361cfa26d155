// Partners that call without a pause, on connections that they keep and on new ones, and what they were told.
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'undici';
import { CONDITION_CODES, itemKindOf } from '../../../src/domain/notifications/conditions.ts';
import { eventKey } from '../load.ts';

export interface Target {
  readonly baseUrl: string;
  readonly orgId: string;
  readonly fleetId: string;
  /** Devices to which nothing has happened yet. */
  readonly deviceIds: readonly string[];
  readonly token: string;
}

/** A request that was not answered as it should be. */
export interface Failure {
  readonly what: string;
  /** The status, or why there was none. */
  readonly outcome: string;
  readonly atMs: number;
}

interface Call {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly expected: number;
  readonly body?: object;
  readonly onAcknowledged?: () => void;
}

/** Half of them keep their connection, the other half make a new one for each request. */
const CLIENTS = 24;
const PATIENCE_MS = 10_000;
/** Of twenty requests one is an event, each of which is a message to a webhook, and three create a user. */
const PERIOD = 20;
const NOTICES = CONDITION_CODES.filter((code) => itemKindOf(code) === 'information');

const READ: Call = { method: 'GET', path: '/users?limit=1', expected: 200 };

export class Traffic {
  readonly failures: Failure[] = [];
  /** Emails that were acknowledged. */
  readonly emails: string[] = [];
  /** Keys of the events that were acknowledged, as `eventKey`. */
  readonly events: string[] = [];
  answered = 0;
  slowestMs = 0;
  readonly #target: Target;
  readonly #clients: Promise<void>[];
  #sent = 0;
  #isOver = false;

  /** Begins at once. */
  constructor(target: Target) {
    this.#target = target;
    this.#clients = Array.from({ length: CLIENTS }, (_, index) => this.#run(index % 2 === 0));
  }

  /** Resolves when every request has come to its end. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#clients);
  }

  /** One more request, on a connection of its own. */
  async read(): Promise<void> {
    const dispatcher = new Agent({ connections: 1, pipelining: 0 });
    await this.#send(dispatcher, READ);
    await dispatcher.destroy();
  }

  async #run(keepsConnection: boolean): Promise<void> {
    const dispatcher = new Agent({ connections: 1, pipelining: keepsConnection ? 1 : 0 });
    while (!this.#isOver) await this.#send(dispatcher, this.#next(this.#sent++));
    await dispatcher.destroy();
  }

  async #send(dispatcher: Agent, { method, path, expected, body, onAcknowledged }: Call): Promise<void> {
    const startedAt = performance.now();
    const { baseUrl, orgId, token } = this.#target;
    const outcome = await request(`${baseUrl}/api/partners/v2.0/org/${orgId}${path}`, {
      dispatcher,
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
      .then(
        async (answer) => {
          await answer.body.text();
          return answer.statusCode;
        },
        (error: unknown) => String(error),
      )
      .catch((error: unknown) => String(error));
    const tookMs = performance.now() - startedAt;
    this.slowestMs = Math.max(this.slowestMs, tookMs);
    if (outcome === expected) {
      this.answered += 1;
      onAcknowledged?.();
    } else this.failures.push({ what: `${method} ${path}`, outcome: String(outcome), atMs: startedAt });
  }

  #next(number: number): Call {
    const turn = number % PERIOD;
    if (turn === 0) return this.#nextEvent(number / PERIOD);
    if (turn % 6 === 1) return this.#nextUser();
    return READ;
  }

  #nextUser(): Call {
    const email = `${randomUUID()}@example.com`;
    const onAcknowledged = (): void => void this.emails.push(email);
    return { method: 'POST', path: '/users', expected: 201, body: { email, role: 'user' }, onAcknowledged };
  }

  #nextEvent(number: number): Call {
    const { deviceIds, fleetId } = this.#target;
    const deviceId = deviceIds[number % deviceIds.length] ?? '';
    const code = NOTICES[Math.floor(number / deviceIds.length)];
    if (code === undefined)
      throw new Error('Everything has happened to every device: the fleet is too small.');
    const path = `/device-simulator/fleets/${fleetId}/devices/${deviceId}/events`;
    const onAcknowledged = (): void => void this.events.push(eventKey(deviceId, code));
    return { method: 'POST', path, expected: 200, body: { code }, onAcknowledged };
  }
}
