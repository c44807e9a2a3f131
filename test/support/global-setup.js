import { printAtExit } from './closing-line-reporter.js';
import { ifThere } from './servers/missing-programs.js';
import { findProgram } from './servers/program.js';
import { TestServers } from './servers/test-servers.js';

/** Servers for the projects db, e2e and browser: jest asks once per project file, they are started once. */
export default async function globalSetup() {
  try {
    await TestServers.shared();
    await ifThere('curl', () => findProgram('curl'));
  } catch (error) {
    printAtExit('0 passed, 1 failed');
    throw error;
  }
}
