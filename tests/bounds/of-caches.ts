// What a process remembers of partners' households, and what others pay for it.
import type { Bound } from '../../bench/abuse/bounds/bound.ts';
import { bound, replace, testsOf } from './define.ts';

const BYTE_CACHE = 'src/domain/caches/byte-cache.ts';
const ENTRIES = 'src/domain/caches/partner-entries.ts';
const BYTES = 'src/households/control-bytes.ts';

const byteCache = testsOf('tests/domain/caches/byte-cache.test.ts');
const sharedCache = testsOf('tests/domain/caches/shared-cache.test.ts');
const households = testsOf('tests/households/stored-households.test.ts');
const bytes = testsOf('tests/households/control-bytes.test.ts');

export const boundsOfCaches: readonly Bound[] = [
  bound(
    'households that are remembered',
    [
      replace(
        'src/households/stored-households.ts',
        'const REMEMBERED_BYTES = 64 * 1_048_576;',
        'const REMEMBERED_BYTES = 65_536 * 1_048_576;',
      ),
    ],
    households('of all partners 64 MB of households are remembered'),
  ),
  bound(
    'what is counted of households that are remembered',
    [
      replace(
        'src/households/stored-households.ts',
        'bytesOfModel(household, steering));',
        'bytesOfModel(household, UNSTEERED));',
      ),
    ],
    households('of households with heat pumps that follow prices fewer are remembered'),
  ),
  bound(
    'models of a household that are remembered',
    [
      replace(
        'src/households/stored-households.ts',
        'const models = new WeakMap([[steering, modelled]]);',
        'const models = cached.models.set(steering, modelled);',
      ),
    ],
    households('of a household the model under what steers it now is remembered'),
  ),
  bound(
    'sizes of what partners share',
    [replace('src/domain/caches/shared-cache.ts', 'while (entries.size >', 'if (entries.size >')],
    sharedCache('by sizes as many go as are needed'),
  ),
  bound(
    'households of one partner that are remembered',
    [
      replace(
        'src/domain/caches/shared-cache.ts',
        'if (entries.sizeOf(partnerId) > part) entries',
        'if (part === Infinity) entries',
      ),
    ],
    households('who pages through a large fleet keeps the households of another partner'),
    sharedCache('a partner that asks for ever more loses its own'),
  ),
  bound(
    'households that are remembered by use',
    [replace(ENTRIES, '    this.#order.renew(entry.inAll);\n', '')],
    byteCache('of all partners together the one that was asked for longest ago goes'),
  ),
  bound(
    'households of a partner that are remembered by use',
    [replace(ENTRIES, '    this.#parts.get(entry.partnerId)?.order.renew(entry.inPart);\n', '')],
    sharedCache('what was not asked for longest goes first'),
  ),
  bound(
    'entries of others that a partner looks at for its own',
    [
      replace(
        ENTRIES,
        "this.remove(this.#parts.get(partnerId)?.order.oldest ?? '');",
        "this.remove([...this.#entries].find(([, its]) => its.partnerId === partnerId)?.[0] ?? '');",
      ),
    ],
    byteCache('an entry costs no more than a few steps beside ten thousand older ones'),
  ),
  bound(
    'bytes of a partner in a cache',
    [
      replace(
        BYTE_CACHE,
        'while (entries.sizeOf(partnerId) > maxBytesOfPartner)',
        'while (entries.sizeOf(partnerId) > Infinity)',
      ),
    ],
    byteCache('a partner takes the place of its own entries'),
  ),
  bound(
    'bytes of a cache',
    [replace(BYTE_CACHE, 'while (entries.size > maxBytes)', 'while (entries.size > Infinity)')],
    byteCache('of all partners together the one that was asked for longest ago goes'),
  ),
  bound(
    'what is counted of interruptions',
    [replace(BYTES, 'sum + BYTES_OF_PACKED + byteLength,', 'sum + 0 * byteLength,')],
    bytes('as they are read and as another thread sends them', 'interruptions,'),
  ),
  bound(
    'what is counted of preferences, boosts and times without steering',
    [replace(BYTES, 'const BYTES_OF_REVISION = 96;', 'const BYTES_OF_REVISION = 8;')],
    bytes('as they are read and as another thread sends them', 'boosts'),
  ),
  bound(
    'controls of a partner that are remembered',
    [
      replace(
        'src/households/household-controls.ts',
        'maxBytesOfPartner: 16 * 1_048_576,',
        'maxBytesOfPartner: 1_024 * 1_048_576,',
      ),
    ],
    testsOf('tests/households/household-controls.test.ts')('of a partner 16 MB are kept'),
  ),
];
