import { appBrand } from '../apps/app-brand.js';
import type { KnownApp } from '../apps/app-directory.js';
import type { Brand } from '../common/pages/brand.js';

/** How an app looks on pages and in mails. */
export function brandOf(known: KnownApp): Brand {
  return appBrand(known);
}
