import { type Browser, chromium } from 'playwright-core';
import { environmentVariable } from './environment-variable.js';

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

/** Of one action on a page: slow is not wrong, only stuck is. */
const PATIENCE_MS = 90_000;

/** The machine's Chromium without its user interface (found or installed by `browser-setup.js`). */
export function openBrowser(): Promise<Browser> {
  return launch('CHROMIUM_SHELL_PATH');
}

export async function launch(variable: 'CHROMIUM_SHELL_PATH' | 'CHROMIUM_PATH'): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: environmentVariable(variable),
    headless: true,
    args: ARGUMENTS,
  });
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    const context = await newContext(options);
    context.setDefaultTimeout(PATIENCE_MS);
    return context;
  };
  return browser;
}
