import globalSetup from './global-setup.js';
import { ifThere } from './servers/missing-programs.js';
import { findProgram } from './servers/program.js';

/** As for the others, and a Chromium, which only this project needs. */
export default async function browserSetup() {
  await globalSetup();
  const path = await ifThere('Chromium', () => findProgram('Chromium'));
  if (path) process.env.CHROMIUM_PATH = path;
}
