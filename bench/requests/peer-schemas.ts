// The schemas of the document, as Fastify takes them: without references.
import document from '../../generated/openapi.json' with { type: 'json' };
import type { components } from '../../generated/openapi.ts';

export type NewUser = components['schemas']['UserCreate'];

const ID = { type: 'string', format: 'uuid' } as const;
const INCLUDE_DELETED = { include_deleted: { type: 'boolean', default: false } } as const;

export const PATH_OF_ORG = { type: 'object', required: ['org_id'], properties: { org_id: ID } } as const;
export const PATH_OF_USER = {
  type: 'object',
  required: ['org_id', 'user_id'],
  properties: { org_id: ID, user_id: ID },
} as const;
export const QUERY_OF_USER = {
  type: 'object',
  additionalProperties: false,
  properties: INCLUDE_DELETED,
} as const;
export const QUERY_OF_LIST = {
  type: 'object',
  additionalProperties: false,
  required: ['limit'],
  properties: { limit: { type: 'integer', minimum: 1, maximum: 1000 }, ...INCLUDE_DELETED },
} as const;

/** A schema of the document with what it refers to in its place. */
export function documentSchema(name: keyof components['schemas']): unknown {
  const schemas: Readonly<Record<string, unknown>> = document.components.schemas;
  const resolve = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(resolve);
    if ('$ref' in value && typeof value.$ref === 'string')
      return resolve(schemas[value.$ref.split('/').at(-1) ?? '']);
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolve(inner)]));
  };
  return resolve(schemas[name]);
}
