import { MAX_FIELD_ERRORS } from '../../../generated/problems.ts';
import type { FieldError } from '../../domain/api/problem.ts';
import { resolveDefinition } from './resolve-definition.ts';
import type { FleetDefinitionBody } from './fleet-definition.ts';

const PLACEHOLDER_REQUEST_ID = '00000000-0000-4000-8000-000000000000';

type JsonObject = Record<string, unknown>;

/**
 * The errors of a fleet definition against the rules between its fields, beside the `errors` that the document's schema
 * has found already. Fields that are invalid by themselves are left out, and the rules that need them are not checked;
 * nor is a body whose list of errors may have been cut.
 */
export function validateDefinitionRules(
  body: unknown,
  errors: readonly FieldError[],
  now: Date,
): FieldError[] {
  if (!isJsonObject(body) || errors.length > MAX_FIELD_ERRORS) return [];
  const invalidFields = errors.map(({ pointer }) => invalidFieldOf(pointer ?? ''));
  if (invalidFields.includes('')) return [];
  const resolution = resolveDefinition(withoutInvalidFields(body, errors) as FleetDefinitionBody, now);
  if (resolution.ok) return [];
  const isCountKnown = !invalidFields.some((field) => field === '/count' || field.startsWith('/groups'));
  return resolution.errors.filter(({ pointer = '' }) => {
    if (pointer === '/groups') return isCountKnown;
    return !invalidFields.some((field) => pointer === field || pointer.startsWith(`${field}/`));
  });
}

/** Pointer of the field, or of the group, that an error lies in. */
function invalidFieldOf(pointer: string): string {
  const [, field, index] = pointer.split('/');
  if (field === undefined) return '';
  return field === 'groups' && index !== undefined ? `/groups/${index}` : `/${field}`;
}

/** A copy without the invalid fields. Copied only as deep as fields are left out: a body may be nested without end. */
function withoutInvalidFields(body: JsonObject, errors: readonly FieldError[]): unknown {
  const copy = { ...body };
  if (Array.isArray(copy['groups'])) {
    copy['groups'] = copy['groups'].map((group: unknown) => (isJsonObject(group) ? { ...group } : group));
  }
  for (const { pointer = '' } of errors) {
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
