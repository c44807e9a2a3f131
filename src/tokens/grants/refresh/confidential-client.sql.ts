/**
 * The app `a` authenticates at each refresh, and may change its DPoP key (RFC 9449 section 5). As the app is now, not as it was at the
 * sign-in.
 */
export const IS_CONFIDENTIAL = `coalesce(a.config ->> 'client_type' = 'confidential', false)`;
