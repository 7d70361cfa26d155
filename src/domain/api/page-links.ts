/** Where each relation leads: the query parameters that differ from those of this page. */
export type PageRelations = Readonly<Record<string, Readonly<Record<string, number>> | undefined>>;

type Value = string | number | boolean;
/** The query of this call; a parameter that is repeated is a list. */
type Query = Readonly<Record<string, Value | readonly Value[] | undefined>>;

/**
 * The `Link` header of a paged list (RFC 8288): the list's address with the filters of this call. A relation
 * without parameters is left out.
 */
export function formatLinkHeader(address: string, query: Query, relations: PageRelations): string {
  return Object.entries(relations)
    .flatMap(([relation, change]) =>
      change === undefined ? [] : [`<${address}?${queryText({ ...query, ...change })}>; rel="${relation}"`],
    )
    .join(', ');
}

/** Entries on a page of every list in numbered pages. */
export const PAGE_SIZE = 50;

/** The last page that can be asked for: passing over rows costs as much as reading them. The document says the same. */
export const MAX_PAGE = 1_000;
/** The most rows of a page whose size the caller chooses, but for users. The document says the same. */
export const MAX_PAGE_LIMIT = 100;
/** The newest attempts of a delivery that are shown with it: who sends it again and again makes any number. The document says the same. */
export const MAX_SHOWN_ATTEMPTS = 100;
/** The largest offset, likewise. */
export const MAX_OFFSET = 10_000;
/** Rows that are counted for the total of a list by limit and offset. The document says the same. */
export const MAX_TOTAL = 250;

/** Relations of a list in numbered pages; pages count from 1. None leads behind the last page that can be asked for. */
export function numberedPageRelations(page: number, pageSize: number, total: number): PageRelations {
  const last = Math.min(Math.max(1, Math.ceil(total / pageSize)), MAX_PAGE);
  return {
    first: { page: 1 },
    prev: page > 1 ? { page: Math.min(page - 1, last) } : undefined,
    next: page < last ? { page: page + 1 } : undefined,
    last: { page: last },
  };
}

/** What is known of the length of a list by limit and offset: at least `total` when that is capped, and whether rows follow. */
interface KnownLength {
  readonly total: number;
  readonly isTotalCapped: boolean;
  readonly hasMore: boolean;
}

/** Relations of a list by limit and offset. None leads behind the largest offset; a list that was not counted has no last page. */
export function offsetPageRelations(
  limit: number,
  offset: number,
  { total, isTotalCapped, hasMore }: KnownLength,
): PageRelations {
  const reachable = Math.min(Math.ceil(total / limit) - 1, Math.floor(MAX_OFFSET / limit));
  const last = isTotalCapped ? undefined : Math.max(0, reachable) * limit;
  const previous = Math.max(0, Math.min(offset - limit, last ?? offset));
  return {
    first: { limit, offset: 0 },
    prev: offset > 0 ? { limit, offset: previous } : undefined,
    next: hasMore && offset + limit <= MAX_OFFSET ? { limit, offset: offset + limit } : undefined,
    last: last === undefined ? undefined : { limit, offset: last },
  };
}

function queryText(query: Query): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of [value].flat()) if (each !== undefined) search.append(name, String(each));
  }
  // A blank as %20 and a plus as %2B mean the same to every reader.
  return search.toString().replaceAll('+', '%20');
}
