/** Characters of a password. Twelve are four words; above the most, hashing one would be work for whoever asks. */
export const PASSWORD_LENGTH = { least: 12, most: 128 }
