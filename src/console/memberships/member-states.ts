import type { EnrollmentStatus } from '../../enrollment/enrollments/enrollment.entity.js';

export const MEMBER_STATES = {
  active: { text: 'Active', tone: 'plain' },
  pending: { text: 'Waiting for approval', tone: 'off' },
  suspended: { text: 'Suspended', tone: 'bad' },
} as const satisfies Record<EnrollmentStatus, { text: string; tone: string }>;
