import { type Browser, chromium } from 'playwright-core';
import { rigVariable } from './rig-variable.js';

/** What every start needs: no sandbox for root, and no request to anything but the tests. */
const ARGUMENTS = [
  '--no-sandbox',
  '--headless',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The machine's Chromium without its user interface (found or installed by `browser-setup.js`). */
export function openBrowser(): Promise<Browser> {
  return launch('CHROMIUM_SHELL_PATH');
}

export function launch(variable: 'CHROMIUM_SHELL_PATH' | 'CHROMIUM_PATH'): Promise<Browser> {
  return chromium.launch({ executablePath: rigVariable(variable), headless: true, args: ARGUMENTS });
}
