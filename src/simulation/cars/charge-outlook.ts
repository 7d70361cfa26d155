/** What a car that charges by price may expect of its stay. */

/** What is known of a car in a quarter hour; quarter hours since 1970. */
export interface ChargeOutlook {
  /** Whether it is to charge by price. */
  readonly isSmart: boolean;
  /** From when on something else is asked of it, as far as that is known; null where nothing is. */
  readonly askedUntil: number | null;
  /** Whether anybody steers it now. */
  readonly isSteered: boolean;
  /** Its time at the plug; null when it is not plugged in. */
  readonly stay: {
    /** When it is to be ready or leaves before that. */
    readonly deadline: number;
    /** When it is unplugged. */
    readonly end: number;
    /** What it will lack of its target at the deadline, whatever is done, mWh. */
    readonly missing: number;
    /** Whether a price is known or expected of a quarter hour up to the deadline, so that there is something to wait for. */
    readonly isPriced: boolean;
  } | null;
  /** When it is plugged in next; null while it is, and when that is not within eight days. */
  readonly nextStay: number | null;
}
