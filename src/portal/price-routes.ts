import type { PageHandler } from './context.ts';
import { sendPriceCsv } from './price-file.ts';
import { showPrices } from './price-page.ts';
import {
  changePricesInForm,
  checkPricesFromForm,
  showPriceUpload,
  storePricesFromForm,
} from './price-upload.ts';

/** The pages about prices, by their paths. */
export function addPricePages(page: (path: string, get: PageHandler, post?: PageHandler) => void): void {
  page('/portal/prices', showPrices);
  page('/portal/prices/prices.csv', sendPriceCsv);
  page('/portal/prices/upload', showPriceUpload, checkPricesFromForm);
  page('/portal/prices/upload/change', showPriceUpload, changePricesInForm);
  page('/portal/prices/upload/store', showPriceUpload, storePricesFromForm);
}
