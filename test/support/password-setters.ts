import { acceptNew, newInvite } from './invites.js';
import { newAddress, signUpUser, signUp } from './new-user.js';
import type { MailingService } from './mailing-service.js';
import { linkIn } from './smtp.js';
import { type Answer, PASSWORD, type TestClient } from './world.js';

type SetterAnswer = Answer<Record<string, unknown>>;

/** A user about to get a password, and the one request that sets it. */
export interface Setting {
  readonly email: string;
  readonly set: (password: string) => Promise<SetterAnswer>;
}

export interface PasswordSetter {
  /** Where it hashes: `test/unit/auth/password/setters.spec.ts` finds every such place. */
  readonly file: string;
  /** Audit entry of the act. */
  readonly action: string;
  readonly status: number;
  readonly prepare: (mailing: MailingService, app: TestClient) => Promise<Setting>;
}

/** Every way in which a password comes to be, by the words of the specification. `app` must be open to all users. */
export const PASSWORD_SETTERS: Readonly<Record<string, PasswordSetter>> = {
  'POST /auth/signup': {
    file: 'auth/registration/account-registration.service.ts',
    action: 'user.created',
    status: 200,
    prepare: async ({ world }, app) => {
      const email = newAddress();
      return { email, set: (password) => signUp(world, app, { email, password }) as unknown as Promise<SetterAnswer> };
    },
  },
  'POST /auth/accept-invite': {
    file: 'auth/registration/account-registration.service.ts',
    action: 'user.created',
    status: 200,
    prepare: async ({ world }, app) => {
      const { code } = await newInvite(world, app);
      const email = newAddress();
      return {
        email,
        set: (password) => acceptNew(world, app, code, { email, password }) as unknown as Promise<SetterAnswer>,
      };
    },
  },
  'POST /auth/invite': {
    file: 'auth/registration/account-registration.service.ts',
    action: 'user.created',
    status: 200,
    prepare: async ({ world }, app) => {
      const { code } = await newInvite(world, app);
      const body = { invite_code: code, email: newAddress(), display_name: 'Grace Hopper' };
      return { email: body.email, set: (password) => world.call('POST', '/auth/invite', { ...body, password }) };
    },
  },
  'POST /auth/reset-password': {
    file: 'auth/credentials/password/prepared-passwords.service.ts',
    action: 'user.password_changed',
    status: 200,
    prepare: async ({ world, smtp }, app) => {
      const { email } = await world.user(app);
      await world.call('POST', '/auth/forgot-password', { email, app_id: app.id });
      const { token } = linkIn(await smtp.next(email, 'Set a new password'));
      return { email, set: (password) => world.call('POST', '/auth/reset-password', { token, password }) };
    },
  },
  'POST /admin/users': {
    file: 'admin/users/credentials/operator-passwords.ts',
    action: 'user.created',
    status: 201,
    prepare: async ({ world }, app) => {
      const body = { email: newAddress(), display_name: 'New', app_id: app.id };
      const { token } = world.admin;
      return {
        email: body.email,
        set: (password) => world.call('POST', '/admin/users', { ...body, password }, { token }),
      };
    },
  },
  'PUT /admin/users/{user_id}/password': {
    file: 'admin/users/credentials/operator-passwords.ts',
    action: 'user.password_changed',
    status: 200,
    prepare: async ({ world }, app) => {
      const { id, email } = await world.user(app);
      const { token } = world.admin;
      return {
        email,
        set: (new_password) => world.call('PUT', `/admin/users/${id}/password`, { new_password }, { token }),
      };
    },
  },
  'POST /account/set-password': {
    file: 'auth/credentials/password/prepared-passwords.service.ts',
    action: 'user.password_changed',
    status: 200,
    prepare: async ({ world }, app) => {
      const { email, ssoCookie } = await signUpUser(world, app, { password: undefined });
      const headers = { Cookie: ssoCookie! };
      return { email, set: (password) => world.call('POST', '/account/set-password', { password }, { headers }) };
    },
  },
  'PUT /admin/me/password': {
    file: 'auth/credentials/password/prepared-passwords.service.ts',
    action: 'user.password_changed',
    status: 200,
    prepare: async ({ world }, app) => {
      const user = await world.user(app);
      const token = (await world.tokens(user, app.id)).access_token;
      const body = (password: string) => ({ current_password: PASSWORD, new_password: password });
      return {
        email: user.email,
        set: (password) => world.call('PUT', '/admin/me/password', body(password), { token }),
      };
    },
  },
};

/** They set one as well, for a user who belongs to no tenant whose policy could hold: the default's word is only written down. */
export const BEFORE_TENANTS = [
  'auth/setup/bootstrap-admin.ts',
  'auth/setup/first-admin.service.ts',
  'admin/users/platform-admins/admin-creation.service.ts',
];
