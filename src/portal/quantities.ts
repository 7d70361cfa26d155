import { formatCount } from './times.ts';

/** Watts as people read them: `640 W`, `3.2 kW`, `120 kW`, `4.1 MW`. */
export function formatPower(watts: number): string {
  const size = Math.abs(watts);
  if (size < 1_000) return `${Math.round(watts)} W`;
  if (size < 1_000_000) return `${shorten(watts / 1_000)} kW`;
  return `${shorten(watts / 1_000_000)} MW`;
}

/** Kilowatt-hours as people read them: `40 Wh`, `3.2 kWh`, `120 kWh`, `4.1 MWh`. */
export function formatEnergy(kilowattHours: number): string {
  const wattHours = Math.round(1_000 * kilowattHours);
  if (wattHours !== 0 && Math.abs(wattHours) < 100) return `${wattHours} Wh`;
  return Math.abs(kilowattHours) < 10_000
    ? `${shorten(kilowattHours)} kWh`
    : `${shorten(kilowattHours / 1_000)} MWh`;
}

/** A price as people read it: `84.12 EUR/MWh`. */
export function formatPrice(price: number): string {
  return `${price.toFixed(2)} EUR/MWh`;
}

const EUROS = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** An amount as people read it: `1,234.50 EUR`. */
export function formatEuros(euros: number): string {
  return `${EUROS.format(euros)} EUR`;
}

/** One decimal below a hundred, none above. */
function shorten(value: number): string {
  return Math.abs(value) < 99.95 ? value.toFixed(1) : formatCount(Math.round(value));
}
