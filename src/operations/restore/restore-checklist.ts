/** When an app's secret was created, according to the backup. */
export interface SecretTime {
  readonly app: string;
  readonly tenant: string;
  readonly changedAt: Date;
}

/**
 * Steps for what a backup cannot know: permissions and sessions that were revoked after it was made are active again.
 */
export function checklist(secrets: readonly SecretTime[], hasRotatedKeys: boolean): string[] {
  return [
    '',
    'What was taken back since the backup was made is back, and only you can judge it. Look at each of these:',
    ' 1. Administrators: demoted platform admins, removed admins of tenants and apps (console, Users and Tenants)',
    ' 2. Users: deleted, suspended or removed from an app; changed roles, refused requests',
    ' 3. Passwords, second factors, passkeys and e-mail addresses: old ones work again, also passkeys that were removed. Tell',
    '    users who changed theirs to do so once more',
    ' 4. Backup codes: all were removed, because used ones work again. Tell users to make new ones at /account',
    ' 5. Linked accounts that were removed open their account again',
    ' 6. Apps and tenants that were switched off, redirect URIs and webhooks that were taken out',
    ' 7. Tasks of operators that were stopped or had run (console, Tasks)',
    ' 8. Invites: all were revoked; send those that are still wanted again',
    ' 9. Compare "npm run cli -- audit verify" and the checkpoints that you keep elsewhere with this database',
    ...keysLine(hasRotatedKeys),
    '11. Client secrets: one that was regenerated since is the old one again. Secrets as the backup has them:',
    ...secrets.map(({ app, tenant, changedAt }) => `      ${app} (${tenant}): last changed ${changedAt.toISOString()}`),
  ];
}

function keysLine(hasRotatedKeys: boolean): string[] {
  if (hasRotatedKeys) return ['10. Signing keys: new. Tell apps that keep the key set to reload it'];
  return [
    '10. Signing keys: one that was taken out because it had leaked signs again. Service tokens go on for 15 minutes, those for a',
    '    protected resource as long as it says (up to a day), also those that were revoked since the backup was made.',
    '    Run this command again without --keep-keys',
  ];
}
