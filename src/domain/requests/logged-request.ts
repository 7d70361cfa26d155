/** A request as its partner's developers see it later. */
export interface LoggedRequest {
  /** The organization of the token. */
  readonly orgId: string;
  readonly sentAt: Date;
  /** A UUID of its own: clients may give several requests the same `requestId`. */
  readonly id: string;
  readonly requestId: string;
  /** The operationId. */
  readonly operation: string;
  readonly method: string;
  /** With its query, without what is personal. */
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
  /** Who the token acts as; null for requests for a token. */
  readonly userId: string | null;
  readonly applicationId: string | null;
  /** The code of the problem; null for one that succeeded. */
  readonly code: string | null;
  readonly errors: readonly LoggedError[] | null;
  /** The JSON of a refused body of at most 4 KiB, without what is personal; null for others. */
  readonly body: string | null;
}

/** What was wrong with a field. */
export interface LoggedError {
  readonly pointer: string;
  readonly code: string;
}

/** How many requests of an organization in a minute were not logged. */
export interface UnloggedRequests {
  readonly orgId: string;
  /** The beginning of the minute. */
  readonly minute: Date;
  readonly count: number;
}

/** A logged request with who sent it, as far as that is known still. */
export interface ListedRequest extends LoggedRequest {
  readonly applicationName: string | null;
  readonly email: string | null;
}

/** Which requests of an organization; all that is given must hold. */
export interface RequestFilter {
  readonly isRefused?: boolean | undefined;
  readonly operation?: string | undefined;
  readonly requestId?: string | undefined;
  /** From an instant on, and before another one. */
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
}

/** Where a page begins: behind this request, towards older ones. */
export interface RequestPosition {
  readonly sentAt: Date;
  readonly id: string;
}

/** How often each code was answered among the last refusals. */
export interface RefusalCount {
  readonly code: string | null;
  readonly operation: string;
  readonly count: number;
  readonly lastAt: Date;
}
