// What a process remembers of partners' households, and what others pay for it.
import type { Bound } from '../../bench/abuse/bounds/bound.ts';
import { bound, replace, testsOf } from './define.ts';

const BYTE_CACHE = 'src/simulation/kernel/byte-cache.ts';
const ENTRIES = 'src/simulation/kernel/partner-entries.ts';

const byteCache = testsOf('tests/simulation/kernel/byte-cache.test.ts');

export const boundsOfCaches: readonly Bound[] = [
  bound(
    'households that are remembered by use',
    [replace(ENTRIES, '    this.#order.renew(entry.inAll);\n', '')],
    byteCache('of all partners together the one that was asked for longest ago goes'),
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
