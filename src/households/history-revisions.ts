// The prices that the past of heat pumps depends on, read once for all who ask and kept until an upload has changed them.
import { HOUR_MS } from '../domain/api/durations.ts';
import {
  findFirstFrom,
  NO_PRICE_REVISIONS,
  NUMBERS_PER_REVISION,
  PriceRevisionsBuilder,
} from '../domain/prices/price-revisions.ts';
import type { Pause, PriceRevisions } from '../domain/prices/price-revisions.ts';
import type { Db } from '../queries/connection/database.ts';
import { readPriceRevisions } from '../queries/prices/price-revisions.ts';
import type { PriceSource } from '../queries/prices/price-revisions.ts';
import { ByteCache } from '../domain/caches/byte-cache.ts';
import { yieldToEventLoop } from './time-slicer.ts';

export interface HistoryRevisions {
  /** Another one whenever the revisions are others. */
  readonly version: number;
  readonly revisions: PriceRevisions;
}

/** Those of an organization without prices. */
export const NO_HISTORY_REVISIONS: HistoryRevisions = { version: 0, revisions: NO_PRICE_REVISIONS };

interface CachedRevisions extends HistoryRevisions {
  readonly fromMs: number;
  readonly toMs: number;
  readonly loadedAtMs: number;
  /** Those that the revisions hold at least. */
  readonly uploads: number;
}

export interface HistoryQuestion {
  readonly source: PriceSource;
  readonly partnerId: string;
  /** When the earliest price begins that counts. */
  readonly fromMs: number;
  /** The latest instant that is asked for. */
  readonly now: Date;
}

/**
 * Plans look at two days of UTC, and in place of a price that is not known at the day before: no price that begins later
 * counts, none that came in later.
 */
const PLANNED_AROUND_MS = 50 * HOUR_MS;
/** What is read of the days to come beyond that, so that it need not be read again each quarter hour. */
const READ_AHEAD_MS = 24 * HOUR_MS;
/** Clocks of processes differ less. */
const MAX_CLOCK_SKEW_MS = HOUR_MS;

/** By organizations with prices. */
const cachedByOrganization = new ByteCache<CachedRevisions>({
  maxBytes: 32 * 1_048_576,
  maxBytesOfPartner: 16 * 1_048_576,
});
/**
 * What is too large for a partner's part there, so that not every call reads it again: what was asked for last of all partners, who
 * take no place of smaller ones by it. The quotas' default permits 66 MB: twenty revisions of each quarter hour of three years, after
 * which replaced ones go, and one of two years more, 32 bytes each.
 */
const MOST_LARGE_BYTES = 72 * 1_048_576;
const largeByOrganization = new ByteCache<CachedRevisions>({
  maxBytes: MOST_LARGE_BYTES,
  maxBytesOfPartner: MOST_LARGE_BYTES,
});
const loads = new Map<string, Promise<CachedRevisions>>();
let versions = 0;

/**
 * The revisions of an organization's prices that states up to `now` may depend on. Callers that ask at the same time share
 * one load. After an upload only what it may have changed is read again.
 */
export async function findHistoryRevisions(db: Db, question: HistoryQuestion): Promise<HistoryRevisions> {
  const { orgId, uploads } = question.source;
  if (uploads === null) return NO_HISTORY_REVISIONS;
  for (;;) {
    const cached = cachedByOrganization.find(orgId) ?? largeByOrganization.find(orgId);
    if (cached !== undefined && isFresh(cached, question)) return cached;
    const loading = loads.get(orgId);
    if (loading === undefined) return load(db, question, uploads, cached);
    // Who began it is told why it failed; its deadline is not that of others.
    const loaded = await loading.catch(() => undefined);
    if (loaded !== undefined && isFresh(loaded, question)) return loaded;
  }
}

function isFresh(cached: CachedRevisions, question: HistoryQuestion): boolean {
  const isWhole = cached.toMs >= question.now.getTime() + PLANNED_AROUND_MS;
  return isWhole && isExtensible(cached, question) && cached.uploads >= (question.source.uploads ?? 0);
}

/** Whether what began before the load can have changed no more, and nothing is missing before it. */
function isExtensible(cached: CachedRevisions, { fromMs, now }: HistoryQuestion): boolean {
  return cached.fromMs <= fromMs && now.getTime() >= cached.loadedAtMs - MAX_CLOCK_SKEW_MS;
}

async function load(
  db: Db,
  question: HistoryQuestion,
  uploads: number,
  cached: CachedRevisions | undefined,
): Promise<CachedRevisions> {
  const { source, partnerId } = question;
  const loading = read(db, question, uploads, cached);
  loads.set(source.orgId, loading);
  try {
    const loaded = await loading;
    keep(source.orgId, loaded, partnerId);
    return loaded;
  } finally {
    loads.delete(source.orgId);
  }
}

function keep(orgId: string, loaded: CachedRevisions, partnerId: string): void {
  const { numbers, arrivals } = loaded.revisions;
  const bytes = numbers.byteLength + arrivals.byteLength;
  cachedByOrganization.set(orgId, loaded, partnerId, bytes);
  if (cachedByOrganization.find(orgId) === undefined)
    largeByOrganization.set(orgId, loaded, partnerId, bytes);
}

async function read(
  db: Db,
  question: HistoryQuestion,
  uploads: number,
  cached: CachedRevisions | undefined,
): Promise<CachedRevisions> {
  const loadedAtMs = question.now.getTime();
  const toMs = loadedAtMs + PLANNED_AROUND_MS + READ_AHEAD_MS;
  const fromMs = Math.min(question.fromMs, cached?.fromMs ?? Infinity);
  const base = cached !== undefined && isExtensible(cached, question) ? cached : undefined;
  const changedFromMs =
    base === undefined ? fromMs : Math.max(fromMs, base.loadedAtMs - PLANNED_AROUND_MS - MAX_CLOCK_SKEW_MS);
  const span = { from: new Date(changedFromMs), to: new Date(toMs) };
  const pause = () => yieldToEventLoop(0, question.partnerId);
  const changed = await readPriceRevisions(db, question.source.orgId, span, pause, PLANNED_AROUND_MS);
  const joined = base === undefined ? undefined : await join(base, changed, changedFromMs, pause);
  const known = joined ?? { version: ++versions, revisions: changed };
  return { ...known, fromMs, toMs, loadedAtMs, uploads };
}

/** The revisions of before with those that begin from an instant on anew; the same object where they are as they were. */
async function join(
  { version, revisions }: HistoryRevisions,
  changed: PriceRevisions,
  changedFromMs: number,
  pause: Pause,
): Promise<HistoryRevisions> {
  const first = findFirstFrom(revisions, changedFromMs) * NUMBERS_PER_REVISION;
  if (areEqual(revisions.numbers.subarray(first), changed.numbers)) return { version, revisions };
  // Arrivals of revisions that are gone do no harm: what is planned anew at one is as it was.
  const joined = new PriceRevisionsBuilder()
    .add(revisions.numbers.subarray(0, first), revisions.arrivals)
    .add(changed.numbers, changed.arrivals);
  return { version: ++versions, revisions: await joined.buildInPieces(pause) };
}

const areEqual = (a: Float64Array, b: Float64Array): boolean =>
  a.length === b.length && a.every((number, at) => number === b[at]);
