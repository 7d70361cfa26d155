import { parseJsonBody } from '../contract/json-body.ts';
import { validateBody } from '../contract/validate-body.ts';
import { validationProblem } from '../domain/api/problem.ts';
import type { FieldError } from '../domain/api/problem.ts';
import { canonicalDefinitionJson } from '../simulation/definition/definition-record.ts';
import type { EffectiveDefinition } from '../simulation/definition/fleet-definition.ts';
import { resolveDefinition } from '../simulation/definition/resolve-definition.ts';
import type { ResolvedDefinition } from '../simulation/definition/resolve-definition.ts';
import { validateDefinitionRules } from '../simulation/definition/validate-definition-rules.ts';
import { previewFleet } from '../simulation/preview/preview.ts';
import { toJsonBytes, toOwnBytes } from './bytes.ts';

interface DefinitionInput {
  readonly bytes: Uint8Array;
  /** What is wrong with the request beside its body. */
  readonly errors: readonly FieldError[];
  readonly now: Date;
}

interface DefinitionIdentity {
  readonly requestId: string;
  /** The text by which bodies of one request_id are compared. */
  readonly canonicalJson: string;
}

/** A fleet's preview as JSON. Throws the problem malformed_json or validation_failed. */
export function answerPreview(
  input: DefinitionInput & { readonly orgId: string },
): DefinitionIdentity & { readonly householdCount: number; readonly answer: Uint8Array } {
  const resolved = readDefinition('previewFleet', input);
  return {
    requestId: resolved.definition.request_id,
    canonicalJson: canonicalDefinitionJson(resolved.definition),
    householdCount: resolved.definition.count,
    answer: toJsonBytes(previewFleet(input.orgId, resolved, input.now)),
  };
}

/** What a new fleet is stored with; a byte for each cell of its density. Throws the problem malformed_json or validation_failed. */
export function readNewFleet(
  input: DefinitionInput,
): DefinitionIdentity & { readonly definition: EffectiveDefinition; readonly weights: Uint8Array | null } {
  const { definition, density } = readDefinition('createFleet', input);
  return {
    requestId: definition.request_id,
    canonicalJson: canonicalDefinitionJson(definition),
    definition,
    weights: density && toOwnBytes(density.weights),
  };
}

function readDefinition(
  id: 'createFleet' | 'previewFleet',
  { bytes, errors, now }: DefinitionInput,
): ResolvedDefinition {
  const json = parseJsonBody(bytes);
  const checked = validateBody(id, json);
  if ('errors' in checked || errors.length > 0) {
    const all = [...errors, ...('errors' in checked ? checked.errors : [])];
    throw validationProblem([...all, ...validateDefinitionRules(json.value, all, now)]);
  }
  const resolution = resolveDefinition(checked.body, now);
  if (!resolution.ok) throw validationProblem(resolution.errors);
  return resolution;
}
