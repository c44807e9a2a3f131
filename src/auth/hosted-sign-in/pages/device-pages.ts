import { message } from '../../../common/i18n/message.js';
import type { StepPage } from '../attempts/sign-in-step.js';

/** Pages that end the sign-in of a device in this browser. */
export const DEVICE_DENIED: StepPage = {
  view: 'sign-in/done',
  title: message('sign-in.approve_device.denied'),
  model: {
    heading: message('sign-in.approve_device.denied'),
    message: message('sign-in.approve_device.denied_lead'),
    action: null,
  },
};

export const DEVICE_CODE_USED: StepPage = {
  view: 'sign-in/device-spent',
  title: message('sign-in.approve_device.spent'),
  model: {},
};
