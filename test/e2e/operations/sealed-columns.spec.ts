import { describe, expect, it } from '@jest/globals';
import { ENCRYPTED_COLUMNS } from '../../../src/operations/secret-key/encrypted-columns.js';
import { runCli } from '../../support/cli.js';

// security 113
describe('Command secret-key rotate', () => {
  it('processes every encrypted column', async () => {
    const { said } = await runCli(['secret-key', 'rotate']);
    expect(ENCRYPTED_COLUMNS.length).toBeGreaterThan(1);
    for (const { table, column } of ENCRYPTED_COLUMNS)
      expect(said).toMatch(new RegExp(`^${table}\\.${column}: \\d+ re-encrypted$`, 'm'));
  });
});
