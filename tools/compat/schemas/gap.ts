import type { Conjuncts } from './conjuncts.ts';
import type { Place } from './place.ts';

/** What a change of a schema is about; the rules of schemas are named after these. */
export const SUBJECTS = [
  'type',
  'null',
  'enum',
  'const',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'minItems',
  'maxItems',
  'uniqueItems',
  'items',
  'prefixItems',
  'contains',
  'minProperties',
  'maxProperties',
  'required',
  'property',
  'additionalProperties',
  'patternProperties',
  'propertyNames',
  'dependentRequired',
  'dependentSchemas',
  'anyOf',
  'oneOf',
  'not',
  'condition',
  'other',
] as const;
export type Subject = (typeof SUBJECTS)[number];

/**
 * Why it cannot be proved that all instances of one schema (inner) are valid for another (outer). Pointers are those of the
 * schemas that were compared, `name` is the property or keyword where one is concerned.
 */
export interface Gap {
  readonly subject: Subject;
  readonly innerPointer: string | undefined;
  readonly outerPointer: string;
  readonly name?: string;
  readonly innerValue: unknown;
  readonly outerValue: unknown;
}

/** What a check of a keyword is given. */
export interface Comparison {
  readonly inner: Conjuncts;
  readonly outer: Place;
  /** Why not all instances of these schemas are valid for that one; empty when all are. */
  readonly prove: (inner: Conjuncts, outer: Place) => readonly Gap[];
  /** Whether it is certain that no instance is valid for all of these. */
  readonly isEmpty: (conjuncts: Conjuncts) => boolean;
}

/** A gap at the schemas that are compared. */
export function gapAt(
  { inner, outer }: Pick<Comparison, 'inner' | 'outer'>,
  subject: Subject,
  values: { readonly inner: unknown; readonly outer: unknown },
  name?: string,
): Gap {
  return {
    subject,
    innerPointer: inner[0]?.pointer,
    outerPointer: outer.pointer,
    ...(name === undefined ? {} : { name }),
    innerValue: values.inner,
    outerValue: values.outer,
  };
}
