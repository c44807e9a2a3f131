import { type Browser, chromium } from 'playwright-core';
import { rigVariable } from './rig-variable.js';

/** The machine's Chromium (found or installed by `browser-setup.js`), which never talks to anybody but the tests. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: rigVariable('CHROMIUM_PATH'),
    headless: true,
    args: [
      '--no-sandbox',
      '--headless',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}
