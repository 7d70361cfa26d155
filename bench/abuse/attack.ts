// What an attack is, and what it has to aim at. An attack knows nothing of how it is measured: the bench lets it go on until
// it is told to stop, a test gives it a number of requests.
import { DAY_MS } from '../../src/domain/api/durations.ts';

/** Everything about a service and two partners that an attack may use. All of it travels between processes as JSON. */
export interface Target {
  readonly port: number;
  /** The attacking partner: one of the service's admins. */
  readonly orgId: string;
  readonly token: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The partner's application for the password grant. */
  readonly passwordClientId: string;
  readonly passwordClientSecret: string;
  /** One token of each of the partner's applications. */
  readonly applicationTokens: readonly string[];
  /** One of the partner's people, signed in to the portal, and the token of its forms. */
  readonly person: { readonly cookie: string; readonly csrfToken: string };
  /** A running fleet of some thousand households, and one of its households. */
  readonly fleet: Fleet;
  /** One of 300 households with a month of history. */
  readonly fleetWithHistory: Fleet;
  /** Another one, of whose heat pump something else was asked from each quarter hour of ten days on. */
  readonly fleetAskedOften: Fleet;
  /** A webhook of the partner whose endpoint takes connections and never answers. */
  readonly webhookId: string;
  /** The client id of the other partner, which is no secret. */
  readonly victimClientId: string;
}

export interface Fleet {
  readonly jobId: string;
  readonly simulationOrgId: string;
  readonly userId: string;
  readonly heatPumpId: string;
  readonly inverterId: string;
  /** Where a household has these, too: one in the fleet with a history. */
  readonly electricVehicleId?: string | undefined;
  readonly wallboxId?: string | undefined;
}

export interface Aim {
  readonly target: Target;
  /** The loopback address that connections come from. */
  readonly from: string;
  /** The attack ends when this is aborted, and whatever it still has open is closed. */
  readonly signal: AbortSignal;
  readonly tally: Tally;
  /** How many requests (or connections that are held) in all; without it until the end. */
  readonly requests?: number;
  /** In place of the attack's own number of requests or connections at once. */
  readonly atOnce?: number;
}

export interface Attack {
  readonly name: string;
  /** Whether its author needs nothing but the address, or is a partner with a token. */
  readonly by: 'anybody' | 'partner';
  /** One line: what it sends and how much of it at once. */
  readonly what: string;
  /** Of an attack that is over in a moment: the row tells how long requests stay slow, not the p99 of all. */
  readonly isBurst?: true;
  /** It reads the metrics of the public port, which have a port of their own otherwise. */
  readonly readsMetrics?: true;
  /** The planner knows nothing of the tables yet: the attack is at its worst as long as what it reads is new. */
  readonly hasNoStatistics?: true;
  /** The other partner reads such series in place of its user, a tenth as often: they cost it as much. */
  readonly victimReads?: 'series';
  readonly run: (aim: Aim) => Promise<void>;
}

/** The address of the longest series of a household: quarter hours of 31 days up to the last whole one. */
export function longestSeriesPath({ simulationOrgId, userId, inverterId }: Fleet): string {
  return apiPath(simulationOrgId, `/users/${userId}/inverters/${inverterId}/data?${lastDays(31)}`);
}

/** A range up to the last midnight (UTC), as a query. */
export function lastDays(count: number): string {
  const to = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  return `from=${new Date(to - count * DAY_MS).toISOString()}&to=${new Date(to).toISOString()}`;
}

/** What the attacker got: answers by status, errors of connections by code. */
export class Tally {
  readonly #counts = new Map<string, number>();
  bytesReceived = 0;

  count(outcome: string | number): void {
    this.#counts.set(String(outcome), (this.#counts.get(String(outcome)) ?? 0) + 1);
  }

  counts(): Record<string, number> {
    return Object.fromEntries([...this.#counts].toSorted(([a], [b]) => a.localeCompare(b)));
  }
}

export function apiPath(orgId: string, path: string): string {
  return `/api/partners/v2.0/org/${orgId}${path}`;
}

export function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

export function bearerJson(token: string): Record<string, string> {
  return { ...bearer(token), 'content-type': 'application/json' };
}
