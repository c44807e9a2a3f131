/** Whether the app `a` wants a proven address that the user `u` lacks: `AdmissionFacts.emailMissing` in SQL. */
export const EMAIL_MISSING = `(coalesce((a.config ->> 'require_verified_email')::boolean, false) AND NOT u.email_verified)`;
