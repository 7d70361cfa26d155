/** A house and its tank as the numbers of a quarter hour's step, and what is outdoors as the house feels it (docs/simulation.md#building). */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import type { HeatPump } from '../household/heat-pump.ts';
import { WH_PER_LITRE_K } from './hot-water.ts';
import { MILLI_WH_PER_W } from '../kernel/energy.ts';

const HOURS = 0.25;
/** Windows are opened when it is so much warmer than wanted, K, or than a boost or a plan may make it. */
const WINDOWS_OPEN_K = 2;
/** Heat of appliances, and of people on days on which somebody is at home: about 3 W/m2 in all. */
const GAINS_W_PER_M2 = 2.2;
const GAINS_W_PER_PERSON = 60;
/** Window area that lets the sun in, for each m2 of floor, on global irradiance. */
const APERTURE_PER_M2 = 0.045;
/** The coil of a tank takes so much heat at most, W (assumption: two square metres). */
const COIL_W = 10_000;
const W_PER_MILLI_WH = 4 / 1000;
/**
 * Parts of the loss (assumptions): windows and air pass it on at once, floors go by the ground, and walls and roofs feel the
 * mean of a day, later. A clear night of -8 C after a day of 4 C does not cost what a whole day of -8 C does.
 */
const AIR_SHARE = 0.5;
const GROUND_SHARE = 0.15;
const WALL_SHARE = 1 - AIR_SHARE - GROUND_SHARE;
/** Quarter hour at which walls feel the mean of the day: 8 h after noon. */
const WALLS_FEEL_TODAY = 80;

/** A house and tank as numbers of their quarter hour: x becomes rest + (x - rest) * keep. */
export interface ThermalHouse {
  readonly comfort: number;
  /** Temperature above which windows are opened when it is colder outside, mK. */
  readonly openAbove: number;
  readonly roomKeep: number;
  /** Warming of the room by heat, mK for each mWh. */
  readonly roomRise: number;
  /** Its inverse: the heat that warms the room by a mK, mWh; likewise of the tank. */
  readonly roomNeed: number;
  /** Warming of the room's rest temperature by global irradiance, mK for each W/m2, by appliances and by the people, mK. */
  readonly sunLift: number;
  readonly applianceLift: number;
  readonly peopleLift: number;
  readonly tankKeep: number;
  readonly tankRise: number;
  readonly tankNeed: number;
  /** Most heat that its coil takes in a quarter hour, mWh. */
  readonly coilHeat: number;
  /** Cooling of the tank by a litre drawn, mK for each K that it is warmed from the mains. */
  readonly litreFall: number;
  readonly tankTarget: number;
  /** Most heat of the heater in a quarter hour, mWh. */
  readonly backup: number;
}

/**
 * The numbers of a heat pump's house. Who asks for less than the `usualC` of the house lets it cool by itself; windows are opened
 * where sun and people have made it warmer than both, and than the `boostK` above comfort that a boost may bring.
 */
export function thermalHouseOf(
  { building, tank, backup_power_w: backupW }: HeatPump,
  { usualC = building.comfort_c, boostK = 0 } = {},
): ThermalHouse {
  const { heat_loss_w_per_k: loss, heat_capacity_wh_per_k: capacity } = building;
  const roomKeep = Math.exp((-HOURS * loss) / capacity);
  const roomRise = ((1 - roomKeep) / loss) * W_PER_MILLI_WH * 1000;
  const tankCapacity = tank.volume_l * WH_PER_LITRE_K;
  return {
    comfort: Math.round(building.comfort_c * 1000),
    openAbove: Math.round(1000 * (Math.max(building.comfort_c, usualC) + Math.max(WINDOWS_OPEN_K, boostK))),
    roomKeep,
    roomRise,
    roomNeed: 1 / roomRise,
    sunLift: ((APERTURE_PER_M2 * building.floor_area_m2) / loss) * 1000,
    applianceLift: ((GAINS_W_PER_M2 * building.floor_area_m2) / loss) * 1000,
    peopleLift: ((GAINS_W_PER_PERSON * building.persons) / loss) * 1000,
    tankKeep: Math.exp((-HOURS * tank.standing_loss_w) / 30 / tankCapacity),
    tankRise: 1 / tankCapacity,
    tankNeed: tankCapacity,
    coilHeat: COIL_W * MILLI_WH_PER_W,
    litreFall: (WH_PER_LITRE_K / tankCapacity) * 1000,
    tankTarget: tank.target_c * 1000,
    backup: backupW * MILLI_WH_PER_W,
  };
}

/** What a house feels beside the air of a day: mean temperatures of the day before, the day and the one after, and of the ground, C. */
export interface SlowTemperatures {
  readonly before: number;
  readonly today: number;
  readonly after: number;
  readonly soil: number;
}

/**
 * Writes the rest temperatures of a day: what is outdoors, warmed by what the sun and appliances give. `outdoorC` is the air's
 * temperature, `sun` what is felt of the sun in W/m2, by quarter hour; only the quarter hours `from` up to and without `to` are written.
 */
export function fillRoomRest(
  { sunLift, applianceLift }: ThermalHouse,
  outdoorC: Float64Array,
  { before, today, after, soil }: SlowTemperatures,
  sun: Float64Array,
  roomRest: Float64Array,
  { from, to }: { readonly from: number; readonly to: number },
): void {
  const air = 1000 * AIR_SHARE;
  const walls = 1000 * WALL_SHARE;
  const steady = 1000 * GROUND_SHARE * soil + applianceLift;
  const rise = (today - before) / QUARTER_HOURS_PER_DAY;
  const riseAfter = (after - today) / QUARTER_HOURS_PER_DAY;
  for (let i = from; i < to; i++) {
    const since = i + 0.5 - WALLS_FEEL_TODAY;
    const wallsC = today + since * (since < 0 ? rise : riseAfter);
    roomRest[i] = air * (outdoorC[i] ?? 0) + walls * wallsC + steady + sunLift * (sun[i] ?? 0);
  }
}
