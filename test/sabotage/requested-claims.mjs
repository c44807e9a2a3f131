/** Controls of the parameter `claims` (OpenID Connect Core 5.5). */
const tests = ['test/e2e/tokens/requested-claims.spec.ts'];

export default [
  {
    item: '49',
    control: 'single claims come for scope openid alone',
    file: 'src/tokens/protocol/requested-claims.rules.ts',
    out: '(isOpenId && text ? readClaims(text)?.requested : null)',
    into: '(text ? readClaims(text)?.requested : null)',
    tests: ['test/unit/tokens/protocol/requested-claims.rules.spec.ts'],
  },
  {
    item: '49',
    control: 'a claim with values comes only where one of them is true',
    file: 'src/tokens/protocol/requested-claims.rules.ts',
    out: 'return values === null || values?.some((value) => isSame(value, valueOf(name, user)));',
    into: 'return values !== undefined || isSame(name, valueOf(name, user));',
    tests,
  },
  {
    item: '49',
    control: 'a narrowed ID token brings no single claims',
    file: 'src/tokens/grants/refresh/oauth-refresh.ts',
    out: 'hasWholeScope(grant.scope, scope) ? grant.claims : null',
    into: 'hasWholeScope(grant.scope, scope) ? grant.claims : grant.claims',
    tests,
  },
  {
    item: '49',
    control: 'a narrowed access token brings no single claims at userinfo',
    file: 'src/tokens/endpoints/userinfo.service.ts',
    out: '&& hasWholeScope(family.scope, scope);',
    into: '&& hasWholeScope !== null;',
    tests,
  },
  {
    item: '49',
    control: 'sub with values lets no other user return to the app with credentials',
    file: 'src/auth/hosted-sign-in/authorization-request/authorization-request.ts',
    out: 'return (subject ?? null) === null || [subject].flat().includes(userId);',
    into: "return subject === null || userId !== '';",
    tests,
  },
  {
    item: '49',
    control: 'an essential acr with unknown values is a failed sign-in',
    file: 'src/auth/hosted-sign-in/authorization-request/authorization-request.rules.ts',
    out: 'if (claims.acr?.isEssential && claims.acr.values.length === 0)',
    into: 'if (claims.acr?.isEssential && text.length === 0)',
    tests,
  },
  {
    item: '116',
    control: 'values that the database cannot hold are refused',
    file: 'src/tokens/protocol/requested-claims.rules.ts',
    out: 'if (!isObject(parsed) || findHostileValue(parsed, [])) return null;',
    into: 'if (!isObject(parsed) || (findHostileValue(parsed, []) && text.length === 0)) return null;',
    tests,
  },
  {
    item: '116',
    control: 'a requested sub that is no text is refused before it is compared',
    file: 'src/tokens/protocol/requested-claims.rules.ts',
    out: "if (name === 'sub' && wanted?.some((each) => typeof each !== 'string')) return null;",
    into: "void [name === 'sub'];",
    tests,
  },
];
