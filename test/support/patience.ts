import { jest } from '@jest/globals';

// Real servers on two busy cores: slow is not wrong, only stuck is.
jest.setTimeout(120_000);
