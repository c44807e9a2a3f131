import { Injectable } from '@nestjs/common';
import { UserTrace } from '../users/user-trace.js';
import { EnrollmentsRepository } from './enrollments.repository.js';

@Injectable()
export class EnrollmentTrace extends UserTrace {
  readonly name = 'enrollments';

  constructor(private readonly enrollments: EnrollmentsRepository) {
    super();
  }

  count(userId: string): Promise<number> {
    return this.enrollments.countOfUser(userId);
  }
}
