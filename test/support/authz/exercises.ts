import { APPS } from './apps.js';
import { AUDIT } from './audit.js';
import type { Exercises } from './exercise.js';
import { INVITES } from './invites.js';
import { MAILS } from './mails.js';
import { MEMBERS } from './members.js';
import { PUSH } from './push.js';
import { SCHEDULED_CHANGES } from './scheduled-changes.js';
import { TENANTS } from './tenants.js';
import { TRANSFER } from './transfer.js';
import { USERS } from './users.js';

/** Every row of the matrix that exists, by name. */
export const EXERCISES: Exercises = {
  ...TENANTS,
  ...APPS,
  ...USERS,
  ...MEMBERS,
  ...INVITES,
  ...AUDIT,
  ...MAILS,
  ...TRANSFER,
  ...PUSH,
  ...SCHEDULED_CHANGES,
};
