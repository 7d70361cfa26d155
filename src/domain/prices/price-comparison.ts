import type { DayAheadPrice } from './prices.ts';

/** A price of an upload without its bids and asks. */
export type UploadedPrice = Pick<DayAheadPrice, 'startsAt' | 'price'>;

/** A price of an upload of whose delivery quarter one is stored. */
export interface StoredBefore {
  readonly startsAt: Date;
  /** EUR/MWh. */
  readonly price: number;
  readonly receivedAt: Date;
  /** Whether bids and asks are the same too: then nothing would be stored. */
  readonly isSame: boolean;
}

/** Times between the first and the last price of an upload for which there would be none: the first of them, and how many there are. */
export interface PriceGaps {
  readonly first: readonly { readonly from: Date; readonly to: Date }[];
  readonly count: number;
}

/** What an upload would do to what is stored. */
export interface PriceComparison {
  /** In their order. */
  readonly prices: readonly UploadedPrice[];
  /** In their order. */
  readonly stored: readonly StoredBefore[];
  readonly gaps: PriceGaps;
}
