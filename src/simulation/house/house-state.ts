/** Both temperatures of a house in one number, so that a remembered day start is no object. */
const TANK_VALUES = 65_536;
/** The state of temperatures in mK, and back. */
export const packState = (room: number, tank: number): number => room * TANK_VALUES + tank;
export const roomOf = (state: number): number => Math.floor(state / TANK_VALUES);
export const tankOf = (state: number): number => state % TANK_VALUES;
