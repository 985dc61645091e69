import { CopyButton } from './copy-button.tsx'
import classes from './snippet.module.css'

/** Code to be copied. It scrolls sideways rather than break where a shell would not. */
export function Snippet({ code, what }: { code: string; what: string }) {
  return (
    <div className={classes.frame}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be within reach of the keyboard. */}
      <pre className={classes.code} tabIndex={0}>
        <code>{code}</code>
      </pre>
      <div className={classes.copy}>
        <CopyButton text={code} what={what} />
      </div>
    </div>
  )
}
