import { BundleIdAlreadyExists } from '../app/apps.errors.js';

/** For `translateViolation`. */
export const BUNDLE_ID_TAKEN = { uq_apps_bundle_id: () => new BundleIdAlreadyExists() };
