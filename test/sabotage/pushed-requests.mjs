/** Controls of pushed authorization requests (RFC 9126). */
const TESTS = ['test/e2e/sign-in/pushed-requests.spec.ts'];
const FOLDER = 'src/auth/hosted-sign-in';

export default [
  {
    item: 'par',
    control: 'a reference is used once',
    file: `${FOLDER}/pushed-requests.repository.ts`,
    out: 'DELETE FROM pushed_requests WHERE reference_hash = $1 AND app_id = $2 AND expires_at > clock_timestamp()\n    RETURNING parameters',
    into: 'SELECT parameters FROM pushed_requests WHERE reference_hash = $1 AND app_id = $2 AND expires_at > clock_timestamp()',
    tests: TESTS,
  },
  {
    item: 'par',
    control: 'a reference works for its app only',
    file: `${FOLDER}/pushed-requests.repository.ts`,
    out: 'reference_hash = $1 AND app_id = $2 AND',
    into: 'reference_hash = $1 AND $2::uuid IS NOT NULL AND',
    tests: TESTS,
  },
  {
    item: 'par',
    control: 'a reference expires',
    file: `${FOLDER}/pushed-requests.repository.ts`,
    out: ' AND expires_at > clock_timestamp()',
    into: '',
    tests: TESTS,
  },
  {
    item: 'par',
    control: 'what the browser adds does not count',
    file: `${FOLDER}/authorization-requests.service.ts`,
    out: 'isPushed ? await this.pushed.take(client, given) : given;',
    into: 'isPushed ? { ...(await this.pushed.take(client, given)), ...given, request_uri: undefined } : given;',
    tests: TESTS,
  },
  {
    item: 'par',
    control: 'a confidential app shows its secret',
    file: 'src/tokens/clients/client-authenticator.ts',
    out: "if (client?.app.config.client_type === 'confidential') throw new InvalidClient();",
    into: '',
    tests: TESTS,
  },
  {
    item: 'par',
    control: 'the request is of the app that authenticated',
    file: `${FOLDER}/pushed-requests.service.ts`,
    out: "if ('fault' in readAppId(raw))",
    into: 'if (readAppId === undefined)',
    tests: TESTS,
  },
  {
    item: 'par',
    control: 'an app that requires pushed requests takes no other',
    file: `${FOLDER}/authorization-request.rules.ts`,
    out: 'if (pushed || !isNeeded) return null;',
    into: 'if (pushed || isNeeded || !isNeeded) return null;',
    tests: TESTS,
  },
  {
    item: 'par',
    control: 'an app that requires pushed requests gets no code by an invite or an older sign-in',
    file: `${FOLDER}/sign-in-delivery.service.ts`,
    out: 'if (lacksChallenge || (config.require_par && !request.pushed))',
    into: 'if (lacksChallenge)',
    tests: TESTS,
  },
  {
    item: 'par',
    control: 'the secret of the app is not stored',
    file: `${FOLDER}/pushed-requests.service.ts`,
    out: '...Object.fromEntries(askedValues(given)), client_id: app.id',
    into: '...Object.fromEntries(Object.entries(given)), client_id: app.id',
    tests: TESTS,
  },
];
