// What a process remembers of partners' households, and what others pay for it.
import type { Bound } from '../../bench/abuse/bounds/bound.ts';
import { bound, replace, testsOf } from './define.ts';

const BYTE_CACHE = 'src/simulation/kernel/byte-cache.ts';
const ENTRIES = 'src/simulation/kernel/partner-entries.ts';

const byteCache = testsOf('tests/simulation/kernel/byte-cache.test.ts');
const sharedCache = testsOf('tests/simulation/kernel/shared-cache.test.ts');
const households = testsOf('tests/households/stored-households.test.ts');

export const boundsOfCaches: readonly Bound[] = [
  bound(
    'households that are remembered',
    [
      replace(
        'src/households/stored-households.ts',
        'new SharedCache<CachedHousehold>(1000)',
        'new SharedCache<CachedHousehold>(4_194_304)',
      ),
    ],
    households('of all partners a thousand households are remembered'),
  ),
  bound(
    'households of one partner that are remembered',
    [
      replace(
        'src/simulation/kernel/shared-cache.ts',
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
];
