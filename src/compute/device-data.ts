import { toJsonBytes } from '../contract/json-bytes.ts';
import { computeDeviceData } from '../households/device-data.ts';
import type { DeviceDataQuestion, DeviceDataResult } from '../households/device-data.ts';
import { TimeSlicer, goOn } from '../households/time-slicer.ts';

/** The answer of a device's data as JSON, with the checkpoint that was made on the way. */
export async function answerDeviceData(input: {
  readonly question: DeviceDataQuestion;
  readonly metadata: object;
}): Promise<{ readonly answer: Uint8Array; readonly made: DeviceDataResult['made'] }> {
  const { periods, made } = await computeDeviceData(input.question, new TimeSlicer(goOn));
  return { answer: toJsonBytes({ metadata: input.metadata, data: periods }), made };
}
