import { describe, expect, it } from '@jest/globals';
import { newInviteCode, readInviteCode } from '../../../../src/invites/invite/invite-code.js';
import { SystemRandomness } from '../../../../src/common/system-randomness.js';

describe('Invite code', () => {
  it('has 13 characters, 65 bits, and is parsed unchanged', () => {
    const codes = Array.from({ length: 500 }, () => newInviteCode(new SystemRandomness()));
    for (const code of codes) expect([code.length, readInviteCode(code)]).toEqual([13, code]);
    expect(new Set(codes).size).toBe(500);
  });
});
