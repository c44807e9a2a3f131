// The rules of who may enter an app, and their form in SQL; see scripts/sabotage.mjs.
const SQL = 'src/enrollment/admission/admission.sql.ts';
const CACHE = 'src/enrollment/memberships/entry-cache.ts';
const RULES = 'src/enrollment/admission/admission.rules.ts';
const TESTS = ['test/e2e/authorization/admission.spec.ts'];

const without = (control, file, out, into) => ({
  item: 'admission',
  control: `admission: ${control}`,
  file,
  out,
  into,
  tests: TESTS,
});

export default [
  {
    item: 'self-registered clients',
    control: 'only apps of the tenant are read to decide whether a user is an outsider',
    file: CACHE,
    out: "status === 'active' && operatedBy === app.tenantId",
    into: "status === 'active'",
    tests: ['test/unit/enrollment/memberships/entry-cache.spec.ts'],
  },
  without('SQL asks whether the user is active', SQL, '`(u.is_active AND a.is_active', '`(a.is_active'),
  without('SQL asks whether the app is on', SQL, 'u.is_active AND a.is_active AND', 'u.is_active AND'),
  without('SQL asks whether the tenant is on', SQL, ' AND t.is_active', ''),
  without('SQL asks for a verified address where the app wants one', SQL, ' AND NOT ${EMAIL_MISSING}', ''),
  without(
    'SQL asks whether the enrollment is active',
    SQL,
    "`coalesce(e.status = 'active', false)`",
    "`coalesce(e.status <> 'pending', false)`",
  ),
  without(
    'SQL asks whether anything ended the user’s sign-ins',
    SQL,
    '`(${issuedAt} >= u.tokens_valid_from AND ',
    '`(',
  ),
  without(
    'SQL asks whether anything ended their sign-ins in the app',
    SQL,
    " AND ${issuedAt} >= coalesce(e.tokens_valid_from, '-infinity'))`",
    ')`',
  ),
  without(
    'what is remembered of a user is judged by the rules',
    CACHE,
    'userIsActive: user.isActive',
    'userIsActive: true',
  ),
  without('what is remembered of an app is judged by the rules', CACHE, 'appIsOn: app.isActive', 'appIsOn: true'),
  without(
    'what is remembered of a tenant is judged by the rules',
    CACHE,
    'tenantIsOn: tenant.isActive',
    'tenantIsOn: true',
  ),
  without(
    'a token from before a suspension is as good as none',
    CACHE,
    'enrollment: isOutlived(user, app.id, signedInAtMs) ? null : ',
    'enrollment: ',
  ),
  without(
    'a rule is not dropped from the list that SQL follows',
    RULES,
    "{ rule: 'not_suspended', holds: status !== 'suspended'",
    "{ rule: 'not_suspended', holds: true",
  ),
];
