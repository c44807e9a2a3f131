/**
 * Where jest has no durations of an earlier run, as in CI, these are begun first, in this order: a long file at the end
 * of a run leaves a core without work. Of most of them the reason is time that they wait.
 */
const LONGEST = [
  'test/unit/outbound/outbound-http.spec.ts',
  'test/e2e/races/push-delivery.spec.ts',
  'test/e2e/admin/authz-matrix.spec.ts',
  'test/e2e/transfer/large-documents.spec.ts',
  'test/e2e/ways-in/mail-delivery.spec.ts',
  'test/e2e/admin/access-check.spec.ts',
  'test/e2e/operations/stopping.spec.ts',
  'test/e2e/http/fuzz.spec.ts',
  'test/e2e/console/tasks.spec.ts',
  'test/e2e/authorization/credentials.spec.ts',
  'test/e2e/operations/secret-key.spec.ts',
  'test/e2e/faults/faults.spec.ts',
  'test/e2e/admin/logo-multipart.spec.ts',
  'test/e2e/admin/authz-matrix-console.spec.ts',
  'test/e2e/push/webhook-processes.spec.ts',
  'test/e2e/proofs/reset-races.spec.ts',
  'test/e2e/push/isolation.spec.ts',
  'test/e2e/races/invites.spec.ts',
  'test/e2e/push/fcm.spec.ts',
  'test/browser/journeys/clicks.spec.ts',
  'test/browser/console-users.spec.ts',
  'test/browser/looks.spec.ts',
  'test/browser/console.spec.ts',
  'test/browser/passkeys.spec.ts',
  'test/browser/account.spec.ts',
  'test/browser/console-apps.spec.ts',
  'test/browser/second-factor.spec.ts',
  'test/browser/newcomer.spec.ts',
  'test/browser/joining.spec.ts',
];

/** @returns a test's place in the list, or behind it */
export function placeOf({ path }) {
  const place = LONGEST.findIndex((file) => path.endsWith(`/${file}`));
  return place < 0 ? LONGEST.length : place;
}
