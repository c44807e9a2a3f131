import { expect, it } from '@jest/globals';
import { TenantAdminNaming } from '../../../../src/admin/tenant-admins/tenant-admin-naming.js';
import { ReauthenticationRequired } from '../../../../src/common/http/recent-sign-in.js';

type Given = Parameters<TenantAdminNaming['name']>;

it('Naming a tenant admin is refused without a recent sign-in before any account is looked up', async () => {
  // Without the services, every look-up would fail with another error.
  const none = [] as unknown as ConstructorParameters<typeof TenantAdminNaming>;
  const naming = new TenantAdminNaming(...none);
  const ctx = { actor: { type: 'user' }, signedInRecently: false } as unknown as Given[1];
  const [tx, tenant, app] = [{} as Given[0], {} as Given[2], {} as Given[3]];
  for (const input of [{ email: 'ada@example.com' }, { user_id: 'x' }])
    await expect(naming.name(tx, ctx, tenant, app, input)).rejects.toBeInstanceOf(ReauthenticationRequired);
});
