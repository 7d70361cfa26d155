/** By what a device goes in a quarter hour. */
export const CONTROL_MODES = ['automatic', 'schedule', 'boost', 'interrupted'] as const;
/** automatic: its own habits; schedule: a plan; boost: somebody asked for one; interrupted: it cannot be steered. */
export type ControlMode = (typeof CONTROL_MODES)[number];

/** Indexes in CONTROL_MODES, in which rows keep them. */
export const CONTROL_MODE = {
  automatic: 0,
  schedule: 1,
  boost: 2,
  interrupted: 3,
} as const satisfies Readonly<Record<ControlMode, number>>;
