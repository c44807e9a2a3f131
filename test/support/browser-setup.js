import globalSetup from './global-setup.js';
import { ifThere } from './servers/missing-programs.js';
import { findProgram } from './servers/program.js';

const NEEDED = [
  ['Chromium headless shell', 'CHROMIUM_SHELL_PATH'],
  ['Chromium', 'CHROMIUM_PATH'],
  ['Apache with mod_auth_openidc', 'APACHE_PATH'],
];

/** As for the others, and a Chromium and an Apache, which only this project needs. */
export default async function browserSetup() {
  await globalSetup();
  for (const [name, variable] of NEEDED) {
    const path = await ifThere(name, () => findProgram(name));
    if (path) process.env[variable] = path;
  }
}
