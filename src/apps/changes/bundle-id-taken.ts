import { BundleIdAlreadyExists } from '../app/apps.errors.js';

/** Constraint for `translateViolation`. */
export const BUNDLE_ID_TAKEN = { uq_apps_bundle_id: () => new BundleIdAlreadyExists() };
