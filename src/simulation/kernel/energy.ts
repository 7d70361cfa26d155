/** Energies are whole mWh. */

/** Energy of a watt over a quarter hour, mWh. */
export const MILLI_WH_PER_W = 250;
