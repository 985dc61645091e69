/** In characters. Twelve are about four words; longer than the maximum is expensive to hash. */
export const PASSWORD_LENGTH = { min: 12, max: 128 }
