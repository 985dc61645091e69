import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { mantineCss } from './mantine-css.ts'

// biome-ignore lint/style/noDefaultExport: Vite reads its configuration from there.
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), mantineCss()],
  build: {
    outDir: join(import.meta.dirname, 'dist'),
    emptyOutDir: true,
    // What is loaded first is held by a test, and that test reads the manifest.
    manifest: true,
    // Nothing as data: addresses, so that the policy of the page can name where everything comes from.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 600,
    // The polyfill would be an inline script in all but name, for browsers that cannot show the page anyway.
    modulePreload: { polyfill: false },
  },
  server: {
    // `npm run dev:web` beside `npm run dev`: the page is rebuilt as it is written, the API is the running service's.
    proxy: { '/api': 'http://127.0.0.1:8080' },
  },
})
