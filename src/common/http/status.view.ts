import { ApiProperty } from '@nestjs/swagger';

export class StatusView {
  @ApiProperty({ enum: ['ok'] }) status: 'ok';
}
