// In which order a process claims for whoever waits, and for partners that have few attempts in flight.
import { expect, test } from 'vitest';
import type { ClaimedBatch, ClaimLimits } from '../../src/queries/deliveries/delivery-queue.ts';
import { SlotClaims } from '../../src/webhooks/kept-slots.ts';

const SLOTS = { first: 256, retry: 64 };
const NOTHING: ClaimedBatch = {
  deliveries: [],
  nextCursor: {},
  hasMore: { first: false, retry: false },
};

/** Claims while so many slots are free, and what the answers of the first ones are; tells how many of which each was for. */
async function claim(
  free: { readonly first: number; readonly retry: number },
  answers: readonly ClaimedBatch[] = [],
): Promise<string[]> {
  const claims: string[] = [];
  await new SlotClaims({
    slots: SLOTS,
    limits: { perWebhook: 16, perPartner: 512 },
    freeSlots: () => free,
    claim: async ({ first, retry, perPartner }: ClaimLimits) => {
      claims.push(`${first} and ${retry}, ${perPartner} of a partner`);
      return answers[claims.length - 1] ?? NOTHING;
    },
    start: async () => undefined,
    now: () => new Date(0),
  }).claimUntilFull();
  return claims;
}

test('behind each claim there is one for partners with few attempts in flight, as long as few other slots are free', async () => {
  const more: ClaimedBatch = { ...NOTHING, hasMore: { first: true, retry: false } };
  expect(await claim({ first: 63, retry: 8 }, [more, NOTHING, more])).toEqual([
    '31 and 0, 512 of a partner',
    '63 and 8, 4 of a partner',
    '31 and 0, 512 of a partner',
    '63 and 8, 4 of a partner',
    '31 and 0, 512 of a partner',
    '63 and 8, 4 of a partner',
  ]);
});

test('where many are free, and where all are in use, there is none of these', async () => {
  expect(await claim({ first: 64, retry: 40 })).toEqual(['32 and 32, 512 of a partner']);
  expect(await claim({ first: 0, retry: 0 })).toEqual([]);
});

test('where all other slots are in use there is no other', async () => {
  expect(await claim({ first: 32, retry: 8 })).toEqual(['32 and 8, 4 of a partner']);
});
