import { endianness } from 'node:os';
import { sql } from 'kysely';
import type { SqlBool } from 'kysely';
import type { InstantRange } from '../../domain/api/instant-range.ts';
import { PriceRevisionsBuilder } from '../../domain/prices/price-revisions.ts';
import type { Pause, PriceRevisions } from '../../domain/prices/price-revisions.ts';
import type { Db } from '../connection/database.ts';
import { prepare } from '../connection/prepared.ts';

/** Rows that one statement looks at: their bytes are decoded in some milliseconds. */
const REVISIONS_PER_PAGE = 10_000;

/** What a statement has looked at, and those of it that are wanted. */
interface RevisionsPage {
  /** The packed numbers of those that are wanted; null where none is. */
  readonly packed: Buffer | null;
  readonly looked_at: number;
  /** Start of delivery and arrival of the last one that it has looked at, in ms since 1970; null where there is none. */
  readonly last: readonly [number, number] | null;
}

/**
 * All revisions of the prices that begin in the range. With `lateMs` those are left out that came in later than that after
 * the beginning, and pages end whatever is left out of them. Read in pages of packed numbers: as rows, 35,000 of them, a year, hold the event loop for ten times as long.
 * They are put together in pieces with pauses between them.
 */
export async function readPriceRevisions(
  db: Db,
  orgId: string,
  { from, to }: InstantRange,
  pause: Pause,
  lateMs?: number,
): Promise<PriceRevisions> {
  const revisions = new PriceRevisionsBuilder();
  let after: readonly [Date, Date | '-infinity'] = [from, '-infinity'];
  for (;;) {
    const { packed, looked_at, last } = await readPage(db, orgId, after, to, lateMs);
    revisions.add(toNumbers(packed ?? Buffer.alloc(0)));
    if (looked_at < REVISIONS_PER_PAGE || last === null) return revisions.buildInPieces(pause);
    after = [new Date(last[0]), new Date(last[1])];
  }
}

async function readPage(
  db: Db,
  orgId: string,
  [startsAt, receivedAt]: readonly [Date, Date | '-infinity'],
  to: Date,
  lateMs: number | undefined,
): Promise<RevisionsPage> {
  const { rows } = await sql<RevisionsPage>`
    select string_agg(
      float8send(starts_ms) || float8send(received_ms) || float8send(price),
      ''::bytea order by starts_ms, received_ms
    ) filter (where ${receivedInTime(lateMs)}) as packed,
      count(*) as looked_at, max(array[starts_ms, received_ms]) as last
    from (
      select (extract(epoch from starts_at) * 1000)::float8 as starts_ms,
        (extract(epoch from received_at) * 1000)::float8 as received_ms, price
      from day_ahead_prices
      where org_id = ${orgId}::uuid and starts_at >= ${startsAt} and starts_at < ${to}
        and (starts_at, received_at) > (${startsAt}, ${receivedAt})
      order by starts_at, received_at
      limit ${sql.lit(REVISIONS_PER_PAGE)}
    ) as page`.execute(db);
  return rows[0] ?? { packed: null, looked_at: 0, last: null };
}

/** The database sends the highest byte first. */
function toNumbers(page: Buffer): Float64Array {
  const numbers = new Float64Array(page.length / Float64Array.BYTES_PER_ELEMENT);
  const bytes = Buffer.from(numbers.buffer);
  page.copy(bytes);
  if (endianness() === 'LE') bytes.swap64();
  return numbers;
}

function receivedInTime(lateMs: number | undefined) {
  if (lateMs === undefined) return sql<SqlBool>`true`;
  return sql<SqlBool>`received_ms <= starts_ms + ${lateMs}`;
}

/** An organization with prices, and how many uploads have brought them; null when none has. */
export interface PriceSource {
  readonly orgId: string;
  readonly uploads: number | null;
}

/** Whose prices an organization knows: its own, and those of its parent where it has one. */
export interface PriceSources {
  readonly own: PriceSource;
  readonly parent: PriceSource | null;
}

/** The sources of an organization's prices; an organization that is not there has no uploads. */
export async function findPriceSources(db: Db, orgId: string): Promise<PriceSources> {
  const [row] = await selectSources(db, { orgId });
  const { parentId = null, uploads = null, parentUploads = null } = row ?? {};
  return {
    own: { orgId, uploads },
    parent: parentId === null ? null : { orgId: parentId, uploads: parentUploads },
  };
}

const selectSources = prepare((db, { orgId }: { readonly orgId: string }) =>
  db
    .selectFrom('organizations')
    .leftJoin('price_counts as own', 'own.org_id', 'organizations.id')
    .leftJoin('price_counts as parent', 'parent.org_id', 'organizations.parent_org_id')
    .select([
      'organizations.parent_org_id as parentId',
      'own.uploads as uploads',
      'parent.uploads as parentUploads',
    ])
    .where('organizations.id', '=', orgId),
);
