/** The ten household archetypes behind `profile` and `weights` (docs/simulation.md#weights-and-profiles). */

export interface Archetype {
  readonly name: string;
  readonly description: string;
  /** Share of households in the mix, in percent (assumption; one-person share 42 % of German households). */
  readonly sharePercent: number;
  /** Who lives there. */
  readonly persons: number;
  /** Mean consumption in kWh a year by household size (BDEW 2021). */
  readonly annualKwh: number;
  /** Extra weight of morning, midday and evening against the norm profile, before centring (assumption). */
  readonly bumps: readonly [morning: number, midday: number, evening: number];
}

/** In the order of `weights`; the configuration publishes it. */
export const ARCHETYPES: readonly Archetype[] = [
  {
    name: 'single_working',
    description: 'One adult, out on working days',
    sharePercent: 22,
    persons: 1,
    annualKwh: 1900,
    bumps: [0.1, -0.25, 0.15],
  },
  {
    name: 'single_retired',
    description: 'One adult, at home all day',
    sharePercent: 20,
    persons: 1,
    annualKwh: 1900,
    bumps: [0, 0.2, -0.15],
  },
  {
    name: 'couple_working',
    description: 'Two adults, both out on working days',
    sharePercent: 16,
    persons: 2,
    annualKwh: 2890,
    bumps: [0.1, -0.2, 0.15],
  },
  {
    name: 'couple_retired',
    description: 'Two adults, at home all day',
    sharePercent: 14,
    persons: 2,
    annualKwh: 2890,
    bumps: [0, 0.25, -0.15],
  },
  {
    name: 'family_one_child',
    description: 'Two adults and one child',
    sharePercent: 8,
    persons: 3,
    annualKwh: 3720,
    bumps: [0.05, 0, 0.05],
  },
  {
    name: 'family_two_children',
    description: 'Two adults and two children',
    sharePercent: 9,
    persons: 4,
    annualKwh: 4085,
    bumps: [0.1, 0.05, 0.05],
  },
  {
    name: 'large_family',
    description: 'Two adults and three or more children',
    sharePercent: 3,
    persons: 5,
    annualKwh: 5430,
    bumps: [0.1, 0.1, 0],
  },
  {
    name: 'home_office',
    description: 'Two adults, one or both working at home',
    sharePercent: 4,
    persons: 2,
    annualKwh: 2890,
    bumps: [-0.1, 0.25, -0.1],
  },
  {
    name: 'shift_worker',
    description: 'Three people, one of them working in shifts',
    sharePercent: 2,
    persons: 3,
    annualKwh: 3720,
    bumps: [-0.2, 0.1, -0.15],
  },
  {
    name: 'shared_flat',
    description: 'Four or more adults sharing a flat',
    sharePercent: 2,
    persons: 4,
    annualKwh: 4085,
    bumps: [-0.2, 0, 0.2],
  },
];

/** The archetype of a name; undefined for one that there is not. */
export const findArchetype = (profile: string): Archetype | undefined =>
  ARCHETYPES.find(({ name }) => name === profile);
