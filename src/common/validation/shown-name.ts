import { applyDecorators } from '@nestjs/common';
import { registerDecorator } from 'class-validator';
import { quickText, Text } from './fields.js';
import { UNSURE } from './quick-fields.js';
import { isFitForName, UNFIT_NAME } from './shown-name.rules.js';

const MOST = 200;
const quickly = quickText(1, MOST);

/** The name of a new app or tenant. Where it changes, the service compares it with the one before: `checkNewName`. */
export function ShownName(): PropertyDecorator {
  const quick = (value: unknown) => (typeof value === 'string' && isFitForName(value) ? quickly(value) : UNSURE);
  return applyDecorators(Text({ min: 1, max: MOST, quick }), FitForName());
}

function FitForName(): PropertyDecorator {
  return (target, propertyKey) =>
    registerDecorator({
      name: 'isFitForName',
      target: target.constructor,
      propertyName: String(propertyKey),
      options: { message: UNFIT_NAME },
      validator: { validate: (value: unknown) => typeof value !== 'string' || isFitForName(value) },
    });
}
