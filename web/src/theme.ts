import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core'
import { shellTexts } from './texts/shell.ts'

// Teal. Contrast: white on 7 is 6.3, 4 on the dark background is 7.
const water: MantineColorsTuple = [
  '#edf7f7',
  '#d7ebec',
  '#afd6d8',
  '#82bfc2',
  '#56a8ac',
  '#349297',
  '#1d7b80',
  '#11666b',
  '#0a5257',
  '#063e42',
]

// Dimmed text is 6: contrast 5.7 on white, 5.4 on 0.
const gray: MantineColorsTuple = [
  '#f9f8f7',
  '#f2f1ef',
  '#e6e4e1',
  '#d6d3cf',
  '#bab5af',
  '#78726b',
  '#66605a',
  '#4a4540',
  '#2e2a27',
  '#1c1917',
]

const dark: MantineColorsTuple = [
  '#e5e2de',
  '#c9c5c0',
  '#aaa59f',
  '#8f8a83',
  '#45413d',
  '#353230',
  '#292724',
  '#1c1a18',
  '#151412',
  '#0f0e0d',
]

/** One accent, stone greys, a grid of four pixels. */
export const theme = createTheme({
  primaryColor: 'water',
  primaryShade: { light: 7, dark: 6 },
  colors: { water, gray, dark },
  black: '#1c1917',
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  defaultRadius: 4,
  spacing: { xs: '8px', sm: '12px', md: '16px', lg: '24px', xl: '32px' },
  fontSizes: { xs: '12px', sm: '14px', md: '14px', lg: '16px', xl: '20px' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '22px', lineHeight: '28px' },
      h2: { fontSize: '17px', lineHeight: '24px' },
      h3: { fontSize: '15px', lineHeight: '20px' },
    },
  },
  components: {
    // Mantine's default is almost white on dark.
    Alert: { defaultProps: { color: 'var(--mr-accent)' } },
    // Links in a sentence must differ by more than colour (WCAG 1.4.1).
    Anchor: { defaultProps: { underline: 'always' } },
    // At the end of the body, dialogs would be outside every landmark.
    Portal: { defaultProps: { target: '#main' } },
    // The first entry takes the focus instead of a placeholder.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    // Mantine removes the button from the tab order.
    PasswordInput: {
      defaultProps: { visibilityToggleButtonProps: { tabIndex: 0, 'aria-label': shellTexts.showPassword } },
    },
    // A second <header> would be another page banner.
    ModalHeader: { defaultProps: { role: 'presentation' } },
    DrawerHeader: { defaultProps: { role: 'presentation' } },
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
})

/** Our CSS variables, in both colour schemes. */
export const variables: CSSVariablesResolver = () => ({
  // The picture of a page is white in both.
  variables: { '--mr-on-paper': '#11666b' },
  light: {
    '--mr-background': '#f9f8f7',
    '--mr-surface': '#ffffff',
    '--mr-line': '#e6e4e1',
    // Control edges need a contrast of 3:1 (WCAG 1.4.11).
    '--mr-control-line': '#8d867f',
    '--mr-hover': '#f2f1ef',
    '--mr-accent': '#11666b',
    '--mr-good': '#1f6b3a',
    '--mr-good-background': '#e6f3ea',
    '--mr-warning': '#855000',
    '--mr-warning-background': '#fbf0da',
    '--mr-bad': '#b3261e',
    '--mr-bad-background': '#fbe9e7',
    '--mr-neutral': '#5c564f',
    '--mr-neutral-background': '#efedea',
    '--mr-active': '#0a5257',
    '--mr-active-background': '#dff0f0',
    '--mantine-color-error': '#b3261e',
    '--mantine-color-anchor': '#11666b',
  },
  dark: {
    '--mr-background': '#151412',
    '--mr-surface': '#1c1a18',
    '--mr-line': '#353230',
    '--mr-control-line': '#7d7770',
    '--mr-hover': '#292724',
    '--mr-accent': '#82bfc2',
    '--mr-good': '#8fd3a5',
    '--mr-good-background': '#17301f',
    '--mr-warning': '#eabf6b',
    '--mr-warning-background': '#382a10',
    '--mr-bad': '#ffa59c',
    '--mr-bad-background': '#421a17',
    '--mr-neutral': '#bcb7b1',
    '--mr-neutral-background': '#2f2c29',
    '--mr-active': '#82bfc2',
    '--mr-active-background': '#0f3335',
    '--mantine-color-error': '#ffa59c',
    '--mantine-color-anchor': '#82bfc2',
  },
})
