import { describe, expect, it } from '@jest/globals';
import { SEALED_COLUMNS } from '../../../src/operations/secret-key/sealed-columns.js';
import { runCli } from '../../support/cli.js';

// security 113
describe('The command secret-key rotate', () => {
  it('goes through every sealed column', async () => {
    const { said } = await runCli(['secret-key', 'rotate']);
    expect(SEALED_COLUMNS.length).toBeGreaterThan(1);
    for (const { table, column } of SEALED_COLUMNS)
      expect(said).toMatch(new RegExp(`^${table}\\.${column}: \\d+ sealed again$`, 'm'));
  });
});
