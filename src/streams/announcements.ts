import type { Log } from '../log/log.ts';
import { EventFeed } from './event-feed.ts';
import { eventsChannel, notifyStreams } from '../queries/notifications/events.ts';
import { listen } from '../queries/connection/listen.ts';
import { throttle } from '../webhooks/throttle.ts';
import type { Storage } from '../compose/database.ts';

/** A NOTIFY with every message halves the commits. */
const NOTIFY_EVERY_MS = 5;

/** Open event streams of this process, and the way by which processes tell each other of messages. */
export interface Streams {
  readonly events: EventFeed;
  /** Messages were written: tells the streams of all processes. */
  readonly announce: () => void;
  /** Ends the streams. */
  stop(): Promise<void>;
}

/** `hasListeners`: whether streams can be opened here, or messages are only announced. */
export async function startStreams(
  { db, config }: Storage,
  hasListeners: boolean,
  log: Log,
): Promise<Streams> {
  const events = new EventFeed();
  const failed = (error: unknown): void =>
    log.warn('Event streams could not be woken; they look by themselves.', { error });
  const notify = throttle(() => notifyStreams(db), NOTIFY_EVERY_MS, failed);
  const unlisten = hasListeners
    ? await listen(config, eventsChannel, () => events.wake(), failed)
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
