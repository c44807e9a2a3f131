import { Global, Module } from '@nestjs/common';
import { Clock } from './clock.js';
import { LargeBodyPlaces } from './http/large-body-places.js';
import { Randomness } from './randomness.js';
import { SystemClock } from './system-clock.js';
import { SystemRandomness } from './system-randomness.js';

/** Clock, randomness, and what a process has once: so that every constructor can ask for them. Owns no table and no route. */
@Global()
@Module({
  providers: [
    SystemClock,
    { provide: Clock, useExisting: SystemClock },
    { provide: Randomness, useClass: SystemRandomness },
    LargeBodyPlaces,
  ],
  exports: [Clock, Randomness, SystemClock, LargeBodyPlaces],
})
export class CommonModule {}
