// What clocks and borders of the world take, of whichever places partners ask.
import type { Bound } from '../../bench/abuse/bounds/bound.ts';
import { bound, replace, testsOf } from './define.ts';

const OFFSETS = 'src/domain/prices/zone-offsets.ts';
const LOCAL_DAY = 'src/simulation/time/local-day.ts';

const offsets = testsOf('tests/domain/prices/zone-offsets.test.ts');
const borders = testsOf('tests/simulation/environment/unpacked-borders.test.ts');

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
  bound(
    'countries that are unpacked for a place',
    [
      replace(
        'src/simulation/environment/geography.ts',
        'COUNTRY_CODES.filter((code) => isNearRing(code, latitude, longitude))',
        'COUNTRY_CODES.filter((code) => isNearRing(code, latitude, longitude) || code)',
      ),
    ],
    borders('few countries are unpacked', 'at sea'),
    borders('few countries are unpacked', 'in the last country'),
  ),
  bound(
    'countries that are looked for to list locations',
    [
      replace(
        'src/operations/fleets/lists.ts',
        'const ofFleet = fixedLocationOf(definition);',
        'const ofFleet = createHouseholdLocationLookup(definition, null, splitSeed(fleet.seed))(0);',
      ),
      replace(
        'src/operations/fleets/lists.ts',
        "import { fixedLocationOf } from '../../simulation/definition/household-location.ts';",
        "import { createHouseholdLocationLookup } from '../../simulation/definition/household-location.ts';\nimport { splitSeed } from '../../simulation/kernel/noise.ts';",
      ),
    ],
    testsOf('tests/operations/streamed-lists.test.ts')(
      'locations are listed without a look for their country',
    ),
  ),
];
