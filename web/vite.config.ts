import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { mantineCss } from './mantine-css.ts'
import { screenChunks } from './screen-chunks.ts'

// biome-ignore lint/style/noDefaultExport: Vite requires it.
export default defineConfig({
  root: import.meta.dirname,
  // Files name each other relatively, so that the page also works below a path; the service completes index.html.
  base: './',
  plugins: [react(), mantineCss(), screenChunks()],
  build: {
    outDir: join(import.meta.dirname, 'dist'),
    emptyOutDir: true,
    // A test reads the manifest to measure the first load.
    manifest: true,
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
