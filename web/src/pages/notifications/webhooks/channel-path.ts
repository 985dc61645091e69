export const CHANNELS = '/notifications/channels'

/** How people recognise a webhook. */
export function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url
}
