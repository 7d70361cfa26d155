// What clocks of the world take, of whichever places partners ask.
import type { Bound } from '../../bench/abuse/bounds/bound.ts';
import { bound, replace, testsOf } from './define.ts';

const OFFSETS = 'src/domain/prices/zone-offsets.ts';
const LOCAL_DAY = 'src/simulation/time/local-day.ts';

const offsets = testsOf('tests/domain/prices/zone-offsets.test.ts');

export const boundsOfZones: readonly Bound[] = [
  bound(
    'formats of a time zone',
    [replace(OFFSETS, ' formats.set(name, format);', ' formats.delete(name);')],
    offsets('a format is made once for each zone'),
  ),
  bound(
    'formats of a time zone that is written in many ways',
    [replace(OFFSETS, 'const name = timeZone.toLowerCase();', 'const name = timeZone;')],
    offsets('a format is made once for each zone'),
  ),
  bound(
    'years of a zone that are remembered',
    [replace('src/simulation/time/zone.ts', 'const CACHED_YEARS = 16;', 'const CACHED_YEARS = 65_536;')],
    testsOf('tests/simulation/time/zone.test.ts')('sixteen years of a zone are kept'),
  ),
  bound(
    'segments of days',
    [
      replace(LOCAL_DAY, 'let span = NO_SPAN;', 'let span = NO_SPAN;\n  const kept: unknown[] = [];'),
      replace(LOCAL_DAY, 'return hasOneOffset\n', 'return (kept[kept.length] = hasOneOffset\n'),
      replace(LOCAL_DAY, ': splitChangingDay(zone, first);', ': splitChangingDay(zone, first));'),
    ],
    testsOf('tests/simulation/time/local-day.test.ts')('of the segments of days nothing is kept'),
  ),
];
