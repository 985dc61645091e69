/** In characters: twelve are about four words; above the maximum, hashing gets expensive. */
export const PASSWORD_LENGTH = { min: 12, max: 128 }
