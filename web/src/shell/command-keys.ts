const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)

/** The keys that open the palette, as on the keyboard of the person. */
export const COMMAND_KEYS = isMac ? '⌘ K' : 'Ctrl K'
