/** Energy that a car takes for a tour, by distance and outdoor temperature (docs/simulation.md#electric-vehicle). */

/** Tours of more km, there and back, are far: faster, and the cabin is warm for most of the way. */
const FAR_KM = 60;
export const isFar = (km: number): boolean => km > FAR_KM;

/** More energy for a km at the speed of far tours, mWh. */
const FAR_PER_KM = 12_000;

/** Energy for a tour at 20 °C, mWh: `perKm` is that of short ones. */
export const energyOf = (perKm: number, km: number, far: boolean): number =>
  km * (far ? perKm + FAR_PER_KM : perKm);

/** Factor on the energy at an outdoor temperature in °C: heating below 15, cooling above 24. */
export function weatherFactor(temperature: number, far: boolean): number {
  const heating = Math.max(0, 15 - temperature) * (far ? 0.01 : 0.018);
  return 1 + heating + Math.max(0, temperature - 24) * 0.01;
}

/** Mean speed of a drive of so many km one way, km/h: 20 in the street, towards 110 on motorways. */
export const speedOf = (km: number): number => 18 + (92 * km) / (km + 50);
