import { tabulateChart } from './day-chart.ts';
import { dayLinks, nameDay, withDay } from './day-links.ts';
import type { PortalContext, PortalResponse } from './context.ts';
import { chartDevice } from './device-chart.ts';
import { readDeviceDay } from './device-day.ts';
import type { Device } from './device-operations.ts';
import { tellDeviceDay } from './device-story.ts';
import { readShownDay } from './fleet-day.ts';
import { devicePath } from './home-paths.ts';
import { nameDevice } from './homes.ts';
import { NO_PRICES, readPricedDay } from './price-panels.ts';
import { getScope } from './shell.ts';

/** What a device did on the day that the address names, as its page shows it; prices where it may go by them. */
export async function readDevicePictures(context: PortalContext, response: PortalResponse, device: Device) {
  const scope = getScope(response);
  const zone = await context.reads.findTimeZone(scope.orgId);
  const shown = readShownDay(response.req, zone, context.clock());
  const { day, clock } = shown;
  const named = nameDevice(device);
  const entries = await readDeviceDay(context, response, named, day);
  const pumps = device.device_type === 'heat_pump' ? [named] : [];
  const prices =
    device.device_type === 'wallbox'
      ? NO_PRICES
      : await readPricedDay(context, response, shown, async () => pumps);
  const type = device.device_type;
  const chart = {
    ...chartDevice({ type, entries, day, clock, prices: prices.panels }),
    remarks: prices.remarks,
  };
  const dayName = nameDay(shown, entries.at(-1));
  return {
    chart,
    table: tabulateChart(chart),
    dayName,
    told: tellDeviceDay({ type, entries, prices: prices.byQuarter, dayName }),
    links: dayLinks(devicePath(scope, named), shown),
    csvPath: withDay(devicePath(scope, named, 'data.csv'), shown),
    hasCharts: true,
    clock,
  };
}
