/**
 * Day-ahead prices of a made-up year with the shape of real ones, by quarter hours: the generator that steered heat pumps,
 * cars and batteries are measured with. What it has, each from the hash, so that every year is the same again:
 * - a level that remembers the days before (lag-1 of .75) and is higher in winter than in summer;
 * - peaks in the morning and the evening, lower on Saturdays and lower still on Sundays;
 * - a valley at noon that follows the sun: deep from April to September, and deepest on sunny days, when prices fall below 0
 *   for hours (3 to 6 % of the year, as in Germany in 2024);
 * - dark calm spells in winter, two to four days of twice the level, with spikes of up to 900 EUR/MWh in the evening;
 * - quarter hours that differ within the hour by the ramps of sun and load;
 * - 14 days of one constant price, where that is asked for.
 */
import { DAY_MS, HOUR_MS, QUARTER_HOUR_MS, QUARTER_HOURS_PER_DAY } from '../../src/domain/api/durations.ts';
import { createPriceBookOfRevisions } from '../../src/simulation/control/price-book.ts';
import type { PriceBook } from '../../src/simulation/control/price-book.ts';
import { PriceRevisionsBuilder } from '../../src/domain/prices/price-revisions.ts';
import { drawNormal, drawUniform, splitSeed } from '../../src/simulation/kernel/noise.ts';

/** How a market differs from others. */
export interface Market {
  readonly seed: number;
  /** Mean level, EUR/MWh, and how much of it winter adds and summer takes. */
  readonly level: number;
  readonly season: number;
  /** Depth of the noon valley on a clear day of summer, and height of an evening peak, as parts of the level. */
  readonly sun: number;
  readonly peak: number;
  /** Of days in winter on which a dark calm spell begins. */
  readonly spells: number;
  /** Hours by which local time is ahead of UTC in winter. */
  readonly zone: number;
}

/** Five countries: their means and valleys are about those of 2024. */
export const PRICE_MARKETS = {
  AT: { seed: 1, level: 82, season: 0.18, sun: 1, peak: 0.55, spells: 0.04, zone: 1 },
  DE: { seed: 2, level: 79, season: 0.15, sun: 1.25, peak: 0.6, spells: 0.06, zone: 1 },
  GB: { seed: 3, level: 85, season: 0.15, sun: 0.7, peak: 0.55, spells: 0.05, zone: 0 },
  NO: { seed: 4, level: 48, season: 0.35, sun: 0.35, peak: 0.35, spells: 0.03, zone: 1 },
  IT: { seed: 5, level: 108, season: 0.08, sun: 0.75, peak: 0.45, spells: 0.02, zone: 1 },
} as const satisfies Readonly<Record<string, Market>>;
export type MarketName = keyof typeof PRICE_MARKETS;

/** First day (since 1970) of 14 with one price, where they are asked for. */
export interface ConstantDays {
  readonly from: number;
  readonly price: number;
}
const CONSTANT_DAYS = 14;

const CHANNEL = { level: 1, sky: 2, spell: 3, spike: 4, quarter: 5 } as const;
const MEMORY = 0.75;
/** A bell of width `width` hours around hour `at`. */
const bell = (hour: number, at: number, width: number): number => Math.exp(-0.5 * ((hour - at) / width) ** 2);

class PriceYear {
  readonly #market: Market;
  readonly #seed;

  constructor(market: Market) {
    this.#market = market;
    this.#seed = splitSeed(market.seed);
  }

  #normal(channel: number, bucket: number): number {
    return drawNormal(this.#seed, 0, channel, bucket);
  }

  /** 1 at midsummer, -1 at midwinter. */
  #summer(day: number): number {
    return Math.cos((2 * Math.PI * (day - 171)) / 365.25);
  }

  /** Logarithm of the day's level over the mean, remembered from the days before. */
  #levelOf(day: number): number {
    let sum = 0;
    for (let back = 0; back < 16; back++) sum += MEMORY ** back * this.#normal(CHANNEL.level, day - back);
    return 0.22 * Math.sqrt(1 - MEMORY * MEMORY) * sum;
  }

  /** How far a dark calm spell goes on a day, 0 to 1. */
  #spellOf(day: number): number {
    let deepest = 0;
    for (let back = 0; back < 4; back++) {
      const begun = day - back;
      const isBegun =
        this.#summer(begun) < -0.2 && drawUniform(this.#seed, 0, CHANNEL.spell, begun) < this.#market.spells;
      const days = 2 + 2 * drawUniform(this.#seed, 1, CHANNEL.spell, begun);
      if (isBegun && back < days) deepest = Math.max(deepest, 1 - back / (2 * days));
    }
    return deepest;
  }

  /** Prices of the 96 quarter hours of a day of the market's winter time, EUR/MWh. */
  day(day: number): number[] {
    const { level, season, sun, peak } = this.#market;
    const weekday = (((day + 3) % 7) + 7) % 7;
    const rest = weekday === 6 ? 0.55 : weekday === 5 ? 0.75 : 1;
    const dayOfYear = day;
    const summer = this.#summer(dayOfYear);
    const spell = this.#spellOf(day);
    const mean =
      level * (1 - season * summer) * Math.exp(this.#levelOf(day)) * (0.82 + 0.18 * rest) * (1 + 1.1 * spell);
    const clear = (1 - spell) * Math.min(1, Math.max(0, 0.55 + 0.3 * this.#normal(CHANNEL.sky, day)));
    const valley = sun * clear * Math.max(0.08, 0.55 + 0.5 * summer) * (1.25 - 0.35 * rest);
    const width = 2.1 + 0.9 * summer;
    const spikes = spell * Math.max(0, this.#normal(CHANNEL.spike, day)) * 260;
    return Array.from({ length: QUARTER_HOURS_PER_DAY }, (_, i) => {
      const hour = (i + 0.5) / 4 + (summer > 0 ? 1 : 0);
      const evening = 19 + 0.8 * summer;
      const shape =
        peak * rest * (0.75 * bell(hour, 8, 1.5) + bell(hour, evening, 1.9)) -
        0.24 * (bell(hour, 3, 2.6) + bell(hour, 27, 2.6)) -
        1.45 * valley * bell(hour, 13.2, width);
      const ramp = 5 * this.#normal(CHANNEL.quarter, day * QUARTER_HOURS_PER_DAY + i);
      const price = mean * (1 + shape) + spikes * bell(hour, 18, 0.9) + ramp;
      return Math.round(100 * Math.min(900, Math.max(-250, price))) / 100;
    });
  }
}

/** What a market charges on the days from `firstDay` on (UTC days since 1970), known at noon of the day before. */
export function priceYear(
  name: MarketName,
  firstDay: number,
  days: number,
  constant?: ConstantDays,
): PriceBook {
  const market = PRICE_MARKETS[name];
  const year = new PriceYear(market);
  const numbers: number[] = [];
  for (let day = firstDay - 2; day < firstDay + days + 2; day++) {
    const midnight = day * DAY_MS - market.zone * HOUR_MS;
    const isConstant = constant !== undefined && day >= constant.from && day < constant.from + CONSTANT_DAYS;
    for (const [i, price] of year.day(day).entries()) {
      numbers.push(
        midnight + i * QUARTER_HOUR_MS,
        midnight - DAY_MS / 2,
        isConstant ? constant.price : price,
      );
    }
  }
  return createPriceBookOfRevisions(new PriceRevisionsBuilder().add(Float64Array.from(numbers)).build());
}
