import { describe, expect, it } from '@jest/globals';
import { type Authority, NO_AUTHORITY } from '../../../../src/common/actor.js';
import { type AdmissionFacts, judgeAdmission } from '../../../../src/enrollment/admission/admission.rules.js';

const MEMBER: AdmissionFacts = {
  userIsActive: true,
  appIsOn: true,
  tenantIsOn: true,
  enrollment: { status: 'active' },
  emailMissing: false,
  isOutsider: false,
  console: null,
};

const ofConsole = (isPlatform: boolean, authority: Partial<Authority>): AdmissionFacts => ({
  ...MEMBER,
  enrollment: null,
  console: { isPlatform, tenantId: 'home', authority: { ...NO_AUTHORITY, ...authority } },
});

describe('Admission to an app', () => {
  it.each<[string, Partial<AdmissionFacts>, string]>([
    ['a member', {}, 'admitted'],
    ['a pending user', { enrollment: { status: 'pending' } }, 'pending'],
    ['a suspended user', { enrollment: { status: 'suspended' } }, 'suspended'],
    ['a stranger', { enrollment: null }, 'not_enrolled'],
    ['an account that is switched off', { userIsActive: false }, 'user_inactive'],
    ['a member of an app that is switched off', { appIsOn: false }, 'app_closed'],
    ['a member of an app whose tenant is switched off', { tenantIsOn: false }, 'app_closed'],
    ['a closed account at a closed app', { userIsActive: false, appIsOn: false }, 'user_inactive'],
    ['a suspended user at a closed app', { appIsOn: false, enrollment: { status: 'suspended' } }, 'app_closed'],
  ])('of %s', (_who, differs, admission) => expect(judgeAdmission({ ...MEMBER, ...differs })).toBe(admission));
});

describe('Admission to a Console app', () => {
  it.each<[string, boolean, Partial<Authority>, string]>([
    ['platform admins to the platform’s', true, { platform: true }, 'admitted'],
    ['platform admins to a tenant’s', false, { platform: true }, 'admitted'],
    ['tenant admins to the platform’s', true, { tenants: new Set(['other']) }, 'admitted'],
    ['tenant admins to their own', false, { tenants: new Set(['home']) }, 'admitted'],
    ['tenant admins to another tenant’s', false, { tenants: new Set(['other']) }, 'not_enrolled'],
    ['app admins to the platform’s', true, { appsAdministered: new Set(['a']) }, 'admitted'],
    ['app admins to a tenant’s', false, { appsAdministered: new Set(['a']) }, 'not_enrolled'],
    ['app managers to the platform’s', true, { appsManaged: new Set(['a']) }, 'admitted'],
    ['app managers to a tenant’s', false, { appsManaged: new Set(['a']) }, 'not_enrolled'],
    ['users without authority to the platform’s', true, {}, 'not_enrolled'],
    ['users without authority to a tenant’s', false, {}, 'not_enrolled'],
  ])('of %s', (_who, isPlatform, authority, admission) => {
    expect(judgeAdmission(ofConsole(isPlatform, authority))).toBe(admission);
  });

  it('is refused to a user who is suspended there, also to a platform admin', () => {
    const facts = { ...ofConsole(true, { platform: true }), enrollment: { status: 'suspended' as const } };
    expect(judgeAdmission(facts)).toBe('suspended');
  });

  it('ends with the account and with the app, for every role', () => {
    const admin = ofConsole(true, { platform: true });
    expect(judgeAdmission({ ...admin, userIsActive: false })).toBe('user_inactive');
    expect(judgeAdmission({ ...admin, appIsOn: false })).toBe('app_closed');
  });
});
