import { randomUUID } from 'node:crypto';
import type { components } from '../../generated/openapi.ts';
import type { BytesRequest } from '../contract/handlers.ts';
import { toJsonBytes } from '../contract/json-bytes.ts';
import { createFleet, previewEveryHousehold } from '../operations/fleets/create.ts';
import { getFleetConfig } from '../operations/fleets/reads.ts';
import { sendView } from '../html/render.ts';
import { readAnswer } from './answers.ts';
import { formatApiCall } from './api-call.ts';
import { logChange } from './change-log.ts';
import type { PageHandler, PortalContext, PortalResponse } from './context.ts';
import { getSession } from './context.ts';
import type { Fleet } from './fleet-access.ts';
import { FIELD_SETS, GROUP_ROWS } from './fleet-fields.ts';
import type { FleetField } from './fleet-fields.ts';
import { countGroups, MOST_GROUPS, placeFleetErrors, readFleetForm, toDefinition } from './fleet-form.ts';
import type { FleetValues } from './fleet-form.ts';
import { describePreview } from './fleet-preview.ts';
import type { Preview } from './fleet-preview.ts';
import { chooseRequestId, isRequestIdUsed } from './form-keys.ts';
import { hasFormTurn } from './form-turns.ts';
import { readFormField } from './forms.ts';
import type { FieldMessages } from './forms.ts';
import { toFieldMessages, toOperationContext } from './operations.ts';
import { redirectWithNotice } from './pages.ts';
import { FLEET_CREATION_PATH, fleetPath, FLEETS_PATH } from './paths.ts';
import { toWords } from './words.ts';

type Config = components['schemas']['FleetConfig'];

interface FleetFormPage {
  readonly status: number;
  /** By which a form that is sent twice creates once. */
  readonly requestId: string;
  readonly values: FleetValues;
  readonly errors: FieldMessages;
  readonly preview?: Preview | undefined;
  readonly hasNewGroup?: boolean;
}

const DEFINITION_FILE = 'fleet.json';
/** Characters of a definition, and of one text of it, that a page shows. */
const MOST_SHOWN_BODY = 4_000;
const MOST_SHOWN_TEXT = 2_000;

/** Long texts, as those of weights, are cut where they are only looked at. */
const shorten = (_name: string, value: unknown): unknown =>
  typeof value === 'string' && value.length > MOST_SHOWN_TEXT ? `${value.slice(0, 60)}…` : value;

/** The form with the defaults of the service. */
export const showFleetCreation: PageHandler = async (context, _request, response) => {
  const values = new Map([
    ['name', 'Simulated fleet'],
    ['count', '10'],
  ]);
  await sendFleetForm(context, response, { status: 200, requestId: randomUUID(), values, errors: {} });
};

/**
 * Creates the fleet, or shows what it would be (`preview`; `refresh` from a script), offers a further group (`add`) or sends the
 * definition as a file (`download`): 303, 200, or 422 with the form; a script gets 200 with it, since nobody has sent it yet.
 */
export const createFleetFromForm: PageHandler = async (context, request, response) => {
  const values = readFleetForm(request);
  const requestId = readFormField(request, 'request_id');
  const asked = readFormField(request, 'do');
  const page = { requestId, values, errors: {} };
  if (asked === 'add') {
    await sendFleetForm(context, response, { ...page, status: 200, hasNewGroup: true });
    return;
  }
  if (asked === 'download') {
    response
      .attachment(DEFINITION_FILE)
      .type('json')
      .send(JSON.stringify(toDefinition(requestId, values), null, 2));
    return;
  }
  try {
    if (asked === 'preview' || asked === 'refresh') {
      const previewed = await previewUnused(context, response, { requestId, values });
      await sendFleetForm(context, response, { ...page, ...previewed, status: 200 });
    } else {
      const id = await create(context, response, toBytesRequest(response, toDefinition(requestId, values)));
      redirectWithNotice(response, fleetPath(id), 'fleet_created');
    }
  } catch (error) {
    const status = asked === 'refresh' ? 200 : 422;
    const errors = toFieldMessages(error, (all) => placeFleetErrors(all, values));
    if (errors === undefined) throw error;
    await sendFleetForm(context, response, {
      ...page,
      requestId: chooseRequestId(requestId, error),
      status,
      errors,
    });
  }
};

/** The preview; who has come back to a form by which a fleet was created, and changed it, gets that of a further fleet. */
async function previewUnused(
  context: PortalContext,
  response: PortalResponse,
  { requestId, values }: Pick<FleetFormPage, 'requestId' | 'values'>,
): Promise<Pick<FleetFormPage, 'requestId' | 'preview'>> {
  const previewAs = (id: string) =>
    readPreview(context, response, toBytesRequest(response, toDefinition(id, values)));
  try {
    return { requestId, preview: await previewAs(requestId) };
  } catch (error) {
    if (!isRequestIdUsed(error)) throw error;
    const unused = randomUUID();
    return { requestId: unused, preview: await previewAs(unused) };
  }
}

function toBytesRequest(response: PortalResponse, body: unknown): BytesRequest {
  return { pieces: [toJsonBytes(body)], errors: [], hasTurn: hasFormTurn(response) };
}

async function create(context: PortalContext, response: PortalResponse, sent: BytesRequest): Promise<string> {
  const { orgId } = getSession(response);
  const operation = toOperationContext(context, response, 'createFleet', orgId);
  const { job_id: id } = (await createFleet(operation, sent)).body as Fleet;
  logChange(context, response, 'Fleet created.', { id });
  return id;
}

async function readPreview(
  context: PortalContext,
  response: PortalResponse,
  sent: BytesRequest,
): Promise<Preview> {
  const operation = toOperationContext(context, response, 'previewFleet', getSession(response).orgId);
  return (await readAnswer((await previewEveryHousehold(operation, sent)).body)) as Preview;
}

async function sendFleetForm(
  context: PortalContext,
  response: PortalResponse,
  { status, requestId, values, errors, preview, hasNewGroup = false }: FleetFormPage,
): Promise<void> {
  const { orgId } = getSession(response);
  const operation = toOperationContext(context, response, 'getFleetConfig', orgId);
  const config = (
    await getFleetConfig(operation, { path: { org_id: orgId }, query: {}, headers: {}, body: undefined })
  ).body as Config;
  const present = createFieldPresenter(config, values, errors);
  const body = toDefinition(requestId, values);
  const groups = Math.min(MOST_GROUPS, countGroups(values) + (hasNewGroup ? 1 : 0));
  sendView(response, status, 'fleet-form', {
    action: FLEET_CREATION_PATH,
    back: FLEETS_PATH,
    requestId,
    errors,
    sets: FIELD_SETS.map(({ legend, isFolded, rows }) => ({
      legend,
      isFolded: isFolded === true && !rows.flat().some(({ path }) => values.has(path) || errors[path]),
      isFoldable: isFolded === true,
      rows: rows.map((row) => row.map(present)),
    })),
    groups: Array.from({ length: groups }, (_, index) =>
      GROUP_ROWS.map((row) =>
        row.map((field) => present({ ...field, path: `groups/${index}/${field.path}` })),
      ),
    ),
    canAddGroup: groups < MOST_GROUPS,
    preview: preview && describePreview(preview),
    json: JSON.stringify(body, shorten, 2),
    call: formatApiCall(context.baseUrl, {
      method: 'POST',
      path: `/org/${orgId}/device-simulator/fleets`,
      ...(JSON.stringify(body).length > MOST_SHOWN_BODY ? { bodyFile: DEFINITION_FILE } : { body }),
    }),
    hasCharts: true,
    map: 'fleet-form',
  });
}

/** Fields as the view shows them; the first that is to be mended has the focus. */
function createFieldPresenter({ profiles, countries }: Config, values: FleetValues, errors: FieldMessages) {
  const choices = {
    profiles: {
      '': 'Mixed',
      ...Object.fromEntries(
        profiles.map(({ name, description }) => [name, `${toWords(name)}: ${description}`]),
      ),
    },
    countries: {
      '': 'None',
      ...Object.fromEntries(countries.map(({ country, name }) => [country, name])),
    },
  };
  const [focused] = Object.keys(errors);
  return ({ path, label, hint, kind, multiline, from }: FleetField) => ({
    name: path,
    label,
    hint,
    value: values.get(path) ?? '',
    error: errors[path],
    required: false,
    autofocus: path === focused,
    ...(multiline === undefined ? {} : { multiline }),
    ...(kind === 'number' ? { inputmode: 'decimal' } : {}),
    ...(from === undefined ? {} : { choices: choices[from] }),
  });
}
