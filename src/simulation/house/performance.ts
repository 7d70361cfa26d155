/** Heat and efficiency of a heat pump by outdoor temperature (docs/simulation.md#heat-pump). */
import { OUTPUT_PER_K } from '../household/heat-pump.ts';
import type { HeatPump } from '../household/heat-pump.ts';
import { allocateFloat64Array } from '../kernel/typed-arrays.ts';
import { MILLI_WH_PER_W } from '../kernel/energy.ts';

/** Lift in K below which a heat pump gets no better, and the largest for which the fits below hold. */
const LEAST_LIFT_K = 15;
const LARGEST_LIFT_K = 90;
/** Fits of When2Heat (Ruhnau et al. 2019) to data sheets: c0 + c1 lift + c2 lift². */
const AIR_FIT = [6.0801, -0.0941, 0.0005] as const;
const GROUND_FIT = [10.288, -0.2084, 0.0012] as const;
/** Ground-source units fall further behind their data sheets than those of today's air source (When2Heat: .85). */
const GROUND_FACTOR = 0.9;

/** Ice on the evaporator costs a tenth between -3 and 5 C, and fades over 2 K on either side. */
const DEFROST_LOSS = 0.1;
const DEFROST_FROM_C = -3;
const DEFROST_TO_C = 5;
const DEFROST_FADE_K = 2;

/** Outdoors no heat is needed any more above this, and the flow is at its lowest, C. */
const NEUTRAL_C = 16;
const LOWEST_FLOW_C = 28;
/** The tank needs a flow that much warmer than itself, K. */
const TANK_LIFT_K = 5;
/** Warmer air brings no more heat, and cold air never less than this part of the output at 7 C. */
const WARMEST_OUTPUT_C = 12;
const LEAST_OUTPUT_FRACTION = 0.3;
/** What cycling costs when hardly any heat is asked for. */
const CYCLING_LOSS = 0.08;
/** The brine is colder than the ground by so much, K. */
const BRINE_DROP_K = 5;

/** Part of the heat that is left while ice forms on the evaporator. */
function defrostFactor(outdoorC: number): number {
  const rising = (outdoorC - DEFROST_FROM_C) / DEFROST_FADE_K + 1;
  const falling = (DEFROST_TO_C - outdoorC) / DEFROST_FADE_K + 1;
  return 1 - DEFROST_LOSS * Math.min(1, Math.max(0, Math.min(rising, falling)));
}

/** Most heat of an air source over that at 7 C. */
function outputFraction(outdoorC: number): number {
  const warmth = Math.min(WARMEST_OUTPUT_C, outdoorC);
  return Math.max(LEAST_OUTPUT_FRACTION, (1 + OUTPUT_PER_K * (warmth - 7)) * defrostFactor(outdoorC));
}

/** Both by outdoor temperature in steps that nobody notices, since every quarter hour asks. */
const COLDEST_C = -64;
const STEPS_PER_K = 16;
const STEPS = 128 * STEPS_PER_K;
const temperatureOf = (step: number): number => COLDEST_C + step / STEPS_PER_K;
const DEFROST = Float64Array.from({ length: STEPS }, (_, step) => defrostFactor(temperatureOf(step)));
const OUTPUT = Float64Array.from({ length: STEPS }, (_, step) => outputFraction(temperatureOf(step)));
function stepOf(outdoorC: number): number {
  const step = Math.floor((outdoorC - COLDEST_C) * STEPS_PER_K + 0.5);
  return step < 0 ? 0 : step < STEPS ? step : STEPS - 1;
}

/** What cycling leaves of the coefficient of performance at `load`, the heat over the least one without cycling. */
export const cyclingFactor = (load: number): number => (load < 1 ? 1 - CYCLING_LOSS * (1 - load) : 1);

/** The rooms' share in what a heat pump does, by quarter hours; heats and electricity in mWh. */
export interface RoomShare {
  readonly outdoorC: Float64Array;
  /** Temperature of the ground a metre down. */
  readonly soilC: Float64Array;
  readonly mostHeat: Float64Array;
  readonly roomHeat: Float64Array;
  readonly tankHeat: Float64Array;
  /** Written: electricity for the rooms. */
  readonly electric: Float64Array;
  /** Written: the least heat that the compressor gives without cycling. */
  readonly least: Float64Array;
}

/** The share of quarter hours whose weather and heats are given. */
export function createRoomShare(
  { outdoorC, soilC, mostHeat }: Pick<RoomShare, 'outdoorC' | 'soilC' | 'mostHeat'>,
  { roomHeat, tankHeat }: Pick<RoomShare, 'roomHeat' | 'tankHeat'>,
): RoomShare {
  const quarters = outdoorC.length;
  return {
    outdoorC,
    soilC,
    mostHeat,
    roomHeat,
    tankHeat,
    electric: allocateFloat64Array(quarters),
    least: allocateFloat64Array(quarters),
  };
}

/** A heat pump as a function of the temperature outdoors and, with a ground source, in the ground. */
export class HeatPumpPerformance {
  readonly #isAir: boolean;
  readonly #c0: number;
  readonly #c1: number;
  readonly #c2: number;
  /** Most heat of a quarter hour at 7 C outdoors, mWh. */
  readonly #output: number;
  readonly #minFraction: number;
  /** Flow temperature at 0 C outdoors if the line went on, and its slope. */
  readonly #flowAtZeroC: number;
  readonly #flowSlope: number;
  readonly #tankFlowC: number;

  constructor(pump: HeatPump) {
    this.#isAir = pump.source === 'air';
    const [c0, c1, c2] = this.#isAir ? AIR_FIT : GROUND_FIT;
    const factor = pump.efficiency * (this.#isAir ? 1 : GROUND_FACTOR);
    this.#c0 = c0 * factor;
    this.#c1 = c1 * factor;
    this.#c2 = c2 * factor;
    this.#output = pump.heat_output_w * MILLI_WH_PER_W;
    this.#minFraction = pump.min_output_fraction;
    const range = Math.max(1, NEUTRAL_C - pump.design_temperature_c);
    this.#flowSlope = -(pump.design_flow_c - LOWEST_FLOW_C) / range;
    this.#flowAtZeroC = LOWEST_FLOW_C - this.#flowSlope * NEUTRAL_C;
    this.#tankFlowC = pump.tank.target_c + TANK_LIFT_K;
  }

  /** Writes the most heat that the compressor gives in the quarter hours `from` up to and without `to`, mWh. */
  fillMostHeat(outdoorC: Float64Array, mostHeat: Float64Array, from: number, to: number): void {
    const output = this.#output;
    if (!this.#isAir) {
      mostHeat.fill(output, from, to);
      return;
    }
    for (let i = from; i < to; i++) mostHeat[i] = output * (OUTPUT[stepOf(outdoorC[i] ?? 0)] ?? 0);
  }

  /** Heat over electricity at a flow temperature without cycling. */
  #cop(flowC: number, outdoorC: number, soilC: number): number {
    const difference = flowC - (this.#isAir ? outdoorC : soilC - BRINE_DROP_K);
    const lift =
      difference < LEAST_LIFT_K ? LEAST_LIFT_K : difference > LARGEST_LIFT_K ? LARGEST_LIFT_K : difference;
    const cop = this.#c0 + lift * (this.#c1 + lift * this.#c2);
    return this.#isAir ? cop * (DEFROST[stepOf(outdoorC)] ?? 1) : cop;
  }

  /** Heat over electricity while the rooms are heated at `load`, the heat over the least one without cycling. */
  roomCop(outdoorC: number, soilC: number, load: number): number {
    const line = this.#flowAtZeroC + this.#flowSlope * outdoorC;
    const cop = this.#cop(line > LOWEST_FLOW_C ? line : LOWEST_FLOW_C, outdoorC, soilC);
    return cop * cyclingFactor(load);
  }

  /** Heat over electricity while the tank is heated. */
  tankCop(outdoorC: number, soilC: number): number {
    return this.#cop(this.#tankFlowC, outdoorC, soilC);
  }

  /** The least heat that the compressor gives without cycling, where it gives at most `most`. */
  leastHeat(most: number): number {
    return this.#minFraction * most;
  }

  /** Electricity in mWh for `heat` mWh of the rooms, of at most `most` in this quarter hour. */
  roomElectricity(outdoorC: number, soilC: number, heat: number, most: number): number {
    return heat / this.roomCop(outdoorC, soilC, heat / this.leastHeat(most));
  }

  /**
   * Writes the electricity that the rooms' heat takes in the quarter hours `from` up to and without `to`, and the least heat that
   * the compressor gives without cycling.
   */
  fillRoomShare(share: RoomShare, from: number, to: number): void {
    const { outdoorC, soilC, mostHeat, roomHeat, electric, least } = share;
    for (let i = from; i < to; i++) {
      const heat = roomHeat[i] ?? 0;
      const most = mostHeat[i] ?? 0;
      least[i] = this.leastHeat(most);
      electric[i] = heat === 0 ? 0 : this.roomElectricity(outdoorC[i] ?? 0, soilC[i] ?? 0, heat, most);
    }
  }
}
