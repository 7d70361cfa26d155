/** Both temperatures of a house in one number, so that a remembered day start is no object. */

/** Temperatures in mK. */
export interface HouseState {
  readonly room: number;
  readonly tank: number;
}

const TANK_VALUES = 65_536;

/** A state as one number. */
export const packState = ({ room, tank }: HouseState): number => room * TANK_VALUES + tank;

/** The state that a number stands for. */
export const unpackState = (packed: number): HouseState => ({
  room: Math.floor(packed / TANK_VALUES),
  tank: packed % TANK_VALUES,
});
