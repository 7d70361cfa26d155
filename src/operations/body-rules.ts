import type { BytesOperationId, Request } from '../contract/handlers.ts';
import type { SecuredOperationId } from '../../generated/routes.ts';
import { validateEndpointUrl } from '../domain/notifications/endpoint.ts';
import { validateSubscription, validateTopics } from '../domain/notifications/topics.ts';
import { tryParseInstant } from '../domain/api/instants.ts';
import { effectiveFrom } from '../domain/api/quarter-hours.ts';
import type { FieldError } from '../domain/api/problem.ts';
import { validateOrgIdOfBody, validateUserFields } from '../domain/users/users.ts';
import { findUser } from '../queries/accounts/visible-users.ts';
import { findWebhookWithSecret } from '../queries/deliveries/webhooks.ts';
import { findFleet } from '../queries/fleets/fleets.ts';
import type { Context } from './context.ts';
import { findSubjectErrors } from './fleets/event-subject.ts';
import { fleetKeyOf } from './fleets/fleet-access.ts';
import { validateExpansion } from './fleets/transitions.ts';
import { validateBoostEnd } from './preferences/boosts.ts';
import { findVehiclePreferenceErrors } from './preferences/preferences.ts';
import { findReachableItem, readReturnUrls } from './resolve.ts';

type ParsedOperationId = Exclude<SecuredOperationId, BytesOperationId>;
type Properties = Readonly<Record<string, unknown>>;

/** A user as far as a body says nothing of it. */
const NOWHERE = { latitude: null, longitude: null, country: null };

type BodyRule<Id extends ParsedOperationId> = (
  context: Context,
  body: Properties,
  path: Request<Id>['path'],
) => readonly FieldError[] | Promise<readonly FieldError[]>;

/**
 * The rules of operations beyond the document's schemas, for bodies that the schemas refuse, so that the caller is told
 * all errors at once. Given are the properties that are valid by themselves. A body that the schemas accept is checked by
 * the operation, by the same functions.
 */
const BODY_RULES: { readonly [Id in ParsedOperationId]?: BodyRule<Id> } = {
  createUser: ({ orgId }, body) => [
    ...validateUserFields({ ...NOWHERE, ...body }),
    ...validateOrgIdOfBody(text(body['org_id']), orgId),
  ],
  updateUser: async ({ db, orgId }, body, { user_id: id }) => {
    const before = await findUser(db, { orgId, visibleTo: { kind: 'all' }, includeDeleted: false }, id);
    return before === undefined ? [] : validateUserFields({ ...before, ...body });
  },
  updateElectricVehiclePreferences: (context, { minimum_soc_percent, target_soc_percent }, path) =>
    findVehiclePreferenceErrors(context, path, {
      minimum_soc_percent: percent(minimum_soc_percent),
      target_soc_percent: percent(target_soc_percent),
    }),
  startElectricVehicleBoost: findBoostErrors,
  startHeatPumpBoost: findBoostErrors,
  startInverterBoost: findBoostErrors,
  createWebhook: ({ allowedNetworks }, body) => {
    const url = text(body['url']);
    const endpoint = url === undefined ? undefined : validateEndpointUrl(url, allowedNetworks);
    const errors = endpoint !== undefined && 'errors' in endpoint ? endpoint.errors : [];
    return [...errors, ...findTopicErrors(body)];
  },
  updateWebhook: (_context, body) => findTopicErrors(body),
  testWebhook: async ({ db, orgId }, body, { webhook_id: id }) => {
    const webhook = await findWebhookWithSecret(db, orgId, id);
    const topic = text(body['topic']);
    if (topic === undefined || webhook?.deleted_at !== null || !webhook.enabled) return [];
    return validateSubscription(webhook.topics, topic);
  },
  expandFleet: async ({ db, orgId }, { count }, { job_id: id }) => {
    const fleet = await findFleet(db, fleetKeyOf(orgId, id));
    return fleet === undefined || typeof count !== 'number' ? [] : validateExpansion(fleet, count);
  },
  triggerFleetEvent: (_context, body) => findSubjectErrors(body),
  resolveNotificationItem: async (context, body, { item_id: id }) => {
    if ((await findReachableItem(context, id))?.kind !== 'action') return [];
    const { success_url, cancel_url } = body;
    return readReturnUrls({ success_url: text(success_url), cancel_url: text(cancel_url) }).errors;
  },
};

/**
 * What a body that the document's schema refuses with `errors` breaks beside them. The objects that the path names are
 * there. Properties with an error are left out, and rules that need them are not checked.
 */
export async function findRuleErrors<Id extends ParsedOperationId>(
  id: Id,
  context: Context,
  refused: {
    readonly path: Request<Id>['path'];
    readonly body: unknown;
    readonly errors: readonly FieldError[];
  },
): Promise<readonly FieldError[]> {
  const { body, errors, path } = refused;
  const rule = BODY_RULES[id];
  if (rule === undefined || typeof body !== 'object' || body === null || Array.isArray(body)) return [];
  const faulty = new Set(errors.map(({ pointer }) => pointer?.split('/')[1]));
  // One coordinate of two is an error of the pair, which cannot be checked when the other one is faulty.
  if (faulty.has('latitude') || faulty.has('longitude')) faulty.add('latitude').add('longitude');
  const valid = Object.fromEntries(Object.entries(body).filter(([name]) => !faulty.has(name)));
  const found = await rule(context, valid, path);
  return found.filter(({ pointer }) => !faulty.has(pointer?.split('/')[1]));
}

function findTopicErrors({ topics }: Properties): readonly FieldError[] {
  return Array.isArray(topics)
    ? validateTopics(topics.filter((topic) => typeof topic === 'string')).errors
    : [];
}

function findBoostErrors({ now }: Context, { ends_at }: Properties): readonly FieldError[] {
  const endsAt = tryParseInstant(text(ends_at) ?? '');
  return endsAt === undefined ? [] : validateBoostEnd(endsAt, effectiveFrom(now), now);
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Null, too, is a valid value: it sets back. */
function percent(value: unknown): number | null | undefined {
  return typeof value === 'number' || value === null ? value : undefined;
}
