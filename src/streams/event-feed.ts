import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { PollingLoop } from '../loops/polling-loop.ts';
import type { Db } from '../queries/connection/database.ts';
import { listAnnouncedMessages, listOrganizationsWithNews } from '../queries/notifications/events.ts';
import type { AnnouncedPage, StreamCursor } from '../queries/notifications/events.ts';
import { FairShare } from '../shares/fair-share.ts';
import { OpenOrganization } from './open-organization.ts';
import type { OpenStream } from './open-organization.ts';
import { BUFFER_LIMITS, StreamBuffer } from './stream-buffer.ts';
import type { AnnouncedEvent, BufferLimits } from './stream-buffer.ts';

/** Open event streams of all partners in one process. */
const MAX_STREAMS = 2_000;
/** Messages that one query reads. */
const BATCH_SIZE = 100;
/** Pages that a round reads beyond the first one of each organization: so long news wait that come meanwhile. */
const MORE_PAGES_OF_ROUND = 10;
/** After a wake-up the reader waits this long: messages announced together are read by one query, not by one each. */
const COALESCE_MS = 25;
/** When to look again for messages of a transaction that has not ended. */
const UNCOMMITTED_RETRY_MS = 25;
/** When to look again, for all organizations at once: a wake-up may be lost. */
const POLL_MS = 5_000;
const RETRY_MS = 1_000;
const NEVER_MS = 2_147_483_647;
/** One page at a time for streams that begin in the past; those of a partner wait for one of each other partner. */
const REPLAYS = { capacity: 1, asOfRight: 1, maxWaiting: MAX_STREAMS, waitMs: 30_000 };

export interface EventFeedOptions {
  readonly db: Db;
  /** Hears of reads that failed; they are tried again. */
  readonly onError: (error: unknown) => void;
  readonly maxStreams?: number;
  readonly bufferLimits?: BufferLimits;
}

export interface StreamRequest {
  readonly partnerId: string;
  readonly orgId: string;
  readonly start: StreamCursor;
  /** Whether `start` is in the past: the stream first reads by itself what there is. */
  readonly replays: boolean;
}

/**
 * The open event streams of a process. Whatever their number, two queries at most are under way for them: one reads the
 * organizations that have news, each once for all its streams, in turn; the other reads for streams that begin in the past.
 * Quiet organizations are asked about together, in one query every five seconds.
 */
export class EventFeed {
  readonly #options: EventFeedOptions;
  readonly #organizations = new Map<string, OpenOrganization>();
  readonly #openStreams = new Map<string, number>();
  readonly #stop = new AbortController();
  readonly #reader: PollingLoop;
  readonly #poll: NodeJS.Timeout;
  /** Organizations of which it is not known whether they have news. */
  readonly #unchecked = new Set<string>();
  readonly #unread = new Set<string>();
  readonly #uncommitted = new Set<string>();
  readonly #replayTurns = new FairShare(REPLAYS);
  /** The latest read of a stream that begins in the past. */
  #replay: Promise<unknown> = Promise.resolve();
  #streamCount = 0;

  constructor(options: EventFeedOptions) {
    this.#options = options;
    // Each open stream listens to it.
    setMaxListeners(0, this.#stop.signal);
    const { onError } = options;
    const nextRoundMs = (): number => (this.#uncommitted.size > 0 ? UNCOMMITTED_RETRY_MS : NEVER_MS);
    this.#reader = new PollingLoop({ work: () => this.#read(), nextRoundMs, retryMs: RETRY_MS, onError });
    this.#reader.start();
    this.#poll = setInterval(() => this.announceNews(), POLL_MS);
  }

  /** Aborted when the service stops. */
  get stopSignal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Whether the process has as many streams open as it may have. */
  get isFull(): boolean {
    return this.#streamCount >= (this.#options.maxStreams ?? MAX_STREAMS);
  }

  /** Messages of these organizations were announced; of unknown ones where none are named. */
  announceNews(orgIds?: readonly string[]): void {
    const known = orgIds?.filter((orgId) => this.#organizations.has(orgId));
    for (const orgId of known ?? []) this.#unread.add(orgId);
    if (known === undefined) for (const orgId of this.#organizations.keys()) this.#unchecked.add(orgId);
    if (this.#unread.size + this.#unchecked.size > 0) this.#reader.wake();
  }

  /**
   * Counts one more open stream of a partner organization; the returned function, to be called once, counts it off
   * again. Undefined when the partner has `limit` streams already, or the process as many as it may have.
   */
  reserveStream(partnerId: string, limit: number): (() => void) | undefined {
    const others = this.#openStreams.get(partnerId) ?? 0;
    if (others >= limit || this.isFull) return undefined;
    this.#openStreams.set(partnerId, others + 1);
    this.#streamCount += 1;
    return () => {
      this.#streamCount -= 1;
      const remaining = (this.#openStreams.get(partnerId) ?? 1) - 1;
      if (remaining === 0) this.#openStreams.delete(partnerId);
      else this.#openStreams.set(partnerId, remaining);
    };
  }

  /**
   * The organization's messages behind `start`, in the order of their announcement, each as soon as it is committed. Returns
   * when `gone` is aborted or the feed stops; a stream whose reader leaves more than the limits of a buffer is ended by `cut`.
   * Throws the problem overloaded where one that begins in the past waits for its turn too long, and what a read of its past throws.
   */
  async *listen(
    { partnerId, orgId, start, replays }: StreamRequest,
    gone: AbortSignal,
    cut: () => void,
  ): AsyncGenerator<AnnouncedEvent> {
    let cursor = start;
    let hasMore = replays;
    while (hasMore && !this.#isOver(gone)) {
      const page = await this.#readReplay(partnerId, orgId, cursor, gone);
      for (const message of page?.messages ?? []) {
        yield { id: message.id, data: message.payload.toString('utf8') };
        cursor = message;
      }
      hasMore = page?.more === 'now';
    }
    if (this.#isOver(gone)) return;
    const buffer = new StreamBuffer(this.#options.bufferLimits ?? BUFFER_LIMITS);
    const stream = { cursor, buffer, cut };
    const end = (): void => buffer.end();
    gone.addEventListener('abort', end);
    this.#open(orgId, stream);
    try {
      yield* buffer.take();
    } finally {
      gone.removeEventListener('abort', end);
      this.#close(orgId, stream);
    }
  }

  /** Ends every stream; resolves when nothing reads any more. */
  async stop(): Promise<void> {
    this.#stop.abort();
    for (const organization of this.#organizations.values()) organization.end();
    clearInterval(this.#poll);
    await Promise.all([this.#reader.stop(), this.#replay]);
  }

  #isOver(gone: AbortSignal): boolean {
    return gone.aborted || this.#stop.signal.aborted;
  }

  #open(orgId: string, stream: OpenStream): void {
    const organization = this.#organizations.get(orgId) ?? new OpenOrganization(stream.cursor);
    this.#organizations.set(orgId, organization);
    organization.add(stream);
    // What was announced since the cursor was read.
    this.#unchecked.add(orgId);
    this.#reader.wake();
  }

  #close(orgId: string, stream: OpenStream): void {
    const organization = this.#organizations.get(orgId);
    organization?.remove(stream);
    if (organization?.isEmpty !== true) return;
    this.#organizations.delete(orgId);
    for (const set of [this.#unchecked, this.#unread, this.#uncommitted]) set.delete(orgId);
  }

  /** One page of each organization that has news, and some more of those that have more; the rest is for the next round. */
  async #read(): Promise<void> {
    await pause(COALESCE_MS);
    for (const orgId of this.#uncommitted) this.#unread.add(orgId);
    this.#uncommitted.clear();
    await this.#check();
    const round = new Set(this.#unread);
    let pagesLeft = round.size + MORE_PAGES_OF_ROUND;
    // An organization whose read fails stays unread.
    for (const orgId of round) {
      if (this.#stop.signal.aborted) return;
      this.#unread.delete(orgId);
      round.delete(orgId);
      try {
        pagesLeft -= 1;
        if ((await this.#readOrganization(orgId)) !== 'now') continue;
        if (pagesLeft > 0) round.add(orgId);
        else this.announceNews([orgId]);
      } catch (error) {
        for (const each of [orgId, ...round]) this.#unread.add(each);
        throw error;
      }
    }
  }

  async #readOrganization(orgId: string): Promise<AnnouncedPage['more']> {
    const organization = this.#organizations.get(orgId);
    if (organization === undefined) return 'no';
    const { cursor } = organization;
    const { messages, more } = await listAnnouncedMessages(this.#options.db, orgId, cursor, BATCH_SIZE);
    if (!organization.deliver(cursor, messages)) return 'now';
    if (more === 'soon') this.#uncommitted.add(orgId);
    return more;
  }

  /** Partners with streams that begin in the past take turns, a page each; undefined when the stream is over meanwhile. */
  async #readReplay(
    partnerId: string,
    orgId: string,
    cursor: StreamCursor,
    gone: AbortSignal,
  ): Promise<AnnouncedPage | undefined> {
    const over = AbortSignal.any([gone, this.#stop.signal]);
    const release = await this.#replayTurns.acquire(partnerId, over).catch((error: unknown) => {
      if (over.aborted) return undefined;
      throw error;
    });
    if (release === undefined) return undefined;
    try {
      const page = listAnnouncedMessages(this.#options.db, orgId, cursor, BATCH_SIZE);
      this.#replay = page.catch(() => undefined);
      return await page;
    } finally {
      release();
    }
  }

  /** Asks about all that are unchecked in one query. */
  async #check(): Promise<void> {
    const unchecked = [...this.#unchecked].flatMap((orgId) => {
      const organization = this.#organizations.get(orgId);
      return organization === undefined ? [] : [{ orgId, ...organization.cursor }];
    });
    const orgIds = unchecked.length === 0 ? [] : await listOrganizationsWithNews(this.#options.db, unchecked);
    for (const orgId of orgIds) this.#unread.add(orgId);
    // One that was opened during the query may have a cursor before the one that was asked about.
    for (const { orgId, at } of unchecked)
      if (this.#organizations.get(orgId)?.cursor.at === at) this.#unchecked.delete(orgId);
  }
}
