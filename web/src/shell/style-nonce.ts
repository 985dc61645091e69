/**
 * The word that lets a <style> of ours pass the page's policy. Mantine writes its variables and responsive rules
 * into such elements; everything else is in files. The library that locks scrolling behind a dialog asks for it
 * under a bundler's name.
 */
export const styleNonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? ''

declare global {
  var __webpack_nonce__: string | undefined
}
globalThis.__webpack_nonce__ = styleNonce
