import { describe, expect, it } from '@jest/globals';
import { ENCRYPTED_COLUMNS } from '../../../src/operations/secret-key/encrypted-columns.js';
import { runCommand } from '../../support/command-line.js';

// security 113
describe('Command secret-key rotate', () => {
  it('processes every encrypted column', async () => {
    const { stdout } = await runCommand(['secret-key', 'rotate']);
    expect(ENCRYPTED_COLUMNS.length).toBeGreaterThan(1);
    for (const { table, column } of ENCRYPTED_COLUMNS)
      expect(stdout).toMatch(new RegExp(`^${table}\\.${column}: \\d+ re-encrypted$`, 'm'));
  });
});
