import type { User } from '../../../users/user.entity.js';
import type { Form } from '../attempts/sign-in-step.js';

/**
 * Whether the form comes from a page that was shown to this user: in another tab, another user may have signed in, and
 * must be asked themselves. The views contain the field. `SignInForms` refuses a form for another user at every
 * step; a step that needs the answer of this user also refuses a form that names none.
 */
export function answersFor(user: Pick<User, 'id'>, form: Form): boolean {
  return form['shown_to'] === user.id;
}

/** Whether the form names another user than the one who is signed in now. */
export function answersForAnother(user: Pick<User, 'id'> | null, form: Form): boolean {
  return user !== null && form['shown_to'] !== undefined && !answersFor(user, form);
}
