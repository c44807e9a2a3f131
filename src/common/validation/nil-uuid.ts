/** The nil UUID (RFC 9562 section 5.9): the id of no row, and in lists the id before all others. */
export const NIL_UUID = '00000000-0000-0000-0000-000000000000';
