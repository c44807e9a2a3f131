import type { User } from '../../../users/user.entity.js';
import type { Form } from '../attempts/sign-in-step.js';

/**
 * Whether the answer comes from a page that this very user was shown: in another tab, another user may have signed in meanwhile,
 * and must be asked themselves. The views have the field.
 */
export function answersFor(user: Pick<User, 'id'>, form: Form): boolean {
  return form['shown_to'] === user.id;
}
