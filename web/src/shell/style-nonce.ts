/** The nonce for Mantine's <style> elements. The scroll-lock library reads it under webpack's name. */
export const styleNonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? ''

declare global {
  var __webpack_nonce__: string | undefined
}
globalThis.__webpack_nonce__ = styleNonce
