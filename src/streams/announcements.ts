import { throttle } from '../loops/throttle.ts';
import type { OpenDatabase } from '../queries/connection/database.ts';
import { listenOnChannel } from '../queries/connection/listen.ts';
import { EVENTS_CHANNEL, notifyStreams } from '../queries/notifications/events.ts';
import { EventFeed } from './event-feed.ts';

/** The event streams of this process, and the notification between processes. */
export interface EventStreams {
  readonly events: EventFeed;
  /** Messages were written: wakes the streams of all processes. */
  readonly announce: () => void;
  /** Ends the streams. */
  stop(): Promise<void>;
}

/**
 * `hasListeners`: whether streams can be opened here, or messages are only announced. `onError` hears of wake-ups that
 * were lost: streams also poll. Rejects when the channel cannot be listened to.
 */
export async function startEventStreams(
  { db, config }: Pick<OpenDatabase, 'db' | 'config'>,
  hasListeners: boolean,
  onError: (error: unknown) => void,
): Promise<EventStreams> {
  const events = new EventFeed();
  const notify = throttle(() => notifyStreams(db), onError);
  const unlisten = hasListeners
    ? await listenOnChannel(config, EVENTS_CHANNEL, () => events.announceNews(), onError)
    : undefined;
  return {
    events,
    announce: () => {
      events.announceNews();
      notify();
    },
    stop: async () => {
      events.stop();
      await unlisten?.();
    },
  };
}
