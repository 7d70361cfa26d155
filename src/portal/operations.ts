import type { components } from '../../generated/openapi.ts';
import { PROBLEMS } from '../../generated/problems.ts';
import type { SecuredOperationId } from '../../generated/routes.ts';
import { validateBody } from '../contract/validate-body.ts';
import type { ValidatedOperationId } from '../contract/validate-body.ts';
import type { Request } from '../contract/handlers.ts';
import { Problem, validationProblem } from '../domain/api/problem.ts';
import type { FieldError } from '../domain/api/problem.ts';
import { mayCall } from '../domain/users/roles.ts';
import type { Context } from '../operations/context.ts';
import type { PortalContext, PortalResponse } from './context.ts';
import { getSession } from './context.ts';
import { checkBrowser, waitForBrowser } from './gone-browsers.ts';
import { isOfRequestId, isRequestIdUsed, NO_REQUEST_ID, SENT_BEFORE } from './form-keys.ts';
import type { FieldMessages } from './forms.ts';
import { stepAside } from './page-turns.ts';
import { getScope } from './shell.ts';

/** A user as the operations answer it. */
export type User = components['schemas']['User'];

/** No operation that a page calls looks at them: event streams and the limits of the API do. */
const NO_TOKEN = { applicationId: null, tokenDigest: '' };

/**
 * What an operation is given that a page calls: the person is the actor, and the organization is that of the page's scope,
 * unless another one is named.
 * @throws Problem role_forbidden.
 */
export function toOperationContext(
  context: PortalContext,
  response: PortalResponse,
  id: SecuredOperationId,
  organizationId = getScope(response).orgId,
): Context {
  const { userId, orgId, partnerId, role } = getSession(response);
  if (!mayCall(role, id)) throw new Problem('role_forbidden', PROBLEMS.role_forbidden.detail);
  return {
    ...context,
    now: context.clock(),
    requestId: response.get('X-Request-Id') ?? '',
    actor: { ...NO_TOKEN, userId, orgId, partnerId, role, scope: 'read write' },
    orgId: organizationId,
    stepAside: () => stepAside(context, response),
    whileWanted: (wait) => waitForBrowser(response, wait),
    yieldToEventLoop: async (days, partnerId) => {
      await context.yieldToEventLoop(days, partnerId);
      checkBrowser(response);
    },
  };
}

/**
 * A body that was made from a form, as the operation takes it.
 * @throws Problem validation_failed with every error.
 */
export function requireBody<Id extends ValidatedOperationId>(id: Id, value: unknown): Request<Id>['body'] {
  const result = validateBody(id, { value, mayHoldUnstorableText: true });
  if ('errors' in result) throw validationProblem(result.errors);
  return result.body;
}

/** Problems that people mend in the form itself; all others end the page. */
const MENDABLE: ReadonlySet<Problem['code']> = new Set([
  'validation_failed',
  'email_taken',
  'external_user_id_taken',
  'last_admin',
  'role_change_forbidden',
  'quota_reached',
  'fleet_state_conflict',
  'role_forbidden',
  'idempotency_key_reused',
]);

/**
 * What a refused form says at its fields, and in `form` what is said at none; undefined for an error that no form shows. `place`
 * says which field an error belongs to, where fields do not have the names of the body's values.
 */
export function toFieldMessages(
  error: unknown,
  place: (errors: readonly FieldError[]) => FieldMessages = placeByName,
): FieldMessages | undefined {
  if (isRequestIdUsed(error)) return { form: SENT_BEFORE };
  if (!(error instanceof Problem) || !MENDABLE.has(error.code)) return undefined;
  if (error.errors.length === 0) return { form: error.message };
  const ofFields = error.errors.filter((each) => !isOfRequestId(each));
  const isComplete = ofFields.length === error.errors.length;
  return { ...place(ofFields), ...(isComplete ? {} : { form: NO_REQUEST_ID }) };
}

function placeByName(errors: readonly FieldError[]): FieldMessages {
  const byField = errors.map(({ pointer, detail }) => [pointer?.slice(1) ?? 'form', detail] as const);
  return Object.fromEntries(byField.toReversed());
}
