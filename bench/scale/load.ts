// What so many devices bring with them, by assumptions alone.
import { ASSUMPTIONS } from './assumptions.ts';

export const DAY_SECONDS = 86_400;
export const YEAR_DAYS = 365;

export interface Load {
  readonly devices: number;
  readonly homes: number;
  readonly partners: number;
  /** At the peak. */
  readonly requestsPerSecond: number;
  /** At the peak, those of the largest partner. */
  readonly requestsPerSecondOfPartner: number;
  /** The mean of a day. */
  readonly eventsPerSecond: number;
  /** At the peak, without outages that many devices share. */
  readonly messagesPerSecond: number;
  /** Messages of an outage that many devices of the largest partner share. */
  readonly outageMessages: number;
  /** Until one webhook has taken them. */
  readonly outageSeconds: number;
}

/** The load of a number of devices. */
export function computeLoad(devices: number): Load {
  const { devicesOfHome, homesOfPartner, peak, outageShare, answerSeconds, inFlight } = ASSUMPTIONS;
  const homes = devices / devicesOfHome.value;
  const devicesOfPartner = Math.min(devices, homesOfPartner.value * devicesOfHome.value);
  const requestsPerSecond = (devices * requestsOfDay() * peak.value) / DAY_SECONDS;
  const eventsPerSecond = (devices * ASSUMPTIONS.events.value) / YEAR_DAYS / DAY_SECONDS;
  const outageMessages = devicesOfPartner * outageShare.value;
  return {
    devices,
    homes,
    partners: Math.ceil(homes / homesOfPartner.value),
    requestsPerSecond,
    requestsPerSecondOfPartner: requestsPerSecond * (devicesOfPartner / devices),
    eventsPerSecond,
    messagesPerSecond: eventsPerSecond * peak.value,
    outageMessages,
    outageSeconds: (outageMessages * answerSeconds.value) / inFlight.value,
  };
}

function requestsOfDay(): number {
  const { deviceReads, userReads, listPages, changes } = ASSUMPTIONS;
  return deviceReads.value + userReads.value + listPages.value + changes.value;
}
