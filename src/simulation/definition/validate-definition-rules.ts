import { MAX_FIELD_ERRORS } from '../../domain/api/problem.ts';
import type { FieldError } from '../../domain/api/problem.ts';
import { resolveDefinition } from './resolve-definition.ts';
import type { FleetDefinitionBody } from './fleet-definition.ts';

const PLACEHOLDER_REQUEST_ID = '00000000-0000-4000-8000-000000000000';

type JsonObject = Record<string, unknown>;

/**
 * Rules between fields that a fleet definition breaks, beside the faults that the document has found already. Whatever
 * is faulty by itself is left out of the judgement, and what hangs on it is not judged; nor is a body whose list of
 * faults may have been cut.
 */
export function validateDefinitionRules(
  body: unknown,
  faults: readonly FieldError[],
  now: Date,
): FieldError[] {
  if (!isJsonObject(body) || faults.length >= MAX_FIELD_ERRORS) return [];
  const roots = faults.map((fault) => invalidFieldOf(fault.pointer ?? ''));
  if (roots.includes('')) return [];
  const resolution = resolveDefinition(
    withoutInvalidFields(body, faults) as unknown as FleetDefinitionBody,
    now,
  );
  if (resolution.ok) return [];
  const isCountKnown = !roots.some((root) => root === '/count' || root.startsWith('/groups'));
  return resolution.errors.filter(({ pointer = '' }) => {
    if (pointer === '/groups') return isCountKnown;
    return !roots.some((root) => pointer === root || pointer.startsWith(`${root}/`));
  });
}

/** The field, or the group, in which a fault lies. */
function invalidFieldOf(pointer: string): string {
  const [, field, index] = pointer.split('/');
  if (field === undefined) return '';
  return field === 'groups' && index !== undefined ? `/groups/${index}` : `/${field}`;
}

/** A copy without the faulty fields. Copied only as deep as fields are left out: a body may be nested without end. */
function withoutInvalidFields(body: JsonObject, faults: readonly FieldError[]): JsonObject {
  const copy = { ...body };
  if (Array.isArray(copy['groups'])) {
    copy['groups'] = copy['groups'].map((group: unknown) => (isJsonObject(group) ? { ...group } : group));
  }
  for (const { pointer = '' } of faults) {
    const [, field = '', index, part] = pointer.split('/');
    const { groups } = copy;
    if (field !== 'groups' || index === undefined || !Array.isArray(groups)) {
      copy[field] = field === 'request_id' ? PLACEHOLDER_REQUEST_ID : undefined;
      continue;
    }
    const group: unknown = groups[Number(index)];
    const name = `group ${index}`;
    if (!isJsonObject(group) || part === undefined) groups[Number(index)] = { name };
    else group[part] = part === 'name' ? name : undefined;
  }
  return copy;
}

function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
