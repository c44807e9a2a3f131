import { printAtExit } from './closing-line-reporter.js';
import globalSetup from './global-setup.js';
import { findProgram } from './servers/program.js';

/** As for the others, and a Chromium, which only this project needs. */
export default async function browserSetup() {
  await globalSetup();
  try {
    process.env.CHROMIUM_PATH = findProgram({
      what: 'Chromium',
      variable: 'CHROMIUM_PATH',
      names: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
      aptPackage: 'chromium',
    });
  } catch (error) {
    printAtExit('0 passed, 1 failed');
    throw error;
  }
}
