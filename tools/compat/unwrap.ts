import { isAssertion } from './schemas/canonical.ts';
import { childPlace, followReference, readKeyword, readList } from './schemas/place.ts';
import type { Place } from './schemas/place.ts';

/** Words for people, which no comparison looks at. */
const WORDS: ReadonlySet<string> = new Set([
  '$ref',
  'allOf',
  'description',
  'title',
  'summary',
  'example',
  'examples',
]);

/**
 * The schema that a reference leads to, or that stands alone in `allOf`, together with what is said beside it (a default, for example),
 * which goes before; the schema itself where it is no such wrapper.
 */
export function unwrap(place: Place): Place {
  const { schema } = place;
  const inner = findInner(place);
  if (inner === undefined || typeof schema === 'boolean') return place;
  const whole = unwrap(inner);
  const beside = Object.entries(schema).filter(([keyword]) => !WORDS.has(keyword));
  if (beside.length === 0 || typeof whole.schema === 'boolean') return whole;
  return { ...place, schema: { ...whole.schema, ...Object.fromEntries(beside) } };
}

/** What a wrapper holds; undefined where more is asked beside it, since both parts count then. */
function findInner(place: Place): Place | undefined {
  const { schema, root } = place;
  if (typeof schema === 'boolean') return undefined;
  const isAlone = Object.keys(schema).every(
    (keyword) => keyword === '$ref' || keyword === 'allOf' || !isAssertion(keyword),
  );
  const reference = readKeyword(schema, '$ref');
  const parts = readList(schema, 'allOf');
  if (!isAlone || parts.length + (typeof reference === 'string' ? 1 : 0) !== 1) return undefined;
  return typeof reference === 'string' ? followReference(root, reference) : childPlace(place, 'allOf', 0);
}
