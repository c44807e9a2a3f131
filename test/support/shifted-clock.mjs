// For NODE_OPTIONS=--import: a process whose machine's clock is wrong by CLOCK_SHIFT_MS.
const Real = Date;
const shiftMs = Number(process.env.CLOCK_SHIFT_MS);

globalThis.Date = class Date extends Real {
  constructor(...parts) {
    if (parts.length === 0) super(Real.now() + shiftMs);
    else super(...parts);
  }

  static now() {
    return Real.now() + shiftMs;
  }
};
