/** Colours and dashes of charts: what tells series apart, to those who see no colours too. */

/** Grey and series colours with a contrast of at least 3 to 1 on white and on black. */
export const TEXT_COLOUR = '#767676';
const SERIES_COLOURS = ['#4285c9', '#d9722e', '#3a9a64', '#a266bd', '#a87f0a', '#cf4a6b'];
/** Dashes of the series, so that a legend is not read by colour alone. */
const DASHES = ['none', '9 3', '2 2', '10 3 2 3', '5 2', '12 2 2 2 2 2'];
/** Of lines that stand behind others of the same colour. */
export const BEHIND_DASHES = '5 4';

export const colourOf = (index: number): string => SERIES_COLOURS[index % SERIES_COLOURS.length] ?? '';

export const dashesOf = (index: number): string => DASHES[index % DASHES.length] ?? '';
/** Every other series of bars is hollow. */
export const barStyle = (index: number) =>
  index % 2 === 0
    ? { fill: colourOf(index), stroke: colourOf(index) }
    : { fill: 'none', stroke: colourOf(index), strokeWidth: 1.6 };
