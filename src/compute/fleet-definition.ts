import { joinPieces } from '../contract/body-pieces.ts';
import type { BodyPieces } from '../contract/body-pieces.ts';
import { toOwnBytes } from '../contract/free-bytes.ts';
import { toJsonBytes } from '../contract/json-bytes.ts';
import { parseJsonBody } from '../contract/json-body.ts';
import { validateBody } from '../contract/validate-body.ts';
import { validationProblem } from '../domain/api/problem.ts';
import type { FieldError } from '../domain/api/problem.ts';
import { canonicalDefinitionJson } from '../simulation/definition/definition-record.ts';
import { decodeBase64 } from '../simulation/definition/density-weights.ts';
import type { DensityRaster, EffectiveDefinition } from '../simulation/definition/fleet-definition.ts';
import { resolveDefinition } from '../simulation/definition/resolve-definition.ts';
import type { ResolvedDefinition } from '../simulation/definition/resolve-definition.ts';
import { validateDefinitionRules } from '../simulation/definition/validate-definition-rules.ts';
import { previewFleet } from '../simulation/preview/preview.ts';

interface DefinitionInput {
  readonly pieces: BodyPieces;
  /** What is wrong with the request beside its body. */
  readonly errors: readonly FieldError[];
  readonly now: Date;
}

interface DefinitionIdentity {
  readonly requestId: string;
  /** The text by which bodies of one request_id are compared. */
  readonly canonicalJson: string;
}

interface PreviewInput extends DefinitionInput {
  readonly orgId: string;
  /** How many households it tells of, the first ones; those of the API by default. */
  readonly shown?: number | undefined;
}

/** A fleet's preview as JSON. Throws the problem malformed_json or validation_failed. */
export function answerPreview(
  input: PreviewInput,
): DefinitionIdentity & { readonly householdCount: number; readonly answer: Uint8Array } {
  const resolved = readDefinition('previewFleet', input);
  return {
    requestId: resolved.definition.request_id,
    canonicalJson: canonicalDefinitionJson(resolved.definition),
    householdCount: resolved.definition.count,
    answer: toJsonBytes(previewFleet(input.orgId, resolved, input.now, input.shown)),
  };
}

/**
 * What a new fleet is stored with; the weights of its density as they were sent, since sixteen million cells come as 255 kB at
 * most. Throws the problem malformed_json or validation_failed.
 */
export function readNewFleet(input: DefinitionInput): DefinitionIdentity & {
  readonly definition: EffectiveDefinition;
  readonly sentWeights: Uint8Array | null;
} {
  const { definition, sentDensity } = readDefinition('createFleet', input);
  const sentWeights = sentDensity && decodeBase64(sentDensity.weights);
  return {
    requestId: definition.request_id,
    canonicalJson: canonicalDefinitionJson(definition),
    definition,
    sentWeights: sentWeights ? toOwnBytes(sentWeights) : null,
  };
}

function readDefinition(
  id: 'createFleet' | 'previewFleet',
  { pieces, errors, now }: DefinitionInput,
): ResolvedDefinition & { readonly sentDensity: DensityRaster | null } {
  const json = parseJsonBody(joinPieces(pieces));
  const checked = validateBody(id, json);
  if ('errors' in checked || errors.length > 0) {
    const all = [...errors, ...('errors' in checked ? checked.errors : [])];
    throw validationProblem([...all, ...validateDefinitionRules(json.value, all, now)]);
  }
  const resolution = resolveDefinition(checked.body, now);
  if (!resolution.ok) throw validationProblem(resolution.errors);
  return { ...resolution, sentDensity: checked.body.density ?? null };
}
