/** A message of an organization, as its streams and webhooks tell it. */
export interface RecentEvent {
  readonly id: string;
  readonly topic: string;
  /** When it was announced. */
  readonly at: Date;
  /** The envelope, byte for byte. */
  readonly payload: Buffer;
}
