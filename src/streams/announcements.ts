import { randomUUID } from 'node:crypto';
import { throttle } from '../loops/throttle.ts';
import type { OpenDatabase } from '../queries/connection/database.ts';
import { listenOnChannel } from '../queries/connection/listen.ts';
import { EVENTS_CHANNEL, notifyStreams } from '../queries/notifications/events.ts';
import { EventFeed } from './event-feed.ts';

/** The event streams of this process, and the notification between processes. */
export interface EventStreams {
  readonly events: EventFeed;
  /** Messages of these organizations were written: wakes their streams in all processes. */
  readonly announce: (orgIds: readonly string[]) => void;
  /** Ends the streams. */
  stop(): Promise<void>;
}

/** Organizations that one notification names: PostgreSQL takes 8,000 bytes. More of them wake all. */
const MAX_NAMED_ORGANIZATIONS = 200;
const ALL = 'all';

/**
 * `hasListeners`: whether streams can be opened here, or messages are only announced. `onError` hears of wake-ups and reads
 * that failed: streams also poll. Rejects when the channel cannot be listened to.
 */
export async function startEventStreams(
  { db, config }: Pick<OpenDatabase, 'db' | 'config'>,
  hasListeners: boolean,
  onError: (error: unknown) => void,
): Promise<EventStreams> {
  const events = new EventFeed({ db, onError });
  const sender = randomUUID();
  const announced = new Set<string>();
  const notify = throttle(async () => {
    const orgIds = [...announced];
    announced.clear();
    await notifyStreams(db, formatAnnouncement(sender, orgIds));
  }, onError);
  const unlisten = hasListeners
    ? await listenOnChannel(
        config,
        EVENTS_CHANNEL,
        (payload) => {
          const { from, orgIds } = parseAnnouncement(payload);
          // What this process has announced its own streams know.
          if (from !== sender) events.announceNews(orgIds);
        },
        onError,
      )
    : undefined;
  return {
    events,
    announce: (orgIds) => {
      events.announceNews(orgIds);
      for (const orgId of orgIds) announced.add(orgId);
      notify();
    },
    stop: async () => {
      await Promise.all([events.stop(), unlisten?.()]);
    },
  };
}

/** The payload of a notification: who sends it, and the organizations, or that any may have news. */
export function formatAnnouncement(sender: string, orgIds: readonly string[]): string {
  return `${sender} ${orgIds.length > MAX_NAMED_ORGANIZATIONS ? ALL : orgIds.join(',')}`;
}

/** Reads formatAnnouncement; without a payload, as after a new connection, any organization of any sender may have news. */
export function parseAnnouncement(payload: string | undefined): {
  readonly from: string | undefined;
  readonly orgIds: readonly string[] | undefined;
} {
  const [from, named] = (payload ?? '').split(' ');
  return { from, orgIds: named === undefined || named === ALL ? undefined : named.split(',') };
}
