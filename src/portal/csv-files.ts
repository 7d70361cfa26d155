import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { StreamedBytes } from '../contract/streamed-bytes.ts';
import { getFleetData } from '../operations/fleets/fleet-data.ts';
import { getHouseholdData } from '../operations/household-data.ts';
import type { PortalContext, PortalResponse } from './context.ts';
import { getSession } from './context.ts';
import { toCsv } from './csv-lines.ts';
import { listDeviceColumns } from './device-columns.ts';
import { toRange, readDeviceDay } from './device-day.ts';
import { withDevice } from './device-page.ts';
import { withFleet } from './fleet-access.ts';
import { readShownDay, toDataRequest } from './fleet-day.ts';
import { nameDevice } from './homes.ts';
import type { LocalDay } from './local-days.ts';
import { toOperationContext } from './operations.ts';
import { getScope } from './shell.ts';
import { withUser } from './users.ts';

/** Of the end of an answer that is sent by a pipeline: eleven are there while a part of it waits. */
const MOST_LISTENERS = 16;

/** What the homes of a fleet did on the day as a file, as the API writes it. */
export const sendFleetCsv = withFleet(async (context, _request, response, fleet) => {
  const { orgId } = getSession(response);
  const day = await findDay(context, response, fleet.simulation_org_id);
  const operation = toOperationContext(context, response, 'getFleetData', orgId);
  const asked = toDataRequest({ orgId, jobId: fleet.job_id, day, resolution: '15MIN' });
  const { body } = await getFleetData(operation, { ...asked, answerType: 'text/csv' });
  await sendParts(response, `fleet-${fleet.job_id}-${day.date}.csv`, body as StreamedBytes);
});

/** What a home did on the day as a file, as the API writes it. */
export const sendHouseholdCsv = withUser(async (context, _request, response, user) => {
  const { orgId } = getScope(response);
  const day = await findDay(context, response, orgId);
  const operation = toOperationContext(context, response, 'getHouseholdData');
  const { body } = await getHouseholdData(operation, {
    path: { org_id: orgId, user_id: user.id },
    query: { ...toRange(day), resolution: '15MIN' },
    headers: {},
    body: undefined,
    answerType: 'text/csv',
  });
  await sendParts(response, `home-${user.id}-${day.date}.csv`, body as StreamedBytes);
});

/** What a device did on the day as a file: the values that the API answers as JSON. */
export const sendDeviceCsv = withDevice(async (context, _request, response, { device }) => {
  const day = await findDay(context, response, getScope(response).orgId);
  const entries = await readDeviceDay(context, response, nameDevice(device), day);
  const names = listDeviceColumns(device.device_type);
  const lines = entries.map((entry: Readonly<Record<string, string | number | null>>) =>
    names.map((name) => entry[name] ?? null),
  );
  response
    .attachment(`device-${device.device_id}-${day.date}.csv`)
    .type('text/csv')
    .send(toCsv([names, ...lines]));
});

async function findDay(context: PortalContext, response: PortalResponse, orgId: string): Promise<LocalDay> {
  const zone = await context.reads.findTimeZone(orgId);
  return readShownDay(response.req, zone, context.clock()).day;
}

async function sendParts(
  response: PortalResponse,
  name: string,
  { contentType, parts }: StreamedBytes,
): Promise<void> {
  // The browser has left while the first part was computed.
  if (response.destroyed) return;
  response.attachment(name).type(contentType);
  // The pipeline listens to its end, and so do the page, its connection and each part that waits for its turn: no leak.
  response.setMaxListeners(MOST_LISTENERS);
  await pipeline(Readable.from(parts), response);
}
