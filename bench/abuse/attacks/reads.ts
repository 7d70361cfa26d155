// Every read of the document, as much of it at once as a partner may ask for: what an attack has not thought of yet.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DAY_MS } from '../../../src/domain/api/durations.ts';
import { ROOT } from '../../version.ts';
import { bearer, lastDays } from '../attack.ts';
import type { Attack, Target } from '../attack.ts';
import { flood } from '../wire.ts';

const AT_ONCE = 60;
/** The longest range of quarter hours, and of prices. */
const [MOST_DAYS, MOST_PRICE_DAYS] = [31, 366];
/** It never ends; the attack `event-streams` opens it. */
const STREAM = 'text/event-stream';
/** What the attacker has none of is asked for all the same. */
const NOBODY = '00000000-0000-4000-8000-000000000000';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema?: { readonly maximum?: number };
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}

interface Document {
  readonly paths: Readonly<
    Record<string, Pick<Operation, 'parameters'> & Readonly<Record<string, Operation | undefined>>>
  >;
  readonly components: { readonly parameters: Readonly<Record<string, Parameter>> };
}

const document = JSON.parse(readFileSync(join(ROOT, 'generated/openapi.json'), 'utf8')) as Document;

/** One for each media type of each operation that reads something of an organization. */
export const READS: readonly Attack[] = Object.entries(document.paths).flatMap(([path, item]) => {
  const operation = item['get'];
  if (operation === undefined || !path.includes('{org_id}')) return [];
  const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(resolve);
  const types = Object.keys(operation.responses['200']?.content ?? {}).filter((type) => type !== STREAM);
  return types.map((type, index) => ({
    name: index === 0 ? operation.operationId : `${operation.operationId} ${type}`,
    by: 'partner' as const,
    what: `GET ${path}, ${type}, ${AT_ONCE} at once`,
    run: (aim) =>
      flood(aim, AT_ONCE, () => ({
        method: 'GET',
        path: fillIn(path, parameters, aim.target),
        headers: { ...bearer(aim.target.token), accept: type },
      })),
  }));
});

function resolve(parameter: Parameter | { readonly $ref: string }): Parameter {
  if (!('$ref' in parameter)) return parameter;
  const name = parameter.$ref.split('/').at(-1) ?? '';
  const found = document.components.parameters[name];
  if (found === undefined) throw new Error(`The document has no parameter ${name}.`);
  return found;
}

/**
 * The address of a read with the most that it takes.
 * @throws Error for a parameter of the path that nothing is known for.
 */
export function fillIn(path: string, parameters: readonly Parameter[], target: Target): string {
  const { fleetWithHistory: fleet, webhookId } = target;
  const isOfHousehold = path.includes('{user_id}');
  const ids: Readonly<Record<string, string | undefined>> = {
    org_id: isOfHousehold ? fleet.simulationOrgId : target.orgId,
    user_id: fleet.userId,
    external_user_id: 'nobody',
    // The one with a history for what was done in it, the large one for what is listed.
    job_id: path.endsWith('/data') ? fleet.jobId : target.fleet.jobId,
    heat_pump_id: fleet.heatPumpId,
    inverter_id: fleet.inverterId,
    electric_vehicle_id: fleet.electricVehicleId,
    wallbox_id: fleet.wallboxId,
    webhook_id: webhookId,
    message_id: NOBODY,
  };
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const id = ids[name];
    if (id === undefined) throw new Error(`bench/abuse/attacks/reads.ts knows nothing for ${name}.`);
    return id;
  });
  const query = parameters.filter((each) => each.in === 'query').flatMap(toQuery);
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`;
}

function toQuery({ name, schema }: Parameter): string[] {
  if (name === 'from') return [lastDays(MOST_DAYS)];
  if (name === 'from_dt') {
    const now = Date.now();
    const start = new Date(now - MOST_PRICE_DAYS * DAY_MS).toISOString();
    return [`from_dt=${start}`, `to_dt=${new Date(now).toISOString()}`];
  }
  return name === 'limit' && schema?.maximum !== undefined ? [`limit=${schema.maximum}`] : [];
}
