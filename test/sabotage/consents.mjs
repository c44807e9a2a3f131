/** What users allow apps that are not their tenant's own (docs/decisions/0076). */
const SPEC = 'test/e2e/sign-in/consent.spec.ts';

export default [
  {
    item: 'consent',
    control: 'no code of an app that asks for consent is exchanged without one',
    file: 'src/tokens/grants/consents.service.ts',
    out: 'if (!consent) return null;',
    into: 'if (!consent) return asked;',
    tests: [SPEC],
  },
  {
    item: 'consent',
    control: 'tokens have the scopes that the user has allowed',
    file: 'src/tokens/grants/consents.service.ts',
    out: 'consentedScope(asked.scope, consent.scopes)',
    into: 'consentedScope(asked.scope, consent.asked)',
    tests: [SPEC],
  },
  {
    item: 'consent',
    control: 'single claims pass no consent',
    file: 'src/tokens/grants/consents.service.ts',
    out: 'claims: consentedClaims(asked.claims)',
    into: 'claims: consentedClaims(asked.claims) ?? asked.claims',
    tests: [SPEC],
  },
  {
    item: 'consent',
    control: 'access tokens say of a user what the user has allowed',
    file: 'src/tokens/grants/token-issuer.ts',
    out: '!asksConsent(client.app)',
    into: 'asksConsent(client.app)',
    tests: [SPEC],
  },
  {
    item: 'consent',
    control: 'a client that has registered itself asks each time',
    file: 'src/auth/hosted-sign-in/asked-consents.service.ts',
    out: 'if (isSelfRegistered(app) || request.confirm',
    into: 'if (request.confirm',
    tests: [SPEC],
  },
  {
    item: 'consent',
    control: 'only members of the tenant join a client that has registered itself',
    file: 'src/auth/hosted-sign-in/asked-consents.service.ts',
    out: 'this.enrollment.isMemberOfTenant(user.id, app.tenantId)',
    into: '(await this.enrollment.isMemberOfTenant(user.id, app.tenantId), true)',
    tests: [SPEC],
  },
  {
    item: 'consent',
    control: 'nothing that is asked without a page passes a consent',
    file: 'src/auth/sign-in/sign-in-ending.service.ts',
    out: 'if (asksConsent(signIn.client.app)) throw',
    into: 'if (asksConsent(signIn.client.app) && !signIn) throw',
    tests: [SPEC],
  },
  {
    item: 'consent',
    control: 'a consent that is taken back ends the access tokens',
    file: 'src/tokens/grants/consent-revocation.service.ts',
    out: 'await this.enrollment.endTokens(tx, userId, app.id);',
    into: 'void this.enrollment;',
    tests: [SPEC],
  },
];
