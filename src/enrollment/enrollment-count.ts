import { Injectable } from '@nestjs/common';
import { ImpactCount } from '../users/impact-count.js';
import { EnrollmentsRepository } from './enrollments.repository.js';

@Injectable()
export class EnrollmentCount extends ImpactCount {
  readonly name = 'enrollments';

  constructor(private readonly enrollments: EnrollmentsRepository) {
    super();
  }

  count(userId: string): Promise<number> {
    return this.enrollments.countOfUser(userId);
  }
}
