/**
 * What caches may do with answers (RFC 9111, 5.2.2). Every answer says it on purpose: nothing is kept unless its handler says
 * otherwise. Files of pages, whose names change with them, say it by themselves (src/html).
 */
export const CACHE_CONTROL = {
  /** Everything that is not named below: lists, series, answers to changes, problems, secrets. */
  NOTHING: 'no-store',
  /** A single object with an entity tag: the caller alone may keep it, and asks each time whether it is still the same. */
  OWN_OBJECT: 'private, no-cache',
  /** What is the same for everybody, with an entity tag. */
  PUBLISHED: 'public, no-cache',
} as const;
