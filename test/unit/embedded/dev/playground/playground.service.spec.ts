import { expect, it } from '@jest/globals';
import type { Settings } from '../../../../../src/config/settings.js';
import type { DemoData } from '../../../../../src/embedded/dev/playground/demo-data.js';
import { PlaygroundService } from '../../../../../src/embedded/dev/playground/playground.service.js';
import { FakeClock } from '../../../../support/fake-clock.js';
import { freePort } from '../../../../support/free-port.js';

it('The playground calls a service that listens on all IPv6 addresses at the loopback address', async () => {
  const settings = { host: '::', port: await freePort() } as Settings;
  const playground = new PlaygroundService({} as DemoData, new FakeClock(), settings);
  // Without a service at the port, the connection is refused.
  const cause = { syscall: 'connect', address: '::1', port: settings.port };
  await expect(playground.userinfo('token')).rejects.toMatchObject({ cause });
});
