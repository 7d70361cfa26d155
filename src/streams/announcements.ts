import { throttle } from '../loops/throttle.ts';
import type { OpenDatabase } from '../queries/connection/database.ts';
import { listen } from '../queries/connection/listen.ts';
import { eventsChannel, notifyStreams } from '../queries/notifications/events.ts';
import { EventFeed } from './event-feed.ts';

/** Open event streams of this process, and the way by which processes tell each other of messages. */
export interface Streams {
  readonly events: EventFeed;
  /** Messages were written: tells the streams of all processes. */
  readonly announce: () => void;
  /** Ends the streams. */
  stop(): Promise<void>;
}

/**
 * `hasListeners`: whether streams can be opened here, or messages are only announced. `onError` hears of wake-ups that
 * were lost: streams also look by themselves. Rejects when the channel cannot be listened to.
 */
export async function startStreams(
  { db, config }: Pick<OpenDatabase, 'db' | 'config'>,
  hasListeners: boolean,
  onError: (error: unknown) => void,
): Promise<Streams> {
  const events = new EventFeed();
  const notify = throttle(() => notifyStreams(db), onError);
  const unlisten = hasListeners
    ? await listen(config, eventsChannel, () => events.wake(), onError)
    : undefined;
  return {
    events,
    announce: () => {
      events.wake();
      notify();
    },
    stop: async () => {
      events.stop();
      await unlisten?.();
    },
  };
}
