import { randomUUID } from 'node:crypto';
import { throttle } from '../loops/throttle.ts';
import type { OpenDatabase } from '../queries/connection/database.ts';
import { listenOnChannel } from '../queries/connection/listen.ts';
import { EVENTS_CHANNEL, notifyStreams } from '../queries/notifications/events.ts';
import { ChangeFeed } from './change-feed.ts';
import { EventFeed } from './event-feed.ts';

/** The event streams and open pages of this process, and the notification between processes. */
export interface EventStreams {
  readonly events: EventFeed;
  readonly changes: ChangeFeed;
  /** Messages of these organizations were written: wakes their streams in all processes. */
  readonly announce: (orgIds: readonly string[]) => void;
  /** Something of these organizations has changed of which no message tells: tells the pages that show it in all processes. */
  readonly announceChange: (orgIds: readonly string[]) => void;
  /** Ends the streams. */
  stop(): Promise<void>;
}

/** Organizations that one notification names: PostgreSQL takes 8,000 bytes. More of them wake all. */
const MAX_NAMED_ORGANIZATIONS = 200;
const ALL = 'all';
/** What an announcement is about. */
type Announced = 'messages' | 'changes';

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
  const changes = new ChangeFeed();
  const sender = randomUUID();
  const createNotifier = (what: Announced): ((orgIds: readonly string[]) => void) => {
    const announced = new Set<string>();
    const notify = throttle(async () => {
      const orgIds = [...announced];
      announced.clear();
      await notifyStreams(db, formatAnnouncement(sender, orgIds, what));
    }, onError);
    return (orgIds) => {
      for (const orgId of orgIds) announced.add(orgId);
      notify();
    };
  };
  const [notifyOfMessages, notifyOfChanges] = [createNotifier('messages'), createNotifier('changes')];
  const unlisten = hasListeners
    ? await listenOnChannel(
        config,
        EVENTS_CHANNEL,
        (payload) => {
          const { from, orgIds, what } = parseAnnouncement(payload);
          // What this process has announced its own streams know.
          if (from === sender) return;
          if (what !== 'changes') events.announceNews(orgIds);
          if (what !== 'messages') changes.announceChange(orgIds);
        },
        onError,
      ).catch(async (error: unknown) => {
        await events.stop();
        throw error;
      })
    : undefined;
  return {
    events,
    changes,
    announce: (orgIds) => {
      events.announceNews(orgIds);
      notifyOfMessages(orgIds);
    },
    announceChange: (orgIds) => {
      changes.announceChange(orgIds);
      notifyOfChanges(orgIds);
    },
    stop: async () => {
      await Promise.all([events.stop(), unlisten?.()]);
    },
  };
}

/** The payload of a notification: who sends it, the organizations, or that any may have news, and of what. */
export function formatAnnouncement(sender: string, orgIds: readonly string[], what: Announced): string {
  return `${sender} ${orgIds.length > MAX_NAMED_ORGANIZATIONS ? ALL : orgIds.join(',')} ${what}`;
}

/**
 * Reads formatAnnouncement; without a payload, as after a new connection, any organization of any sender may have news of
 * both. What another version of the service sends is about messages.
 */
export function parseAnnouncement(payload: string | undefined): {
  readonly from: string | undefined;
  readonly orgIds: readonly string[] | undefined;
  readonly what: Announced | undefined;
} {
  const [from, named, about] = (payload ?? '').split(' ');
  const orgIds = named === undefined || named === ALL ? undefined : named.split(',');
  return { from, orgIds, what: named === undefined ? undefined : about === 'changes' ? about : 'messages' };
}
