import { InvalidInput } from '../../common/validation/invalid-input.js';

interface OffersRoles {
  readonly config: { readonly available_roles: readonly string[] };
}

/** Whether members of the app can be given the role. A member who has it keeps it if the app no longer offers it. */
export function isOffered(app: OffersRoles, role: string): boolean {
  return app.config.available_roles.includes(role);
}

/**
 * @returns the roles as they are stored
 * @throws InvalidInput for a role that the app does not offer
 */
export function checkedRoles(app: OffersRoles, roles: readonly string[]): string[] {
  const index = roles.findIndex((role) => !isOffered(app, role));
  if (index >= 0)
    throw new InvalidInput([{ loc: ['body', 'roles', index], msg: 'Role is not offered by this app', type: 'enum' }]);
  return [...new Set(['user', ...roles])];
}
