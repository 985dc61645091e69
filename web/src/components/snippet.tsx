import { CopyButton } from './copy-button.tsx'
import classes from './snippet.module.css'

/** Code to copy. Scrolls sideways: a line break would change a command. */
export function Snippet({ code, what }: { code: string; what: string }) {
  return (
    <div className={classes.frame}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls by keyboard. */}
      <pre className={classes.code} tabIndex={0}>
        <code>{code}</code>
      </pre>
      <div className={classes.copy}>
        <CopyButton text={code} what={what} />
      </div>
    </div>
  )
}
