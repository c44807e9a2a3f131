import type { Browser } from 'playwright-core';
import { launch } from './chromium.js';

/** The whole Chromium, for what its shell does not have: notifications and push. */
export function openWholeBrowser(): Promise<Browser> {
  return launch('CHROMIUM_PATH');
}
