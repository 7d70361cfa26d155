import { DEFAULT_QUOTAS, QUOTA_NAMES, UNLIMITED } from '../domain/api/quotas.ts';
import type { QuotaName, Quotas } from '../domain/api/quotas.ts';
import { optionalTextField, splitList } from './fields.ts';

const QUOTA_PATTERN = /^([a-z_]+)=(\d{1,12})$/;

/** `QUOTAS`: `off`, or `name=number,…` on top of the defaults. What was set for one partner holds in any case. */
export const quotasField = optionalTextField.transform((text, context): Quotas => {
  const quotas: Record<QuotaName, number> = { ...DEFAULT_QUOTAS };
  if (text === 'off') {
    for (const name of QUOTA_NAMES) quotas[name] = UNLIMITED;
    return quotas;
  }
  for (const item of splitList(text)) {
    const [, given, number] = QUOTA_PATTERN.exec(item) ?? [];
    const name = QUOTA_NAMES.find((each) => each === given);
    if (name === undefined) {
      const message = `must be off, or name=number with the names ${QUOTA_NAMES.join(', ')}`;
      context.addIssue({ code: 'custom', message, params: { shown: item } });
    } else {
      quotas[name] = Number(number);
    }
  }
  return quotas;
});
