// The reads of `make bench ARGS=reads`, which are made from the document.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { fillIn, READS } from '../../bench/abuse/attacks/reads.ts';
import { benchReads } from '../../bench/abuse/reads-main.ts';
import { ROLE_TABLE } from '../../src/domain/users/roles.ts';
import { startAttackedService } from '../abuse/attacked-service.ts';
import type { AttackedService } from '../abuse/attacked-service.ts';

let service: AttackedService;
beforeAll(async () => {
  service = await startAttackedService();
});
afterAll(() => service.remove());

test.each(READS.map(({ name }) => name))('%s: what the bench sends is answered', async (name) => {
  // No user has an id of the partner's, and no message went out.
  const isNowhere = name === 'getUserByExternalId' || name === 'getDelivery';
  const { counts } = await service.attack(name, 1, 1);
  expect(counts).toEqual({ [isNowhere ? 404 : 200]: 1 });
});

test('each operation that reads an organization is sent, in each of its media types', () => {
  const names = READS.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['getHouseholdData', 'getHouseholdData text/csv']));
  expect(new Set(names).size).toBe(names.length);
  // All of the role table that only read, but the stream of events, which does not end.
  const reading = Object.keys(ROLE_TABLE).filter((id) => /^(get|list)/.test(id));
  expect(new Set(names.map((name) => name.split(' ')[0]))).toEqual(new Set(reading));
});

test('a path with a parameter that is not known is refused', () => {
  expect(() => fillIn('/org/{org_id}/boilers/{boiler_id}', [], service.target)).toThrow(
    'knows nothing for boiler_id',
  );
});

test('the command lists the reads and names one that there is not', async () => {
  const [log, error] = [vi.spyOn(console, 'log'), vi.spyOn(console, 'error')].map((spy) =>
    spy.mockReturnValue(undefined),
  );
  expect(await benchReads(['--list'])).toBe(0);
  expect(log?.mock.calls).toHaveLength(READS.length);
  expect(await benchReads(['getBoiler'])).toBe(2);
  expect(error?.mock.calls[0]?.[0]).toContain('No operation that reads is called getBoiler');
});
