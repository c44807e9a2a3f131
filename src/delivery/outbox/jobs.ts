/**
 * Every background job: its name and the shape of its payload. Empty here on purpose: a feature module adds its own
 * jobs in the file of its handler, so that this file does not change and the compiler still checks `Outbox.add`:
 *
 *     declare module './jobs.js' {
 *       interface Jobs {
 *         'mail.send': { template: string; to: string };
 *       }
 *     }
 *
 * A payload is stored as JSON for as long as the job is pending: secrets (links, tokens) must be encrypted.
 */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- filled by declaration merging, see above
export interface Jobs {}

export type JobName = keyof Jobs & string;
