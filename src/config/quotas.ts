import { DEFAULT_QUOTAS, QUOTA_NAMES, QUOTA_RULE, UNLIMITED, parseQuota } from '../domain/api/quotas.ts';
import type { QuotaName, Quotas } from '../domain/api/quotas.ts';
import { optionalTextField } from './fields.ts';
import { readNamedValues } from './named-values.ts';
import type { NamedValues } from './named-values.ts';

const QUOTA_VALUES: NamedValues<QuotaName, number> = {
  names: QUOTA_NAMES,
  words: 'off, or name=number with the names',
  rule: QUOTA_RULE,
  parse: parseQuota,
};

/** `QUOTAS`: `off`, or `name=number,…` on top of the defaults. What was set for one partner holds in any case. */
export const quotasField = optionalTextField.transform((text, context): Quotas => {
  if (text === 'off') {
    const off: Record<QuotaName, number> = { ...DEFAULT_QUOTAS };
    for (const name of QUOTA_NAMES) off[name] = UNLIMITED;
    return off;
  }
  return { ...DEFAULT_QUOTAS, ...Object.fromEntries(readNamedValues(text, QUOTA_VALUES, context)) };
});
