import { Code } from '@mantine/core'
import { connectorsTexts } from '../texts/connectors.ts'
import { CopyButton } from './copy-button.tsx'
import { settingIn } from './setting-in.ts'
import classes from './setting-text.module.css'

/** A message; a setting of the service in it gets its own line and can be copied. */
export function SettingText({ text }: { text: string }) {
  const setting = settingIn(text)
  if (!setting) return text
  const [before, after = ''] = text.split(setting)
  return (
    <>
      {before?.trimEnd()}
      <span className={classes.setting}>
        <Code c="inherit" className={classes.code}>
          {setting}
        </Code>
        <CopyButton text={setting} what={connectorsTexts.setting} />
      </span>
      {after.replace(/^[;.,\s]+/, '')}
    </>
  )
}
