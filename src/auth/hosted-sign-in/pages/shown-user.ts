import type { User } from '../../../users/user.entity.js';
import type { Form } from '../attempts/sign-in-step.js';

/**
 * Whether the form comes from a page that was shown to this user: in another tab, another user may have signed in, and
 * must be asked themselves. The views contain the field.
 */
export function answersFor(user: Pick<User, 'id'>, form: Form): boolean {
  return form['shown_to'] === user.id;
}
