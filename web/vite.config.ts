import react from '@vitejs/plugin-react'
import type { InlineConfig } from 'vite'
import { language } from './language.ts'
import { mantineCss } from './mantine-css.ts'
import { screenChunks } from './screen-chunks.ts'

/** The page in one language. */
export const pageIn = (locale: string): InlineConfig => ({
  root: import.meta.dirname,
  // Files name each other relatively, so that the page also works below a path; the service completes index.html.
  base: './',
  plugins: [language(locale), react(), mantineCss(), screenChunks()],
  build: {
    // No data: URLs, so that the policy can name every origin.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 600,
    // One file: small sheets per screen cost more requests than bytes.
    cssCodeSplit: false,
    // The polyfill helps only browsers that cannot show the page.
    modulePreload: { polyfill: false },
  },
  server: {
    // `npm run dev:web` next to `npm run dev` rebuilds on change and uses the running API.
    proxy: { '/api': 'http://127.0.0.1:8080' },
  },
})

// biome-ignore lint/style/noDefaultExport: the development server requires it.
export default pageIn('en')
