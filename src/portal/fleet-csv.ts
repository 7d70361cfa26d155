import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { StreamedBytes } from '../contract/streamed-bytes.ts';
import { getFleetData } from '../operations/fleets/fleet-data.ts';
import { getSession } from './context.ts';
import { withFleet } from './fleet-access.ts';
import { readShownDay, toDataRequest } from './fleet-day.ts';
import { toOperationContext } from './operations.ts';

/** The data of the day as a file, as the API writes it. */
export const sendFleetCsv = withFleet(async (context, request, response, fleet) => {
  const { orgId } = getSession(response);
  const zone = await context.reads.findTimeZone(fleet.simulation_org_id);
  const { day } = readShownDay(request, zone, context.clock());
  const operation = toOperationContext(context, response, 'getFleetData', orgId);
  const asked = toDataRequest({ orgId, jobId: fleet.job_id, day, resolution: '15MIN' });
  const { body } = await getFleetData(operation, { ...asked, answerType: 'text/csv' });
  const { contentType, parts } = body as StreamedBytes;
  response.set('Content-Disposition', `attachment; filename="fleet-${fleet.job_id}-${day.date}.csv"`);
  response.type(contentType);
  await pipeline(Readable.from(parts), response);
});
