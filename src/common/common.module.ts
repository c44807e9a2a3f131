import { Global, Module } from '@nestjs/common';
import { Clock } from './clock.js';
import { Randomness } from './randomness.js';
import { SystemClock } from './system-clock.js';
import { SystemRandomness } from './system-randomness.js';

/** Clock and randomness, which every constructor can inject. Owns no table and no route. */
@Global()
@Module({
  providers: [
    SystemClock,
    { provide: Clock, useExisting: SystemClock },
    { provide: Randomness, useClass: SystemRandomness },
  ],
  exports: [Clock, Randomness, SystemClock],
})
export class CommonModule {}
