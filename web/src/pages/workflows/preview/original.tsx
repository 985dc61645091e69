import { useComputedColorScheme } from '@mantine/core'
import { useMemo } from 'react'
import { sanitizeHtml } from '../../../components/sanitize-html.ts'
import { styleNonce } from '../../../shell/style-nonce.ts'
import { workflowsTexts } from '../../../texts/workflows.ts'
import classes from './preview-result.module.css'

/** The untrusted document in a frame without scripts, forms or origin, already sanitized. */
export function Original({ html, title }: { html: string; title: string }) {
  const dark = useComputedColorScheme('light') === 'dark'
  const page = useMemo(() => pageOf(html, dark), [html, dark])
  return (
    <iframe
      className={classes.page}
      title={workflowsTexts.preview.originalLabel(title)}
      sandbox=""
      referrerPolicy="no-referrer"
      srcDoc={page}
    />
  )
}

function pageOf(html: string, dark: boolean): string {
  const [background, text, border] = dark
    ? ['#1c1a18', '#e5e2de', '#45413d']
    : ['#ffffff', '#1c1917', '#bab5af']
  const style = `
    body { margin: 16px; font: 14px/1.5 system-ui, sans-serif; color: ${text}; background: ${background}; overflow-wrap: anywhere }
    table { display: block; width: fit-content; max-width: 100%; overflow-x: auto; border-collapse: collapse; overflow-wrap: normal } th, td { padding: 4px 8px; border: 1px solid ${border}; text-align: left; vertical-align: top }
    pre { white-space: pre-wrap } h1 { font-size: 20px } h2 { font-size: 17px } h3, h4 { font-size: 15px }`
  return `<!doctype html><meta charset="utf-8"><style nonce="${styleNonce}">${style}</style>${sanitizeHtml(html)}`
}
