/** Where the time of an attempt went, in milliseconds; what it did not come to, or did not need, is left out. */
export interface AttemptPhases {
  /** Until the host's addresses were known and checked. */
  readonly lookupMs?: number;
  /** Until the connection was there. */
  readonly connectMs?: number;
  /** Until it was encrypted. */
  readonly tlsMs?: number;
  /** From then to the first byte of the answer. */
  readonly answerMs?: number;
}
