import { randomUUID } from 'node:crypto';
import { MINUTE_MS } from '../domain/api/durations.ts';
import type { LoggedRequest, UnloggedRequests } from '../domain/requests/logged-request.ts';

/** Seconds of its rate that an organization may send at once and have logged. */
const BURST_SECONDS = 60;
/** Entries that wait to be written in this process; some 2 MB of most bodies, 16 MB at worst. */
const MAX_WAITING = 2_000;
/** Organizations whose rates are remembered; the one that was quiet for the longest is forgotten, and has its burst again. */
const MAX_ORGANIZATIONS = 10_000;

export interface RequestLogOptions {
  /** Requests of an organization that are logged in a second for long, and as many refused ones beside them; 0: none. */
  readonly perSecond: number;
  readonly clock: () => Date;
  /** Milliseconds that never run backwards. */
  readonly monotonicMs: () => number;
}

/** What an organization may have logged: tokens that come back with time. */
interface Allowance {
  tokens: number;
  atMs: number;
}

/** What is to be written at once. */
export interface RequestBatch {
  readonly requests: readonly LoggedRequest[];
  readonly unlogged: readonly UnloggedRequests[];
}

/**
 * Requests that wait to be written, and how many there were beside them. An organization has an allowance for what succeeds and
 * another one for what is refused, so that neither hides the other; what is beyond is counted by the minute.
 */
export class RequestLog {
  readonly #options: RequestLogOptions;
  readonly #allowances = new Map<string, Allowance>();
  #waiting: LoggedRequest[] = [];
  readonly #unlogged = new Map<string, UnloggedRequests>();

  constructor(options: RequestLogOptions) {
    this.#options = options;
  }

  /** Adds what `describe` tells of a request that has been answered, when there is room for it; otherwise counts it. */
  add(orgId: string, isRefused: boolean, describe: () => Omit<LoggedRequest, 'id' | 'orgId'>): void {
    if (this.#options.perSecond === 0) return;
    const hasRoom = this.#waiting.length < MAX_WAITING;
    if (hasRoom && this.#allow(`${orgId} ${isRefused ? 'refused' : ''}`))
      this.#waiting.push({ ...describe(), id: randomUUID(), orgId });
    else this.#count({ orgId, minute: this.#minute(), count: 1 });
  }

  /** What waits, at most so many requests; from now on it is the caller's. Undefined when nothing does. */
  take(most: number): RequestBatch | undefined {
    const requests = this.#waiting.splice(0, most);
    const unlogged = [...this.#unlogged.values()];
    this.#unlogged.clear();
    return requests.length + unlogged.length === 0 ? undefined : { requests, unlogged };
  }

  /** Takes back what could not be written; what there is no room for is counted. */
  giveBack({ requests, unlogged }: RequestBatch): void {
    const kept = requests.slice(0, MAX_WAITING - this.#waiting.length);
    this.#waiting = [...kept, ...this.#waiting];
    for (const each of unlogged) this.#count(each);
    for (const { orgId } of requests.slice(kept.length))
      this.#count({ orgId, minute: this.#minute(), count: 1 });
  }

  #allow(key: string): boolean {
    const { perSecond, monotonicMs } = this.#options;
    const now = monotonicMs();
    const most = perSecond * BURST_SECONDS;
    const { tokens, atMs } = this.#allowances.get(key) ?? { tokens: most, atMs: now };
    const available = Math.min(most, tokens + ((now - atMs) * perSecond) / 1_000);
    // Behind all others: the first one of the map is the one that was quiet for the longest.
    this.#allowances.delete(key);
    this.#allowances.set(key, { tokens: available < 1 ? available : available - 1, atMs: now });
    const [oldest] = this.#allowances.keys();
    if (this.#allowances.size > MAX_ORGANIZATIONS && oldest !== undefined) this.#allowances.delete(oldest);
    return available >= 1;
  }

  /** Of a minute and an organization one number; as many at most as organizations are remembered. */
  #count({ orgId, minute, count }: UnloggedRequests): void {
    const key = `${orgId} ${minute.getTime()}`;
    const known = this.#unlogged.get(key)?.count ?? 0;
    if (known === 0 && this.#unlogged.size >= MAX_ORGANIZATIONS) return;
    this.#unlogged.set(key, { orgId, minute, count: known + count });
  }

  #minute(): Date {
    return new Date(Math.floor(this.#options.clock().getTime() / MINUTE_MS) * MINUTE_MS);
  }
}
