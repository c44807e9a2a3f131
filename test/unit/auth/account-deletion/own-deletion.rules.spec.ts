import { describe, expect, it } from '@jest/globals';
import {
  judgeOwnDeletion,
  type OwnDeletionFacts,
  type OwnDeletionVerdict,
} from '../../../../src/auth/account-deletion/own-deletion.rules.js';

const MEMBER: OwnDeletionFacts = { isOperator: false, isSuspended: false, isLastAppAdmin: false, refusing: 0 };

describe('Whether users may delete their own account', () => {
  it.each<[string, Partial<OwnDeletionFacts>, OwnDeletionVerdict]>([
    ['a member of tenants that allow it', {}, 'ok'],
    ['a member of one tenant that does not', { refusing: 1 }, 'not_allowed'],
    ['a suspended member', { isSuspended: true }, 'suspended'],
    ['the last admin of an app', { isLastAppAdmin: true }, 'last_admin'],
    ['an operator', { isOperator: true }, 'operator'],
    ['an operator whose tenants do not allow it', { isOperator: true, refusing: 2 }, 'operator'],
    ['a suspended member of a tenant that does not allow it', { isSuspended: true, refusing: 1 }, 'not_allowed'],
  ])('%s: %p', (_who, facts, verdict) => {
    expect(judgeOwnDeletion({ ...MEMBER, ...facts })).toBe(verdict);
  });
});
