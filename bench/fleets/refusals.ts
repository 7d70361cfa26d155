// What refusing hostile definitions costs, and keeps.
import { hostileDefinitions } from '../../tests/operations/hostile-definitions.ts';
import { fixedCredentials, PartnerApi } from '../../tests/process/partner.ts';
import { startService } from '../../tests/support/service.ts';
import { timed } from './definition.ts';

export const SLOWEST_REFUSAL = `${hostileDefinitions.length} hostile definitions, the slowest`;
export const MEDIAN_REFUSAL = `${hostileDefinitions.length} hostile definitions, the median`;
export const KEPT_BY_REFUSALS = `${hostileDefinitions.length} hostile definitions, memory kept`;

/** Each hostile definition at a real service: the times of the refusals, and what it keeps of a round in memory. */
export async function* measureRefusals(): AsyncGenerator<{ times: number[]; keptMb: number }, never> {
  const fixed = fixedCredentials();
  const service = await startService({ env: { ...fixed.env, RATE_LIMITS: 'off', LOG_LEVEL: 'error' } });
  try {
    const { token } = await PartnerApi.open(service, fixed);
    const url = `${service.baseUrl}/api/partners/v2.0/org/${fixed.orgId}/device-simulator/fleets/preview`;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const memory = async (): Promise<number> => {
      const text = await (await fetch(`${service.baseUrl}/metrics`)).text();
      return Number(/^process_resident_memory_bytes (\S+)/m.exec(text)?.[1]) / 1e6;
    };
    const refuse = (text: string): Promise<number> =>
      timed(async () => {
        const answer = await fetch(url, { method: 'POST', headers, body: text });
        await answer.arrayBuffer();
        if (answer.status !== 422) throw new Error(`A hostile definition was answered ${answer.status}.`);
      });
    let before = await memory();
    for (;;) {
      const times: number[] = [];
      for (const { text } of hostileDefinitions) times.push(await refuse(text));
      const after = await memory();
      yield { times, keptMb: after - before };
      before = after;
    }
  } finally {
    await service.remove();
  }
}
