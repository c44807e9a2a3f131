import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readEnvironment } from '../../../src/config/env.js';
import type { Settings } from '../../../src/config/settings.js';
import { DataDirInUse } from '../../../src/embedded/data-dir-in-use.js';
import { startEmbeddedMode } from '../../../src/embedded/embedded-mode.js';
import { makeDataFolder } from '../../support/servers/memory-folder.js';

describe('Embedded mode', () => {
  let dataDir: string;
  let settings: Settings;
  const silent = (): void => undefined;

  beforeEach(() => {
    dataDir = makeDataFolder('embedded-mode-');
    settings = readEnvironment({ DATA_DIR: dataDir });
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));

  it('provides a database, a secret key and stand-in providers, and keeps the key after a restart', async () => {
    const first = await startEmbeddedMode(settings, silent);
    expect(first.settings).toEqual({
      ...settings,
      databaseUrl: expect.stringMatching(/^postgres:\/\/postgres:.+@127\.0\.0\.1:\d+\/postgres$/),
      secretKey: expect.any(Buffer),
      providers: Object.fromEntries(
        ['google', 'microsoft', 'github', 'apple'].map((name) => [
          name,
          expect.objectContaining({ authorizationUrl: expect.stringContaining(`/dev/provider/${name}`) }),
        ]),
      ),
    });
    expect(Object.isFrozen(first.settings)).toBe(true);
    await first.stop();
    await first.stop();
    const second = await startEmbeddedMode(settings, silent);
    expect(second.settings.secretKey).toEqual(first.settings.secretKey);
    await second.stop();
  });

  it('uses SECRET_KEY from the environment and writes no key file', async () => {
    const key = Buffer.alloc(32, 7);
    const mode = await startEmbeddedMode({ ...settings, secretKey: key }, silent);
    expect(mode.settings.secretKey).toBe(key);
    expect(readdirSync(dataDir)).not.toContain('secret.key');
    await mode.stop();
  });

  it('refuses a second start in the same data folder without affecting the first', async () => {
    const mode = await startEmbeddedMode(settings, silent);
    await expect(startEmbeddedMode(settings, silent)).rejects.toThrow(new DataDirInUse(dataDir, process.pid));
    await mode.stop();
    await (await startEmbeddedMode(settings, silent)).stop();
  });

  it('releases the data folder if it cannot start', async () => {
    await (await startEmbeddedMode(settings, silent)).stop();
    rmSync(join(dataDir, 'secret.key'));
    await expect(startEmbeddedMode(settings, silent)).rejects.toThrow(/secret\.key is missing/);
    expect(readdirSync(join(dataDir, 'lock'))).toEqual([]);
  });
});
