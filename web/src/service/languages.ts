/** The page is built once for each of them; `src/api/http/page.ts` chooses. */
export const LANGUAGES = ['en', 'de'] as const
