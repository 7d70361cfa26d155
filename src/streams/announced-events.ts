import type { Db } from '../queries/connection/database.ts';
import { listAnnouncedMessages, type StreamCursor } from '../queries/notifications/events.ts';
import type { EventFeed } from './event-feed.ts';

/** Messages that one query reads. */
const BATCH_SIZE = 100;
/** After a wake-up a stream waits this long: messages announced together are read by one query, not by one each. */
const COALESCE_MS = 25;
/** When to look again for messages of a transaction that has not ended. */
const UNCOMMITTED_RETRY_MS = 25;
/** When to look again at the latest: a wake-up may be lost. */
const POLL_MS = 5_000;

/** A message of the stream: `data` is its envelope as JSON text. */
export interface AnnouncedEvent {
  readonly id: string;
  readonly data: string;
}

export interface EventSource {
  readonly db: Db;
  readonly orgId: string;
  /** Tells when messages were announced. */
  readonly feed: EventFeed;
}

/**
 * The organization's messages behind `start`, in the order of their announcement, each as soon as it is committed.
 * Returns when `closed` is aborted or the feed stops.
 */
export async function* readAnnouncedEvents(
  { db, orgId, feed }: EventSource,
  start: StreamCursor,
  closed: AbortSignal,
): AsyncGenerator<AnnouncedEvent> {
  let cursor = start;
  while (!closed.aborted && !feed.stopSignal.aborted) {
    const { newsCount } = feed;
    const { messages, more } = await listAnnouncedMessages(db, orgId, cursor, BATCH_SIZE);
    for (const message of messages) {
      yield { id: message.id, data: message.payload.toString('utf8') };
      cursor = message;
    }
    if (more === 'now') continue;
    await feed.waitForNews(newsCount, more === 'soon' ? UNCOMMITTED_RETRY_MS : POLL_MS, closed);
    await feed.pause(COALESCE_MS, closed);
  }
}
