/** In characters: twelve are about four words; above the maximum, hashing gets expensive. */
export const PASSWORD_LENGTH = { least: 12, most: 128 }
