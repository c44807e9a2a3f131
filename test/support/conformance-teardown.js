import { once } from 'node:events';
import globalTeardown from './global-teardown.js';

export default async function conformanceTeardown() {
  const child = globalThis.conformanceService;
  globalThis.conformanceService = undefined;
  if (child && child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  await globalTeardown();
}
