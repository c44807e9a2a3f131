import { TestServers } from './servers/test-servers.js';

export default async function globalTeardown() {
  await TestServers.stopShared();
}
