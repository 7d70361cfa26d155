import { endianness } from 'node:os';
import { sql } from 'kysely';
import type { SqlBool } from 'kysely';
import type { InstantRange } from '../../domain/api/instant-range.ts';
import { NUMBERS_PER_REVISION, PriceRevisionsBuilder } from '../../domain/prices/price-revisions.ts';
import type { PriceRevisions } from '../../domain/prices/price-revisions.ts';
import type { Db } from '../connection/database.ts';
import { prepare } from '../connection/prepared.ts';

/** Rows of one statement: their bytes are decoded in some milliseconds. */
const REVISIONS_PER_PAGE = 10_000;
const NUMBERS_PER_PAGE = REVISIONS_PER_PAGE * NUMBERS_PER_REVISION;

/**
 * All revisions of the prices that begin in the range. With `lateMs` those are left out that came in later than that after
 * the beginning. Read in pages of packed numbers: as rows, 35,000 of them, a year, hold the event loop for ten times as long.
 */
export async function readPriceRevisions(
  db: Db,
  orgId: string,
  { from, to }: InstantRange,
  lateMs?: number,
): Promise<PriceRevisions> {
  const revisions = new PriceRevisionsBuilder();
  let after: readonly [Date, Date | '-infinity'] = [from, '-infinity'];
  for (;;) {
    const page = toNumbers(await readPage(db, orgId, after, to, lateMs));
    revisions.add(page);
    if (page.length < NUMBERS_PER_PAGE) return revisions.build();
    const [startsAt = NaN, receivedAt = NaN] = page.subarray(-NUMBERS_PER_REVISION);
    after = [new Date(startsAt), new Date(receivedAt)];
  }
}

async function readPage(
  db: Db,
  orgId: string,
  [startsAt, receivedAt]: readonly [Date, Date | '-infinity'],
  to: Date,
  lateMs: number | undefined,
): Promise<Buffer> {
  const { rows } = await sql<{ packed: Buffer | null }>`
    select string_agg(
      float8send((extract(epoch from starts_at) * 1000)::float8)
        || float8send((extract(epoch from received_at) * 1000)::float8)
        || float8send(price),
      ''::bytea order by starts_at, received_at
    ) as packed
    from (
      select starts_at, received_at, price
      from day_ahead_prices
      where org_id = ${orgId}::uuid and starts_at >= ${startsAt} and starts_at < ${to}
        and (starts_at, received_at) > (${startsAt}, ${receivedAt}) and ${receivedInTime(lateMs)}
      order by starts_at, received_at
      limit ${sql.lit(REVISIONS_PER_PAGE)}
    ) as page`.execute(db);
  return rows[0]?.packed ?? Buffer.alloc(0);
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
  return sql<SqlBool>`received_at <= starts_at + ${lateMs} * interval '1 millisecond'`;
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
