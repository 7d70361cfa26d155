import type { FieldCode } from '../../generated/problems.ts';

/** The field codes of values that break a keyword of a schema. */
export const KEYWORD_CODES: Readonly<Record<string, FieldCode>> = {
  required: 'required',
  additionalProperties: 'unknown_property',
  type: 'type',
  format: 'format',
  pattern: 'pattern',
  enum: 'enum',
  minimum: 'minimum',
  maximum: 'maximum',
  exclusiveMinimum: 'exclusive_minimum',
  minLength: 'min_length',
  maxLength: 'max_length',
  minItems: 'min_items',
  maxItems: 'max_items',
  not: 'immutable',
};
