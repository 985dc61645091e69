import type { IncomingHttpHeaders } from 'node:http'

/** Of texts of the service that the page shows. */
export const LANGUAGES = ['en', 'de']

/** The page writes it when a person chooses a language. */
const CHOICE = /(?:^|;\s*)millrace_language=([a-z]+)/

/** The choice of the person, else the first language of the browser that the page has, else English. */
export function pageLanguage(headers: IncomingHttpHeaders, languages: string[]): string {
  const chosen = CHOICE.exec(headers.cookie ?? '')?.[1]
  const wanted = [...(chosen ? [chosen] : []), ...acceptedLanguages(headers['accept-language'])]
  return wanted.find((each) => languages.includes(each)) ?? 'en'
}

/** `de-AT,en;q=0.8` means de, then en. */
function acceptedLanguages(header = ''): string[] {
  const ranges = header.split(',').map((range) => {
    const [tag = '', quality = '1'] = range.split(/;\s*q=/)
    return { language: tag.trim().split('-')[0]?.toLowerCase() ?? '', quality: Number(quality) }
  })
  return ranges
    .filter(({ quality }) => quality > 0)
    .toSorted((one, other) => other.quality - one.quality)
    .map(({ language }) => language)
}
