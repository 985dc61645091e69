/** The language of texts, dates and numbers. */
export const LOCALE: string = 'en'

/** In index.html. */
export const languageTexts = {
  noScript: 'Millrace’s page needs JavaScript. The API does not: see /docs.',
}
